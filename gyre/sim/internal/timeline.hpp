// SPDX-License-Identifier: Apache-2.0
// Timeline: the future events of a simulation, ordered by time; the seed orders the events of one
// instant. A TimelineEvent is a base or a member of the object that handles it, is scheduled for at
// most one instant at a time, and leaves the timeline when it is destroyed. One thread.
#pragma once

#include <compare>
#include <cstdint>
#include <set>

#include "gyre/base/random.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre::sim {

class Timeline;

class TimelineEvent {
public:
    explicit TimelineEvent(Timeline& timeline) noexcept : timeline_(timeline) {}
    virtual ~TimelineEvent() { withdraw(); }
    TimelineEvent(const TimelineEvent&) = delete;
    TimelineEvent& operator=(const TimelineEvent&) = delete;

    void schedule_at(Instant when);
    void withdraw() noexcept;
    [[nodiscard]] bool is_scheduled() const noexcept { return when_ != Instant::never(); }

protected:
    // May schedule itself again, and may destroy itself.
    virtual void fire() noexcept = 0;

private:
    friend class Timeline;

    Timeline& timeline_;
    Instant when_ = Instant::never();
    std::uint64_t draw_ = 0;
    std::uint64_t number_ = 0;
};

class Timeline {
public:
    explicit Timeline(Random& random) noexcept : random_(random) {}

    // Instant::never() when no event is scheduled.
    [[nodiscard]] Instant next() const noexcept {
        return scheduled_.empty() ? Instant::never() : scheduled_.begin()->when;
    }

    // Fires the due events, including those that are scheduled meanwhile for the same time. True
    // when one fired.
    bool run_due(Instant now) noexcept;

private:
    friend class TimelineEvent;

    struct Entry {
        Instant when;
        std::uint64_t draw;    // random: the order within one instant
        std::uint64_t number;  // a counter that breaks ties, so that no address has an effect
        TimelineEvent* event;

        friend bool operator<(const Entry& a, const Entry& b) noexcept {
            if (a.when != b.when) return a.when < b.when;
            if (a.draw != b.draw) return a.draw < b.draw;
            return a.number < b.number;
        }
    };
    static Entry entry_of(TimelineEvent& event) noexcept {
        return {event.when_, event.draw_, event.number_, &event};
    }

    Random& random_;
    std::uint64_t last_number_ = 0;
    std::set<Entry> scheduled_;
};

}  // namespace gyre::sim
