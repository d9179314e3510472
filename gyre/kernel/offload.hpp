// SPDX-License-Identifier: Apache-2.0
// Offload: runs blocking work away from the loop's thread. gyre/pool implements it.
//
//     pool::Pools pools;
//     Loop loop(platform, app, {.offload = &pools});
//
// Thread: called on the loop's thread; the work runs on a thread of the implementation, and its
// completion is posted to the loop's inbox.
// Lifetime: outlives the loops that use it.
#pragma once

#include <cstdint>

#include "gyre/kernel/op.hpp"

namespace gyre {

class Loop;

class Offload {
public:
    // Runs on a thread of the Offload; its return value becomes the op's result.
    using Work = std::int32_t (*)(Op& op) noexcept;

    virtual ~Offload() = default;

    // False if the queue is full. Otherwise the thread that ran the work calls
    // `home.post_offloaded(op, result)`.
    [[nodiscard]] virtual bool start(Op& op, Work work, Loop& home) noexcept = 0;

    // In the child of a fork(), which has none of the threads: makes the Offload usable again, once
    // in each child. Work that was queued or running does not come back.
    virtual void renew_after_fork() {}

    // True if the work had not begun: it never will, and the op belongs to the loop again at once.
    [[nodiscard]] virtual bool withdraw(Op& op) noexcept = 0;
};

// The class of blocking work: an Offload may give each kind its own threads, so that one kind does
// not delay another.
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
