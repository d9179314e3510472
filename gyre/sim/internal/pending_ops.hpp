// SPDX-License-Identifier: Apache-2.0
// PendingOps: the ops that a SimPlatform holds, by their descriptor. An op waits here until its
// descriptor changes (sockets, watches) or until its delay is over (files). One thread, the loop's;
// part of the SimPlatform.
//
//   pending_ops.cpp          starting, cancelling, closing
//   pending_ops_sockets.cpp  ops that wait for a descriptor to become ready
//   pending_ops_files.cpp    ops that complete after a delay
#pragma once

#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "gyre/io/io_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/sim/internal/sim_host.hpp"
#include "gyre/sim/platform.hpp"

namespace gyre::sim {

class SimPlatform::PendingOps final : private DescriptorObserver {
public:
    PendingOps(SimPlatform& platform, SimHost& host);
    ~PendingOps();
    PendingOps(const PendingOps&) = delete;
    PendingOps& operator=(const PendingOps&) = delete;

    void start(Op& op) noexcept;
    void cancel(Op& op) noexcept;
    // Cancels every op.
    void close() noexcept;
    // The host has crashed: forgets every op. Its memory is still there.
    void abandon() noexcept;

    // Serves the touched descriptors and runs the due events until none is left. It terminates
    // because no op is started meanwhile.
    void deliver() noexcept;
    // Once a wait: level-triggered ops whose descriptor is still ready are notified again.
    void notify_levels() noexcept;
    [[nodiscard]] bool has_levels() const noexcept { return !levels_.empty(); }
    [[nodiscard]] bool has_touched() const noexcept { return !touched_.empty(); }
    [[nodiscard]] bool has_ready() const noexcept { return has_touched() || has_levels(); }

private:
    // The end of a file op's delay.
    class Delay;

    // The ops of one descriptor.
    struct Waiting {
        HoldQueue new_watchers;  // poll and readiness ops that have not seen the events yet
        HoldQueue watchers;
        HoldQueue readers;
        HoldQueue writers;           // sends and connects
        HoldQueue delayed;           // file ops
        Hold* connecting = nullptr;  // the first writer, once its connect has started
        Hold* closing = nullptr;
        Instant last_read_at;
        Instant last_write_at;
        bool is_touched = false;
        bool is_changed = false;
    };

    void start_io(Op& op, Hold& hold) noexcept;
    // Completes the op, which must not be used afterwards.
    void finish(Hold& hold, std::int32_t result) noexcept;
    void cancel_all(Waiting& waiting) noexcept;
    void cancel_all(HoldQueue& queue) noexcept;
    // The descriptor is served in the next deliver.
    void touch(Fd fd) noexcept;

    void serve(Fd fd) noexcept;
    void serve_watchers(Waiting& waiting, Events events) noexcept;
    // These return true when the op is completed.
    [[nodiscard]] bool show(Hold& watcher, Events events) noexcept;
    [[nodiscard]] bool serve_reader(Hold& hold, Descriptor& descriptor) noexcept;
    [[nodiscard]] bool serve_writer(Waiting& waiting, Hold& hold, Descriptor& descriptor) noexcept;
    [[nodiscard]] bool serve_ring(ReceiveRingOp& op, Descriptor& descriptor) noexcept;
    // True when the descriptor is ready for a level-triggered op, which is notified.
    [[nodiscard]] bool show_level(ReadinessOp& op, Events events) noexcept;

    void delay(Hold& hold, Instant* not_before) noexcept;
    void run_delayed(Hold& hold) noexcept;

    void on_changed(Fd fd) override;
    void on_closed(Fd fd) override;
    void on_room() override;
    void on_signal(int number) override;

    SimPlatform& platform_;
    SimHost& host_;
    SimContext& context_;

    std::map<Fd, Waiting> waiting_;
    std::vector<Fd> touched_;
    std::set<Fd> starved_;  // listeners whose accepts wait for a free descriptor
    HoldQueue opening_;
    HoldQueue signals_;
    Queue<ReadinessOp, LookLinks> levels_;  // level-triggered ops that were ready when last polled
    // Only for lookup, never iterated: the order of addresses must have no effect.
    std::unordered_map<const Hold*, std::unique_ptr<Delay>> delays_;
};

// Destroyed when the op is completed or cancelled.
class SimPlatform::PendingOps::Delay final : public TimelineEvent {
public:
    Delay(PendingOps& ops, Hold& hold) noexcept
        : TimelineEvent(ops.context_.timeline), ops_(ops), hold_(hold) {}

private:
    void fire() noexcept override { ops_.run_delayed(hold_); }

    PendingOps& ops_;
    Hold& hold_;
};

}  // namespace gyre::sim
