// SPDX-License-Identifier: Apache-2.0
// SimHost: a simulated computer: its network, its disk, its descriptor table. The platforms of one
// process share it. One thread; it outlives its platforms, and the clock outlives it.
#pragma once

#include "gyre/sim/internal/disk/files.hpp"
#include "gyre/sim/internal/disk/sim_file_calls.hpp"
#include "gyre/sim/internal/disk/sim_file_tree.hpp"
#include "gyre/sim/internal/net/network.hpp"
#include "gyre/sim/internal/sim_context.hpp"
#include "gyre/sim/internal/sim_host_calls.hpp"

namespace gyre::sim {

class SimHost {
public:
    explicit SimHost(VirtualClock& clock, const SimOptions& options = {})
        : context_(clock, options),
          files_(context_),
          tree_(files_),
          calls_(files_, tree_),
          host_calls_(context_),
          network_(context_) {}
    // One of the computers of a world.
    SimHost(SharedSim& shared, const SimOptions& options, HostMemory* memory = nullptr)
        : context_(shared, options, memory),
          files_(context_),
          tree_(files_),
          calls_(files_, tree_),
          host_calls_(context_),
          network_(context_) {}
    // Closing a socket or file uses the network and the disk, so it cannot wait until the
    // destruction of context_.
    ~SimHost() { context_.descriptors.close_all(); }
    SimHost(const SimHost&) = delete;
    SimHost& operator=(const SimHost&) = delete;

    [[nodiscard]] SimContext& context() noexcept { return context_; }
    [[nodiscard]] Files& files() noexcept { return files_; }
    [[nodiscard]] SimFileTree& file_tree() noexcept { return tree_; }
    [[nodiscard]] SimFileCalls& file_calls() noexcept { return calls_; }
    [[nodiscard]] SimHostCalls& host_calls() noexcept { return host_calls_; }
    [[nodiscard]] Network& network() noexcept { return network_; }

private:
    SimContext context_;
    Files files_;
    SimFileTree tree_;
    SimFileCalls calls_;
    SimHostCalls host_calls_;
    Network network_;
};

}  // namespace gyre::sim
