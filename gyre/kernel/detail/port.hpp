// SPDX-License-Identifier: Apache-2.0
// Port: where ops enter or leave a machine, four queues in one. Single writer: a root machine's in
// port is written by its loop only, a child's by its parent only, an out port by its machine only.
// Only Machine and Loop can push, and they assert the rule; a port lives as long as its machine.
#pragma once

#include <array>
#include <cstddef>

#include "gyre/kernel/op.hpp"

namespace gyre {

class Port {
public:
    [[nodiscard]] bool empty() const noexcept {
        for (const OpQueue& queue : lanes_) {
            if (!queue.empty()) return false;
        }
        return true;
    }
    [[nodiscard]] bool empty(Lane lane) const noexcept { return lanes_[index(lane)].empty(); }
    [[nodiscard]] std::size_t count(Lane lane) const noexcept {
        return lanes_[index(lane)].count();
    }

    // For reports.
    template <class Visitor>
    void for_each(Visitor visit) const {
        for (const OpQueue& queue : lanes_) queue.for_each(visit);
    }

private:
    friend class Machine;
    friend class Loop;

    static constexpr std::size_t index(Lane lane) noexcept {
        return static_cast<std::size_t>(lane);
    }

    void push(Lane lane, Op& op) noexcept { lanes_[index(lane)].push_back(op); }
    Op* pop(Lane lane) noexcept { return lanes_[index(lane)].pop_front(); }
    OpQueue& queue(Lane lane) noexcept { return lanes_[index(lane)]; }

    std::array<OpQueue, 4> lanes_;
};

}  // namespace gyre
