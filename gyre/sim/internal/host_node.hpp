// SPDX-License-Identifier: Apache-2.0
// Host::Node: one loop of a host, with its platform and app. In the host's memory, which is taken
// away with it: no destructor runs at a crash. One thread; made by Host::start.
#pragma once

#include <memory>
#include <utility>

#include "gyre/kernel/detail/loop_locals.hpp"
#include "gyre/sim/host.hpp"
#include "gyre/sim/internal/sim_host.hpp"
#include "gyre/sim/internal/sleeper.hpp"

namespace gyre::sim {

struct Host::Node {
    Node(Host& host, std::unique_ptr<Machine> of_loop, Peers& peers, ThreadId number)
        : owner(host), platform(*host.machine_), app(std::move(of_loop)) {
        loop = std::make_unique<Loop>(platform, *app,
                                      LoopOptions{.thread_id = number,
                                                  .peers = &peers,
                                                  .offload = &platform.offload(),
                                                  .observer = host.options_.observer});
    }

    // When the loop can turn, as far as is known now.
    [[nodiscard]] Instant ready_at() noexcept {
        if (is_closed) return Instant::never();
        return sleeper.ready_at(owner.machine_->context(),
                                {.has_input = loop->has_ready_work() || loop->has_posts(),
                                 .input_at = platform.ready_io_at(),
                                 .deadline = loop->next_deadline(),
                                 .paused_until = owner.paused_until_});
    }

    Host& owner;
    SimPlatform platform;
    std::unique_ptr<Machine> app;
    std::unique_ptr<Loop> loop;
    LoopLocals locals;
    bool is_closed = false;
    Sleeper sleeper;
};

// While one exists, the thread runs the code of this loop.
struct Host::Turn {
    Turn(Host& host, Node& node) noexcept
        : memory(&host.memory_), locals(node.locals), before(std::exchange(current_, &host)) {}
    ~Turn() { current_ = before; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    const HostMemory::Use memory;
    const LoopLocals::Use locals;
    Host* const before;
};

}  // namespace gyre::sim
