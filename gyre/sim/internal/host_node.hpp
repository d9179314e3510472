// SPDX-License-Identifier: Apache-2.0
// Host::Node: one loop of a host, with its platform and app. In the host's memory, which is taken
// away with it: no destructor runs at a crash. One thread; made by Host::start.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "gyre/kernel/detail/loop_locals.hpp"
#include "gyre/sim/host.hpp"
#include "gyre/sim/internal/sim_host.hpp"

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

    // When the loop can turn, as far as is known now: a sleeping loop may be woken late.
    [[nodiscard]] Instant ready_at(Instant now) noexcept {
        if (is_closed) return Instant::never();
        const bool has_input =
            loop->has_ready_work() || loop->has_posts() || platform.has_ready_io();
        const Instant wanted = has_input ? now : loop->next_deadline();
        if (wanted > now) {
            is_asleep = true;
            return std::max(wanted, owner.paused_until_);
        }
        if (std::exchange(is_asleep, false)) {
            SimContext& context = owner.machine_->context();
            const SystemFaults& faults = context.system;
            wakes_at = now + context.draw_delay(has_input ? faults.wake_delay : faults.timer_delay);
        }
        return std::max({now, wakes_at, owner.paused_until_});
    }

    Host& owner;
    SimPlatform platform;
    std::unique_ptr<Machine> app;
    std::unique_ptr<Loop> loop;
    LoopLocals locals;
    bool is_closed = false;
    bool is_asleep = false;  // it had nothing to do when it was last looked at
    Instant wakes_at;
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
