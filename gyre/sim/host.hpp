// SPDX-License-Identifier: Apache-2.0
// Host: one machine of a World, with an address, a disk, descriptors, loops and memory of its own. Its
// program is started, stopped, killed or crashed, and started again on the disk that is left.
//
//     sim::Host& host = world.add_host({.name = "a"}, program);
//     host.start();
//     host.crash();  // nothing of the program runs any more, and what was not synced may be lost
//     host.start();
//
// Thread: that of the world; not from the code of a host: use World::at.
// Lifetime: part of a World.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/io/address.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/sim/host_memory.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/sim/wall_clock.hpp"

namespace gyre::sim {

class Host;
class HostThread;
class Network;
class World;
struct SharedSim;

struct HostOptions {
    std::string name;
    std::uint32_t loop_count = 1;
    // Of the machine. Its seed is not used: the world's is.
    SimOptions limits = {};
    Observer* observer = nullptr;
};

// What a host runs. The first two functions run in the host's memory, each time it starts, once a loop.
struct HostProgram {
    std::function<std::unique_ptr<Machine>(Host&)> make_app = nullptr;
    // The loop exists and has not turned yet: submit the first ops here.
    std::function<void(Host&, Loop&, Machine& app)> on_started = nullptr;
    // In their place: a function that makes its own loops, as the main function of a process does, with
    // Host::make_platform or a gyre::Program, and returns its exit code. It runs on a thread of its own,
    // in turns with the others, and in the memory of the process, which keeps what a killed one had.
    std::function<int(Host&)> main = nullptr;
};

// What the program of a host that was stopped did not give back.
struct HostRemains {
    int descriptor_count = 0;
    // 0 without gyre/testing/host_new.hpp.
    std::size_t allocation_count = 0;
};

class Host {
public:
    Host(World& world, SharedSim& shared, std::uint32_t number, HostOptions options,
         HostProgram program);
    ~Host();
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    [[nodiscard]] const std::string& name() const noexcept { return options_.name; }
    [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
    // The host whose code runs on this thread; null: none.
    [[nodiscard]] static Host* current() noexcept { return current_; }
    // 10.0.0.1 for the first host, and so on.
    [[nodiscard]] Address address(std::uint16_t port = 0) const noexcept;
    [[nodiscard]] World& world() noexcept { return world_; }

    void start();
    // Its loops close, as at the end of a program: tasks are cancelled and clean up. A program that is a
    // `main` is killed.
    HostRemains stop();
    // The process ends without clean-up: its system closes its sockets, and keeps what it wrote.
    void kill();
    // The machine ends: its peers see silence, and what was not synced may be lost.
    void crash();
    // The same in the middle of what it writes: so many more changes of its disk (writes, syncs, names)
    // have an effect; those behind them fail (EIO), until the machine ends before the next turn of a
    // loop.
    void crash_after_changes(std::uint64_t count) noexcept;
    // All the same, and starts again.
    void restart() {
        kill();
        start();
    }
    [[nodiscard]] bool is_running() const noexcept;
    // Of a `main` that has returned.
    [[nodiscard]] std::optional<int> exit_code() const noexcept;
    // How often it was started.
    [[nodiscard]] std::uint32_t start_count() const noexcept { return start_count_; }

    // For a `main`, on its thread: the platform of one of its loops.
    [[nodiscard]] std::unique_ptr<SimPlatform> make_platform();
    [[nodiscard]] VirtualClock& clock() noexcept;

    // ---- Faults ----

    [[nodiscard]] DiskFaults& disk() noexcept;
    [[nodiscard]] SystemFaults& system() noexcept;
    [[nodiscard]] WallClock& wall_clock() noexcept { return wall_clock_; }
    [[nodiscard]] HostMemory& memory() noexcept { return memory_; }
    void set_descriptor_count_max(int count_max);
    // The limit that it was made with.
    [[nodiscard]] int descriptor_limit() const noexcept {
        return options_.limits.descriptor_count_max;
    }
    // The loops of the host do not turn until then: the process has lost its core.
    void pause_until(Instant when) noexcept { paused_until_ = when; }
    // One bit of a file's content that is safe on the disk changes. False if the file has none.
    bool rot(std::string_view path);

    // ---- For tests and checkers ----

    // Writes a file, safely, and creates the directories on its path.
    void put_file(const std::string& path, std::string_view content);
    [[nodiscard]] std::optional<std::string> file_content(std::string_view path);
    [[nodiscard]] int descriptor_count() const noexcept;
    // Whether one of its sockets listens, or receives datagrams from everyone: it serves others.
    [[nodiscard]] bool is_server() const noexcept;
    // What the loop of a `main` waits for.
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] std::size_t loop_count() const noexcept { return nodes_.size(); }
    [[nodiscard]] Loop& loop(std::size_t index = 0) noexcept;
    // What make_app made for this loop.
    [[nodiscard]] Machine& app(std::size_t index = 0) noexcept;

private:
    friend class World;
    friend class HostThread;
    struct Node;
    struct Turn;

    void abandon() noexcept;
    // All changes of crash_after_changes were made.
    [[nodiscard]] bool has_lost_disk() const noexcept;
    [[nodiscard]] Network& network() noexcept;

    static constinit thread_local Host* current_;

    World& world_;
    const std::uint32_t number_;
    const HostOptions options_;
    const HostProgram program_;
    HostMemory memory_;
    const std::unique_ptr<SimHost> machine_;
    std::vector<Node*> nodes_;      // in the host's memory; empty while it is down
    Peers* peers_ = nullptr;        // in the host's memory
    HostThread* thread_ = nullptr;  // of a `main`
    WallClock wall_clock_;
    Instant paused_until_;
    std::uint32_t start_count_ = 0;
};

}  // namespace gyre::sim
