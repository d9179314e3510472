// SPDX-License-Identifier: Apache-2.0
// InlineOffload: blocking work without threads. It runs on the loop's own thread, at a later
// simulated moment drawn from the seed, and can be withdrawn until then. Belongs to a SimPlatform,
// whose wait drives it.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>

#include "gyre/kernel/offload.hpp"
#include "gyre/sim/medium.hpp"

namespace gyre::sim {

class InlineOffload : public Offload {
public:
    explicit InlineOffload(Medium& medium) noexcept;
    ~InlineOffload() override;

    [[nodiscard]] bool start(Op& op, Work work, Loop& home) noexcept override;
    [[nodiscard]] bool withdraw(Op& op) noexcept override;

private:
    class Job;
    void run(Job& job) noexcept;

    Medium& medium_;
    // Only looked up, never walked: the order of addresses decides nothing.
    std::unordered_map<const Op*, std::unique_ptr<Job>> jobs_;
};

}  // namespace gyre::sim
