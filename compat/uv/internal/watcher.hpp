// SPDX-License-Identifier: Apache-2.0
// Watcher: the handle of gyre behind a stream, a datagram socket or the watch of folders. It keeps
// one edge-triggered readiness op on the descriptor, as long as that is open, so that starting and
// stopping to read costs nothing; its owner remembers what is ready. The loop's thread.
#pragma once

#include "compat/uv/internal/loop_state.hpp"
#include "gyre/io/io_ops.hpp"

namespace gyre::uv {

class Watcher final : public handle::Handle {
public:
    class Owner {
    public:
        virtual void on_events(Events events) noexcept = 0;
        // The descriptor cannot be watched.
        virtual void on_watch_failed(int error) noexcept = 0;

    protected:
        ~Owner() = default;
    };

    Watcher(LoopState& loop, Owner& owner) noexcept
        : Handle(loop.phased, std::source_location::current()),
          owner_(owner),
          op_(-1, Events::none) {}
    ~Watcher() = default;
    [[nodiscard]] const char* kind() const noexcept override { return "uv stream"; }

    // Reports all edges of the descriptor from now on, and what it is ready for already.
    void watch(int fd) noexcept;
    [[nodiscard]] bool is_watching() const noexcept { return op_.is_in_flight(); }
    [[nodiscard]] bool has_descriptor() const noexcept { return fd_ >= 0; }
    // Before the descriptor is closed.
    void unwatch() noexcept;
    void set_active(bool value) noexcept {
        if (value) {
            activate();
        } else {
            deactivate();
        }
    }

private:
    void arm() noexcept;
    void on_rung(StandingOp& op) noexcept override;
    void on_done(Op& op) noexcept override;
    void on_close() noexcept override { unwatch(); }
    [[nodiscard]] bool may_finish() const noexcept override { return !op_.is_in_flight(); }

    Owner& owner_;
    int fd_ = -1;
    ReadinessOp op_;
};

}  // namespace gyre::uv
