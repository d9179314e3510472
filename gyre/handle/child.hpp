// SPDX-License-Identifier: Apache-2.0
// Child: tells the end of a child process, once. How it was started is not its business; it takes
// the child's end from the system, so nobody else may wait for that process.
#pragma once

#include "gyre/handle/handle.hpp"
#include "gyre/kernel/children.hpp"
#include "gyre/kernel/io_ops.hpp"

namespace gyre::handle {

class Child final : public Handle {
public:
    using OnEnd = Callback<Child&, Result<ChildEnd>>;

    // `children` outlives the handle.
    Child(PhasedLoop& loop, Children& children,
          const std::source_location& made_at = std::source_location::current()) noexcept
        : Handle(loop, made_at), children_(children), ended_(-1, Events::readable), close_(-1) {}

    [[nodiscard]] const char* kind() const noexcept override { return "child"; }

    // The error `device_or_resource_busy` when it watches one already, or the system's.
    Carried<Status> start(int pid, OnEnd on_end);

private:
    Status start_here(int pid, OnEnd on_end) noexcept;
    void on_done(Op& op) noexcept override;
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
