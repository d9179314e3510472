// SPDX-License-Identifier: Apache-2.0
// Offload: runs blocking work away from the loop's thread. gyre/pool implements it.
//
//     pool::Pools pools;
//     Loop loop(platform, app, {.offload = &pools});
//
// Thread: the loop calls it; the work runs on a thread of the implementation and comes back through
// the loop's inbox.
// Lifetime: outlives the loops that use it.
#pragma once

#include <cstdint>

#include "gyre/kernel/op.hpp"

namespace gyre {

class Loop;

class Offload {
public:
    // Runs on a foreign thread; what it returns becomes the op's result.
    using Work = std::int32_t (*)(Op& op) noexcept;

    virtual ~Offload() = default;

    // False when its queue is full. Otherwise the op comes home by `home.post_offloaded(op,
    // result)`.
    [[nodiscard]] virtual bool start(Op& op, Work work, Loop& home) noexcept = 0;

    // True when the work had not begun: it never will, and the op is the loop's again at once.
    [[nodiscard]] virtual bool withdraw(Op& op) noexcept = 0;
};

// What work is about: an Offload may keep the kinds apart, so that one does not delay another.
enum class WorkKind : std::uint8_t { user, files, names, compute };

// Blocking work as an op: `work` runs on another thread, its return value is the result.
class WorkOp : public Request {
public:
    using Function = std::int32_t (*)(WorkOp& op) noexcept;
    explicit WorkOp(Function function, WorkKind of_kind = WorkKind::user) noexcept
        : Request(OpCode::work), work(function), kind(of_kind) {}

    Function work;
    WorkKind kind;  // does not change while the op is in flight
};

}  // namespace gyre
