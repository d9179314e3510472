// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/transfers.hpp"

#include <algorithm>

namespace gyre::net {

// What was sent stays sent. The rest goes on from here, without waking the task, unless that was
// asked to end meanwhile.
void WriteAll::Await::on_complete(Op& op) noexcept {
    if (op.result() < 0) return IoAwait::on_complete(op);
    buffer = buffer.subspan(static_cast<std::size_t>(op.result()));
    if (rest_ != nullptr) *rest_ = buffer;
    if (buffer.empty()) return wake();
    is_recalled() ? wake_cancelled() : submit();
}

Result<void> WriteAll::Await::outcome() {
    const Result<std::int32_t> result = take_result();
    if (!result) return std::unexpected(result.error());
    return {};
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
    pieces = rest_;
}

void WritePieces::Await::on_complete(Op& op) noexcept {
    if (op.result() < 0) return IoAwait::on_complete(op);
    advance(static_cast<std::size_t>(op.result()));
    if (rest_.empty()) return wake();
    is_recalled() ? wake_cancelled() : submit();
}

Result<void> WritePieces::Await::outcome() {
    const Result<std::int32_t> result = take_result();
    if (!result) return std::unexpected(result.error());
    return {};
}

// Nothing went: the file has ended, or it failed.
void SendFile::Await::on_complete(Op& op) noexcept {
    if (op.result() <= 0) return IoAwait::on_complete(op);
    const auto went = static_cast<std::size_t>(op.result());
    const std::size_t first = std::min(went, before.size());
    before = before.subspan(first);
    *before_ = before;
    part_->advance(went - first);
    offset = part_->offset;
    size_bytes -= went - first;
    if (is_all_sent()) return wake();
    is_recalled() ? wake_cancelled() : submit();
}

Result<void> SendFile::Await::outcome() {
    const Result<std::int32_t> result = take_result();
    if (!result) return std::unexpected(result.error());
    return {};
}

}  // namespace gyre::net
