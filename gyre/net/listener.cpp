// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/listener.hpp"

namespace gyre::net {

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

}  // namespace gyre::net
