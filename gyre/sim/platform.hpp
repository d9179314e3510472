// SPDX-License-Identifier: Apache-2.0
// SimPlatform: a platform without an outside. Sockets and files are in memory, time is virtual and
// moves only when nothing can run, and the seed decides every order that the real world leaves
// open: between descriptors, never within one side of one. Like any platform it belongs to one loop
// and its thread, and outlives the loop.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "gyre/kernel/io_ops.hpp"
#include "gyre/kernel/platform.hpp"
#include "gyre/sim/host.hpp"
#include "gyre/sim/inline_offload.hpp"

namespace gyre::sim {

// Who moves the time for platforms that share a host.
class Mover {
public:
    // Lets something happen elsewhere, for a platform that has nothing to do. False: nothing can.
    virtual bool move_on() noexcept = 0;

protected:
    ~Mover() = default;
};

class SimPlatform : public Platform, private Watcher {
public:
    // A computer of its own, whose clock it moves.
    explicit SimPlatform(VirtualClock& clock, const SimOptions& options = {});
    // One of several on a host: it never moves the clock. Its wait asks the mover, if it has one.
    explicit SimPlatform(Host& host);
    ~SimPlatform() override;

    [[nodiscard]] Instant wait(Instant deadline) noexcept override;
    void wake() noexcept override;
    [[nodiscard]] Instant now() noexcept override { return medium_.now(); }
    [[nodiscard]] bool is_simulated() const noexcept override { return true; }
    [[nodiscard]] Sockets& sockets() noexcept override { return host_.network(); }
    [[nodiscard]] FileTree* file_tree() noexcept override { return &host_.file_tree(); }
    [[nodiscard]] Children* children() noexcept override { return children_; }

    // For LoopOptions::offload.
    [[nodiscard]] Offload& offload() noexcept { return offload_; }
    [[nodiscard]] Host& host() noexcept { return host_; }
    // The process gets a signal; without a SignalOp for it nothing happens.
    void raise(int signal_number) { medium_.descriptors.raise(signal_number); }

    // Whether a wait would find something now; what its loop has to do is not counted.
    [[nodiscard]] bool has_ready_io() const noexcept {
        return !touched_.empty() || !levels_.empty();
    }
    // Who plays the processes that programs start; without one there are none. Outlives the loop.
    void set_children(Children* children) noexcept { children_ = children; }
    void set_mover(Mover* mover) noexcept { mover_ = mover; }

private:
    class Delayed;

    // The ops that wait for one descriptor.
    struct Waiting {
        HoldQueue new_watchers;  // poll and readiness ops that have not seen anything yet
        HoldQueue watchers;
        HoldQueue readers;
        HoldQueue writers;           // sends and connect
        HoldQueue delayed;           // file ops
        Hold* connecting = nullptr;  // the first writer, when it has begun to connect
        Hold* closing = nullptr;
        Instant last_read_at;
        Instant last_write_at;
        bool is_touched = false;
        bool is_changed = false;
    };

    // platform.cpp: the machine.
    void tick(Instant now) override;
    void on_close() override;
    [[nodiscard]] bool take_wake() noexcept;
    void deliver() noexcept;
    void take(Op& op) noexcept;
    void take_io(Op& op, Hold& hold) noexcept;
    void cancel_held(Op& op) noexcept;
    void finish(Hold& hold, std::int32_t result) noexcept;

    // serving.cpp and serving_files.cpp: what becomes of the ops of one descriptor.
    void touch(Fd fd) noexcept;
    void serve(Fd fd) noexcept;
    void serve_watchers(Waiting& waiting, Events events) noexcept;
    [[nodiscard]] bool show(Hold& watcher, Events events) noexcept;
    [[nodiscard]] bool show_level(ReadinessOp& op, Events events) noexcept;
    void look_at_levels() noexcept;
    [[nodiscard]] bool serve_reader(Hold& hold, Descriptor& descriptor) noexcept;
    [[nodiscard]] bool serve_writer(Waiting& waiting, Hold& hold, Descriptor& descriptor) noexcept;
    [[nodiscard]] bool serve_ring(ReceiveRingOp& op, Descriptor& descriptor) noexcept;
    void delay(Hold& hold, Instant* not_before) noexcept;
    void run_delayed(Hold& hold) noexcept;
    void cancel_all(Waiting& waiting) noexcept;
    void cancel_all(HoldQueue& queue) noexcept;

    // As the watcher of the descriptors.
    void on_changed(Fd fd) override;
    void on_closed(Fd fd) override;
    void on_room() override;
    void on_signal(int number) override;

    std::unique_ptr<Host> own_host_;
    Host& host_;
    Medium& medium_;
    InlineOffload offload_;
    Mover* mover_ = nullptr;
    Children* children_ = nullptr;

    std::map<Fd, Waiting> waiting_;
    std::vector<Fd> touched_;
    std::set<Fd> starved_;  // listeners whose accepts wait for a free descriptor
    HoldQueue opening_;
    HoldQueue signals_;
    Queue<ReadinessOp, LookLinks> levels_;  // those that were ready when last seen
    // Only looked up, never walked: the order of addresses decides nothing.
    std::unordered_map<const Hold*, std::unique_ptr<Delayed>> delayed_;

    // The one thing that any thread may touch, so the one thing that is locked.
    std::mutex wake_mutex_;
    bool is_woken_ = false;
};

}  // namespace gyre::sim
