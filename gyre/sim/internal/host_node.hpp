// SPDX-License-Identifier: Apache-2.0
// Host::Node: one loop of a host, with its platform and app. In the host's memory, which is taken
// away with it: no destructor runs at a crash. One thread; made by Host::start.
#pragma once

#include <memory>
#include <utility>

#include "gyre/kernel/detail/loop_locals.hpp"
#include "gyre/sim/host.hpp"

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

    [[nodiscard]] bool can_turn(Instant now) noexcept {
        if (is_closed || owner.paused_until_ > now) return false;
        return loop->has_ready_work() || loop->has_posts() || platform.has_ready_io() ||
               loop->next_deadline() <= now;
    }

    Host& owner;
    SimPlatform platform;
    std::unique_ptr<Machine> app;
    std::unique_ptr<Loop> loop;
    LoopLocals locals;
    bool is_closed = false;
};

}  // namespace gyre::sim
