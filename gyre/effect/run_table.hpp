// SPDX-License-Identifier: Apache-2.0
// RunTable: finds a run by its id. Ids count up and are never used again. Open addressing; ids are
// scattered, since a row of neighbours would have to be walked whenever one of them goes. Only the
// scheduler's thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "gyre/effect/run.hpp"

namespace gyre::effect {

class RunTable {
public:
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    // Room for one more: what follows does not throw.
    void reserve_one() {
        if (8 * (count_ + 1) <= 7 * runs_.size()) return;
        std::vector<Run*> old(runs_.empty() ? 16 : 2 * runs_.size());
        std::swap(old, runs_);
        for (Run* run : old) {
            if (run != nullptr) place(*run);
        }
    }
    void add(Run& run) noexcept {
        place(run);
        ++count_;
    }
    [[nodiscard]] Run* find(RunId id) const noexcept {
        if (count_ == 0) return nullptr;
        for (std::size_t at = home(id); runs_[at] != nullptr; at = after(at)) {
            if (runs_[at]->id == id) return runs_[at];
        }
        return nullptr;
    }
    // What stands behind it moves up, so that no gap hides it.
    void remove(const Run& run) noexcept {
        std::size_t gap = home(run.id);
        while (runs_[gap] != &run) gap = after(gap);
        for (std::size_t at = after(gap); runs_[at] != nullptr; at = after(at)) {
            const std::size_t way_to_gap = (gap - home(runs_[at]->id)) & (runs_.size() - 1);
            const std::size_t way_to_here = (at - home(runs_[at]->id)) & (runs_.size() - 1);
            if (way_to_gap > way_to_here) continue;
            runs_[gap] = runs_[at];
            gap = at;
        }
        runs_[gap] = nullptr;
        --count_;
    }
    // All of them, in the order in which they were started.
    [[nodiscard]] std::vector<RunId> ids() const {
        std::vector<RunId> all;
        for (const Run* run : runs_) {
            if (run != nullptr) all.push_back(run->id);
        }
        std::ranges::sort(all);
        return all;
    }

private:
    [[nodiscard]] std::size_t home(RunId id) const noexcept {
        return (id * 0x9E3779B97F4A7C15u >> 32u) & (runs_.size() - 1);
    }
    [[nodiscard]] std::size_t after(std::size_t at) const noexcept {
        return (at + 1) & (runs_.size() - 1);
    }
    void place(Run& run) noexcept {
        std::size_t at = home(run.id);
        while (runs_[at] != nullptr) at = after(at);
        runs_[at] = &run;
    }

    std::vector<Run*> runs_;  // a power of two, at most 7/8 full
    std::size_t count_ = 0;
};

}  // namespace gyre::effect
