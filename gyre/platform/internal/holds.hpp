// SPDX-License-Identifier: Apache-2.0
// Conversions between an op and its Hold, by which a platform holds it. Only the loop's thread.
#pragma once

#include "gyre/base/result.hpp"
#include "gyre/io/io_ops.hpp"

namespace gyre::platform {

inline constexpr std::int32_t cancelled = failure(std::errc::operation_canceled);

inline Link<HoldLinks>& links_of(Hold& hold) noexcept {
    return hold;
}
inline Hold& hold_of(Op& op) noexcept {
    if (op.is_standing()) return static_cast<StandingIoOp&>(op);
    return static_cast<IoOp&>(op);
}
inline bool is_level(const Hold& hold) noexcept {
    return hold.op().code() == IoCode::readiness &&
           static_cast<const ReadinessOp&>(hold.op()).is_level();
}

}  // namespace gyre::platform
