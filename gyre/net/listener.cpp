// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/listener.hpp"

#include <algorithm>
#include <chrono>

#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre::net {
namespace {

// Between two tries for a port.
constexpr Duration port_retry = std::chrono::milliseconds(20);

}  // namespace

// Takes ownership of the descriptor here: the task may be destroyed before it resumes.
void Accept::Await::on_complete(Op& op) noexcept {
    if (op.result() >= 0) accepted_ = Connection(sockets_, op.result());
    IoAwait::on_complete(op);
}

Result<Connection> Accept::Await::outcome() {
    const Result<std::int32_t> result = take_result();
    if (!result) return std::unexpected(result.error());
    return std::move(accepted_);
}

Result<void> Listener::end_listening() const {
    GYRE_ASSERT(is_open(), "end_listening of a listener that is closed: call it before close()");
    return sockets_->end_listening(fd_);
}

Result<Listener> Listen::Await::outcome() {
    const Result<Fd> made = sockets_.listen(at_, options_);
    if (!made) return std::unexpected(made.error());
    return Listener(sockets_, *made);
}

Future<Listener> listen_within(Duration limit, Address at, ListenOptions options) {
    const Task& task = co_await this_task();
    const Instant end = task.executor().now() + limit;
    while (task.executor().now() < end) {
        auto made = co_await try_(listen(at, options));
        if (made) co_return std::move(*made);
        if (made.error() != Error(std::errc::address_in_use)) break;
        co_await sleep_until(std::min(end, task.executor().now() + port_retry));
    }
    co_return co_await listen(at, options);
}

}  // namespace gyre::net
