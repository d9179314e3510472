// SPDX-License-Identifier: Apache-2.0
// Child: calls back once when a child process has ended, after what streams of the loop could read
// before. The process may be started in any way. The handle reaps it (waitid), so nobody else may
// wait for that process.
//
//     Child child(loop, children);
//     child.start(pid, [](Child& ended, Result<ChildEnd> end) {
//         report(end);
//         ended.close();
//     });
//
// Thread: any for `start`, else the loop's own.
// Lifetime: as Handle; the Children outlive it.
#pragma once

#include "gyre/handle/handle.hpp"
#include "gyre/io/children.hpp"
#include "gyre/io/io_ops.hpp"

namespace gyre::handle {

class Child final : public Handle, private LateReport {
public:
    using Handle::is_linked;
    using Handle::unlink;
    using OnEnd = Callback<Child&, Result<ChildEnd>>;

    // `children` outlives the handle.
    Child(PhasedLoop& loop, Children& children,
          const std::source_location& made_at = std::source_location::current()) noexcept
        : Handle(loop, made_at), children_(children), ended_(-1, Events::readable), close_(-1) {}

    [[nodiscard]] const char* kind() const noexcept override { return "child"; }

    // The error `device_or_resource_busy` when it watches a process, or the system's.
    CallResult<Status> start(int pid, OnEnd on_end);
    // Starts a process, and calls back when it has ended. Blocks until the program has been called:
    // its error is the result. The pipes of the result belong to the caller.
    CallResult<Result<SpawnedChild>> spawn(const SpawnPlan& plan, OnEnd on_end);
    [[nodiscard]] int pid() const noexcept { return pid_; }
    // The error `no_such_process` when it watches none, or the process has ended.
    CallResult<Status> kill(int signal_number);

private:
    Result<SpawnedChild> spawn_here(const SpawnPlan& plan, OnEnd on_end);
    void watch(int pid, Fd process, OnEnd on_end) noexcept;
    Status start_here(int pid, OnEnd on_end) noexcept;
    void on_done(Op& op) noexcept override;
    void report() noexcept override;
    void on_close() noexcept override;
    void close_fd() noexcept;
    [[nodiscard]] bool may_finish() const noexcept override {
        return !ended_.is_in_flight() && !close_.is_in_flight();
    }

    Children& children_;
    int pid_ = 0;
    Fd fd_ = -1;
    PollOp ended_;
    CloseOp close_;
};

}  // namespace gyre::handle
