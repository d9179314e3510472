// SPDX-License-Identifier: Apache-2.0
// InlineOffload: blocking work without threads. It runs on the loop's own thread, at a later
// simulated time drawn from the seed, and can be withdrawn until then. Part of a SimPlatform, whose
// wait runs it.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>

#include "gyre/kernel/offload.hpp"
#include "gyre/sim/internal/sim_context.hpp"

namespace gyre::sim {

class InlineOffload : public Offload {
public:
    explicit InlineOffload(SimContext& context) noexcept;
    ~InlineOffload() override;

    [[nodiscard]] bool start(Op& op, Work work, Loop& home) noexcept override;
    [[nodiscard]] bool withdraw(Op& op) noexcept override;

private:
    class Job;
    void run(Job& job) noexcept;

    SimContext& context_;
    // Only for lookup, never iterated: the order of addresses must have no effect.
    std::unordered_map<const Op*, std::unique_ptr<Job>> jobs_;
};

}  // namespace gyre::sim
