// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/detail/socket.hpp"

#include <algorithm>
#include <system_error>

namespace gyre::net {

void throw_error(Error error, const std::string& doing) {
    throw std::system_error(std::make_error_code(error.code()), doing);
}

// After a partial send the op is submitted again for the rest, without waking the task, unless the
// task was cancelled meanwhile.
void WriteAll::Await::on_complete(Op& op) noexcept {
    if (op.result() < 0) return IoAwait::on_complete(op);
    GYRE_ASSERT(static_cast<std::size_t>(op.result()) <= buffer.size(),
                "a platform sent %d bytes of %zu: complete a send with at most its size",
                op.result(), buffer.size());
    buffer = buffer.subspan(static_cast<std::size_t>(op.result()));
    if (rest_ != nullptr) *rest_ = buffer;
    if (buffer.empty()) return wake();
    is_cancel_due() ? wake_cancelled() : submit();
}

Result<void> WriteAll::Await::outcome() {
    return take_void_result();
}

void WritePieces::Await::advance(std::size_t size) noexcept {
    while (!rest_.empty()) {
        ConstBytes& first = rest_.front();
        const std::size_t taken = std::min(size, first.size());
        first = first.subspan(taken);
        size -= taken;
        if (!first.empty()) break;
        rest_ = rest_.subspan(1);
    }
    GYRE_ASSERT(size == 0, "a platform sent %zu bytes more than a gathered send has", size);
    pieces = rest_;
}

void WritePieces::Await::on_complete(Op& op) noexcept {
    if (op.result() < 0) return IoAwait::on_complete(op);
    advance(static_cast<std::size_t>(op.result()));
    if (rest_.empty()) return wake();
    is_cancel_due() ? wake_cancelled() : submit();
}

Result<void> WritePieces::Await::outcome() {
    return take_void_result();
}

// A result of 0 is the end of the file.
void SendFile::Await::on_complete(Op& op) noexcept {
    if (op.result() <= 0) return IoAwait::on_complete(op);
    const auto sent = static_cast<std::size_t>(op.result());
    const std::size_t first = std::min(sent, before.size());
    GYRE_ASSERT(sent - first <= size_bytes, "a platform sent %zu bytes of a file slice of %llu",
                sent - first, static_cast<unsigned long long>(size_bytes));
    before = before.subspan(first);
    *before_ = before;
    part_->advance(sent - first);
    offset = part_->offset;
    size_bytes -= sent - first;
    if (is_all_sent()) return wake();
    is_cancel_due() ? wake_cancelled() : submit();
}

Result<void> SendFile::Await::outcome() {
    return take_void_result();
}

}  // namespace gyre::net
