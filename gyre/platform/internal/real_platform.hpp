// SPDX-License-Identifier: Apache-2.0
// RealPlatform: the part shared by the platforms of a real system, independent of how descriptors
// are polled: the clock, the eventfd that ends a wait, signals, level-triggered ops, and ops that
// must be retried later. Belongs to one loop's thread, except wake(); outlives the loop.
//
// A descriptor with ops to be retried in the next tick is `unfinished`. A descriptor whose ops
// failed because the process is out of descriptors or memory is `starved`: they are retried after a
// delay, or after the next close.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "gyre/io/environment.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/kernel/platform.hpp"
#include "gyre/platform/internal/descriptor_table.hpp"
#include "gyre/platform/internal/level_watch.hpp"
#include "gyre/platform/internal/signals.hpp"
#include "gyre/platform/internal/system/datagram_calls.hpp"
#include "gyre/platform/internal/system/io_limits.hpp"
#include "gyre/platform/internal/system/own_fd.hpp"
#include "gyre/platform/internal/system/socket_calls.hpp"
#include "gyre/platform/internal/system/system_children.hpp"
#include "gyre/platform/internal/system/system_file_calls.hpp"
#include "gyre/platform/internal/system/system_file_tree.hpp"
#include "gyre/platform/internal/system/system_host_calls.hpp"
#include "gyre/platform/internal/wait_mask.hpp"
#include "gyre/platform/internal/watchdog.hpp"
#include "gyre/platform/process.hpp"

namespace gyre::platform {

class RealPlatform : public Platform, public Environment, protected LevelWatch::Handler {
public:
    void wake() noexcept final;
    [[nodiscard]] Instant now() noexcept final { return clock_.now(); }
    [[nodiscard]] Environment* environment() noexcept final { return this; }
    [[nodiscard]] const char* name_of(OpCode code) const noexcept final {
        return gyre::name_of(io_code(code));
    }
    [[nodiscard]] Sockets& sockets() noexcept final { return sockets_; }
    [[nodiscard]] FileTree* file_tree() noexcept final { return &file_tree_; }
    [[nodiscard]] FileCalls* file_calls() noexcept final { return &file_calls_; }
    [[nodiscard]] HostCalls* host_calls() noexcept final { return &host_calls_; }
    [[nodiscard]] Children* children() noexcept final { return &children_; }
    [[nodiscard]] std::uint64_t memory_bytes() final { return usable_memory_bytes(); }
    [[nodiscard]] Result<void> block_in_wait(int signal_number) noexcept final;
    [[nodiscard]] Result<void> renew_after_fork() noexcept final;
    void watch_for_blocking(const Watched* who, Duration after) final {
        watchdog_ = who == nullptr ? nullptr : std::make_unique<Watchdog>(*who, after);
    }

protected:
    RealPlatform(const char* name, Clock& clock);
    ~RealPlatform() override = default;

    // ---- Implemented by each platform ----

    [[nodiscard]] virtual bool is_own(Fd fd) const noexcept = 0;
    // Completes the op and removes it from the platform's lists.
    virtual void finish(Hold& hold, std::int32_t result) noexcept = 0;
    // The descriptor of this number is closed, or about to be, or the number was reused: completes
    // the ops on it.
    virtual void forget(Fd fd) noexcept = 0;
    // Whether threads of the Offload use the descriptor: the last of them to finish closes it.
    [[nodiscard]] virtual bool must_close_later(Fd fd) noexcept = 0;
    // Right before the descriptor is closed, after its ops were cancelled.
    virtual void on_closing_now() noexcept {}
    // The part of renew_after_fork that concerns the descriptors and ops. Result: 0 or an error.
    [[nodiscard]] virtual std::int32_t renew_system() noexcept = 0;
    // Retries the ops of an unfinished descriptor.
    virtual void resume(WatchedDescriptor& descriptor) noexcept = 0;

    // ---- Shared ----

    // Asserts that a loop made before a fork() is not turned in the child.
    void check_process() const noexcept;
    [[nodiscard]] std::int32_t wake_fd_status() const noexcept { return wake_fd_.status(); }

    void serve_signal(SignalOp& op) noexcept;
    void finish_signal(SignalOp& op, std::int32_t result) noexcept;
    void finish_signals() noexcept;
    void deliver_signals() noexcept {
        if (signals_.is_in_use()) deliver_arrived_signals();
    }

    void resume_later(WatchedDescriptor& descriptor) noexcept;
    void resume_unfinished() noexcept;
    void starve(WatchedDescriptor& descriptor, const Hold& hold) noexcept;
    void release_starved() noexcept;
    // Called with the result of an op that transfers something, before it completes.
    void note_done(Op& op, std::int32_t result) noexcept;

    void on_level_ready(ReadinessOp& op) noexcept override { notify(op); }
    void on_level_failed(ReadinessOp& op, std::int32_t error) noexcept override {
        finish(op, error);
    }

    // The timeout of a wait. Reads the clock only if there is a deadline.
    [[nodiscard]] Duration time_until(Instant until) const noexcept {
        if (until == Instant::never()) return no_timeout;
        return std::max(Duration(0), until - clock_.now());
    }
    static constexpr Duration no_timeout = Duration::max();

    Clock& clock_;
    std::unique_ptr<Watchdog> watchdog_;
    const OwnFd wake_fd_;
    SignalReceiver signals_;
    LevelWatch levels_;
    WaitMask wait_mask_;
    Instant retry_at_ = Instant::never();
    Instant last_now_;

private:
    class OwnSockets final : public SystemSockets {
    public:
        explicit OwnSockets(RealPlatform& platform) noexcept : platform_(platform) {}
        void close_now(Fd fd) noexcept override;

    private:
        void forget(Fd fd) noexcept override { platform_.forget(fd); }
        RealPlatform& platform_;
    };

    void deliver_arrived_signals() noexcept;

    std::uint32_t process_generation_;
    OwnSockets sockets_;
    SystemFileTree file_tree_;
    SystemFileCalls file_calls_;
    SystemHostCalls host_calls_;
    SystemChildren children_;
    HoldQueue signal_ops_;
    Queue<WatchedDescriptor, UnfinishedLinks> unfinished_;
    Queue<WatchedDescriptor, StarvedLinks> starved_;
    Duration retry_delay_;
    bool lacks_descriptors_ = false;
};

// Resources are free again, so the next op that lacks them waits the shortest time; and descriptors
// that the op brought may have the numbers of closed ones.
inline void RealPlatform::note_done(Op& op, std::int32_t result) noexcept {
    switch (io_code(op)) {
        case IoCode::accept:
            if (result < 0) return;
            lacks_descriptors_ = false;
            retry_delay_ = retry_delay_min;
            return forget(result);
        case IoCode::send_to:
            if (waits_unseen(static_cast<SendToOp&>(op))) retry_delay_ = retry_delay_min;
            return;
        case IoCode::receive_passed: {
            const auto& receive = static_cast<ReceivePassedOp&>(op);
            for (const Fd fd : receive.room.first(receive.passed_count)) forget(fd);
            return;
        }
        default:
            return;
    }
}

}  // namespace gyre::platform
