// SPDX-License-Identifier: Apache-2.0
// Host: the simulated computer that the platforms of one process share: its network, its files and
// what both are made of. One thread; it outlives its platforms, and the clock outlives it.
#pragma once

#include "gyre/sim/file_tree.hpp"
#include "gyre/sim/files.hpp"
#include "gyre/sim/medium.hpp"
#include "gyre/sim/network.hpp"

namespace gyre::sim {

class Host {
public:
    explicit Host(VirtualClock& clock, const SimOptions& options = {})
        : medium_(clock, options), files_(medium_), tree_(files_), network_(medium_) {}
    // Sockets and files use what is destroyed before the descriptors.
    ~Host() { medium_.descriptors.close_all(); }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    [[nodiscard]] Medium& medium() noexcept { return medium_; }
    [[nodiscard]] Files& files() noexcept { return files_; }
    [[nodiscard]] SimFileTree& file_tree() noexcept { return tree_; }
    [[nodiscard]] Network& network() noexcept { return network_; }

private:
    Medium medium_;
    Files files_;
    SimFileTree tree_;
    Network network_;
};

}  // namespace gyre::sim
