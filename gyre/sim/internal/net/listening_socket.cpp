// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/net/listening_socket.hpp"

#include <algorithm>
#include <utility>

namespace gyre::sim {

ListeningSocket::~ListeningSocket() {
    network_.forget(*this);
}

Result<void> ListeningSocket::end_listening() {
    if (is_unix()) return std::unexpected(Error(std::errc::operation_not_supported));
    has_ended_ = true;
    return {};
}

bool ListeningSocket::is_full() const noexcept {
    if (has_ended_) return true;
    return queue_.size() > static_cast<std::size_t>(std::max(options_.backlog, 0));
}

void ListeningSocket::enqueue(std::unique_ptr<StreamSocket> connection) {
    queue_.push_back(std::move(connection));
    network_.context().descriptors.changed(*this);
}

MaybeResult ListeningSocket::accept(Address& peer) {
    if (queue_.empty()) return std::nullopt;
    Descriptors& descriptors = network_.context().descriptors;
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

MaybeResult ListeningSocket::connect(const Address& /*to*/) {
    return failure(is_unix() ? std::errc::invalid_argument : std::errc::already_connected);
}

MaybeResult ListeningSocket::receive(Bytes /*into*/) {
    return failure(is_unix() ? std::errc::invalid_argument : std::errc::not_connected);
}

MaybeResult ListeningSocket::send(ConstBytes /*from*/) {
    return failure(is_unix() ? std::errc::not_connected : std::errc::broken_pipe);
}

void ListeningSocket::on_close() {
    network_.forget(*this);
    for (const auto& connection : queue_) connection->abandon();
    queue_.clear();
    for (StreamSocket* client : std::exchange(waiters_, {})) client->try_again();
}

}  // namespace gyre::sim
