// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/listener.hpp"

#include <algorithm>
#include <utility>

namespace gyre::sim {

Listener::~Listener() {
    network_.forget(*this);
}

bool Listener::is_full() const noexcept {
    return queue_.size() > static_cast<std::size_t>(std::max(options_.backlog, 0));
}

void Listener::enqueue(std::unique_ptr<StreamSocket> connection) {
    queue_.push_back(std::move(connection));
    network_.medium().descriptors.changed(*this);
}

Attempt Listener::accept(Address& peer) {
    if (queue_.empty()) return std::nullopt;
    Descriptors& descriptors = network_.medium().descriptors;
    if (!descriptors.has_room()) return std::nullopt;
    peer = queue_.front()->peer_address();
    const Result<Fd> fd = descriptors.add(std::move(queue_.front()));
    queue_.pop_front();
    if (!waiters_.empty()) {
        StreamSocket* next = waiters_.front();
        waiters_.erase(waiters_.begin());
        next->try_again();
    }
    return *fd;
}

Attempt Listener::connect(const Address& /*to*/) {
    return failure(is_unix() ? std::errc::invalid_argument : std::errc::already_connected);
}

Attempt Listener::receive(Bytes /*into*/) {
    return failure(is_unix() ? std::errc::invalid_argument : std::errc::not_connected);
}

Attempt Listener::send(ConstBytes /*from*/) {
    return failure(is_unix() ? std::errc::not_connected : std::errc::broken_pipe);
}

void Listener::on_close() {
    network_.forget(*this);
    for (const auto& connection : queue_) connection->abandon();
    queue_.clear();
    for (StreamSocket* client : std::exchange(waiters_, {})) client->try_again();
}

}  // namespace gyre::sim
