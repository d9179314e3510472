// SPDX-License-Identifier: Apache-2.0
// Timeline: what will happen in a simulation, by its time; the seed decides between events of one
// instant. A Happening is a member of the thing it happens to, waits for one moment at a time, and
// leaves the timeline when it is destroyed. One thread.
#pragma once

#include <compare>
#include <cstdint>
#include <set>

#include "gyre/base/random.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre::sim {

class Timeline;

class Happening {
public:
    explicit Happening(Timeline& timeline) noexcept : timeline_(timeline) {}
    virtual ~Happening() { withdraw(); }
    Happening(const Happening&) = delete;
    Happening& operator=(const Happening&) = delete;

    void happen_at(Instant when);
    void withdraw() noexcept;
    [[nodiscard]] bool is_expected() const noexcept { return when_ != Instant::never(); }

protected:
    // It may expect itself again, and may destroy itself.
    virtual void happen() noexcept = 0;

private:
    friend class Timeline;

    Timeline& timeline_;
    Instant when_ = Instant::never();
    std::uint64_t lot_ = 0;
    std::uint64_t number_ = 0;
};

class Timeline {
public:
    explicit Timeline(Random& random) noexcept : random_(random) {}

    // Never when nothing is expected.
    [[nodiscard]] Instant next() const noexcept {
        return expected_.empty() ? Instant::never() : expected_.begin()->when;
    }

    // Lets happen what is due, also what is added meanwhile for the same time. True if something
    // did.
    bool run_due(Instant now) noexcept;

private:
    friend class Happening;

    struct Entry {
        Instant when;
        std::uint64_t lot;     // drawn: the order within one instant
        std::uint64_t number;  // counted: no two are equal, and no address decides anything
        Happening* what;

        friend bool operator<(const Entry& a, const Entry& b) noexcept {
            if (a.when != b.when) return a.when < b.when;
            if (a.lot != b.lot) return a.lot < b.lot;
            return a.number < b.number;
        }
    };
    static Entry entry_of(Happening& what) noexcept {
        return {what.when_, what.lot_, what.number_, &what};
    }

    Random& random_;
    std::uint64_t last_number_ = 0;
    std::set<Entry> expected_;
};

}  // namespace gyre::sim
