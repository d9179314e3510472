// SPDX-License-Identifier: Apache-2.0
// SimPlatform: a platform without an operating system. Sockets and files are in memory, time is
// virtual and moves only when nothing can run, and the seed decides every order that a real system
// leaves open: between descriptors, never between the ops on one side of a descriptor.
//
//     sim::VirtualClock clock;
//     sim::SimPlatform platform(clock, {.seed = 7});
//     Executor executor;
//     Loop loop(platform, executor, {.offload = &platform.offload()});
//     executor.root().spawn([]() -> Future<void> { co_await sleep(std::chrono::hours(1)); });
//     static_cast<void>(loop.run());
//     loop.close();
//
// Thread: the loop's thread; only wake may be called from any thread.
// Lifetime: the platform outlives its loop, and the clock outlives the platform.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "gyre/io/environment.hpp"
#include "gyre/io/file_tree.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/io/sockets.hpp"
#include "gyre/kernel/offload.hpp"
#include "gyre/kernel/platform.hpp"
#include "gyre/sim/faults.hpp"
#include "gyre/sim/virtual_clock.hpp"

namespace gyre::sim {

class HostThread;
class InlineOffload;
class SimHost;
class World;

// Delays, losses and short transfers are drawn from the seed, within these limits.
struct SimOptions {
    std::uint64_t seed = 1;

    // Delays of bytes and connection requests between two sockets, of file ops, and of blocking
    // work.
    DurationRange latency = {std::chrono::microseconds(1), std::chrono::microseconds(100)};
    DurationRange file_delay = {std::chrono::microseconds(10), std::chrono::milliseconds(1)};
    DurationRange work_delay = {std::chrono::microseconds(1), std::chrono::microseconds(100)};

    // Capacity of a stream in each direction, in flight and unread bytes together. A send waits
    // when it is full.
    std::size_t stream_buffer_bytes = std::size_t{64} * 1024;
    // One in this many transfers moves fewer bytes than it could. 0: none.
    std::uint64_t short_transfer_one_in = 0;

    // How long bytes wait for a link that is cut before their sender gets ETIMEDOUT: the 15 retries
    // of Linux.
    Duration tcp_gives_up_after = std::chrono::seconds(924);

    // Receive buffer of an IP datagram socket; each datagram counts with an overhead. A datagram
    // that arrives when it is full is dropped. A Unix datagram socket queues a number of datagrams
    // instead, and a send waits when the queue is full.
    std::size_t datagram_buffer_bytes = std::size_t{208} * 1024;
    std::size_t unix_datagram_count_max = 10;
    // One in this many IP datagrams is lost, or arrives after later ones. 0: none.
    std::uint64_t datagram_loss_one_in = 0;
    std::uint64_t datagram_overtaken_one_in = 0;

    // Descriptors are below this number; 0, 1 and 2 are taken from the start.
    int descriptor_count_max = 1024;
    // How many unread change events a file watch queues; beyond that it reports that events were
    // lost.
    std::size_t change_count_max = 16384;
    // Size of the disk.
    std::uint64_t files_size_max_bytes = std::uint64_t{1} << 30u;
    // What Environment::memory_bytes tells; nothing enforces it.
    std::uint64_t memory_bytes = std::uint64_t{1} << 30u;
    // Blocking work that has not started; more is refused.
    std::size_t work_count_max = 65536;
};

class SimPlatform : public Platform, public Environment {
public:
    // Creates its own simulated computer, and advances the clock.
    explicit SimPlatform(VirtualClock& clock, const SimOptions& options = {});
    ~SimPlatform() override;

    [[nodiscard]] Instant wait(Instant deadline) noexcept override;
    void wake() noexcept override;
    [[nodiscard]] Instant now() noexcept override;
    [[nodiscard]] bool is_simulated() const noexcept override { return true; }
    [[nodiscard]] Environment* environment() noexcept override { return this; }
    [[nodiscard]] const char* name_of(OpCode code) const noexcept override {
        return gyre::name_of(io_code(code));
    }
    [[nodiscard]] Sockets& sockets() noexcept override;
    [[nodiscard]] FileTree* file_tree() noexcept override;
    [[nodiscard]] FileCalls* file_calls() noexcept override;
    [[nodiscard]] HostCalls* host_calls() noexcept override;
    [[nodiscard]] Children* children() noexcept override { return children_; }
    [[nodiscard]] std::uint64_t memory_bytes() override;

    // For LoopOptions::offload: blocking work runs on the loop's thread, after a simulated delay.
    [[nodiscard]] Offload& offload() noexcept;
    // Implements child processes; without it a process cannot be started. Outlives the loop.
    void set_children(Children* children) noexcept { children_ = children; }

    // Writes a file without a loop, and creates the directories on its path.
    void put_file(const std::string& path, std::string_view content);
    // The content of a file; empty if there is no file at the path.
    [[nodiscard]] std::optional<std::string> file_content(std::string_view path);
    // Delivers a signal to the process; ignored if no SignalOp waits for it.
    void raise(int signal_number);
    // Open descriptors, without 0, 1 and 2: for tests that look for leaks.
    [[nodiscard]] int descriptor_count() const noexcept;

    // Whether a wait would complete or notify an op now.
    [[nodiscard]] bool has_ready_io() const noexcept;
    // When it would, as far as is known now: later for a level-triggered op that stays ready.
    [[nodiscard]] Instant ready_io_at() const noexcept;

    // For gyre's own tests: the type is in gyre/sim/internal.
    [[nodiscard]] SimHost& host() noexcept { return host_; }

private:
    friend class World;
    friend class Host;
    friend class HostThread;
    class PendingOps;

    // For one of several platforms of a World, which advances the clock; of a program with a thread, or
    // null.
    explicit SimPlatform(SimHost& host, HostThread* thread = nullptr);

    void tick(Instant now) override;
    void on_close() override;
    void look_for_levels() noexcept;
    [[nodiscard]] bool has_input() noexcept;
    [[nodiscard]] Instant wait_for_turn(Instant deadline) noexcept;
    [[nodiscard]] bool take_wake() noexcept;
    // The host has crashed: forgets its ops, without completing them.
    void abandon() noexcept;

    std::unique_ptr<SimHost> own_host_;
    SimHost& host_;
    std::unique_ptr<InlineOffload> offload_;
    std::unique_ptr<PendingOps> pending_;
    HostThread* const thread_ = nullptr;
    Instant next_look_;               // for level-triggered ops
    World* closing_world_ = nullptr;  // set while a World closes the loop of this platform
    Children* children_ = nullptr;

    std::mutex wake_mutex_;
    bool is_woken_ = false;  // guarded by wake_mutex_: any thread may wake
};

}  // namespace gyre::sim
