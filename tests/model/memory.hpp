// SPDX-License-Identifier: Apache-2.0
// The memory that the explored threads share, as weak as C++ allows. Belongs to one exploration.
//
// Each atomic keeps the history of its stores, in the order in which they were executed. A thread
// knows, for each atomic, the oldest store that it may still read (its view), and for each thread
// how far that one's work is ordered before its own (its clock). A release store carries what its
// thread knew; an acquire load of it learns that. A load picks any store from its view on: reading
// an old one is what a store buffer, or a load that ran ahead, looks like from outside.
// Sequentially consistent accesses share one view besides, so an old value that the total order of
// all of them rules out cannot be read. Read-modify-write reads the newest store and carries on its
// message (a release sequence).
//
// Old reads and spurious failures of a weak compare-exchange are "surprises"; their number in one
// run is bounded, as the number of preemptions is. Not covered: stores whose order in memory
// differs from the order of execution (2+2W), loads that see stores of the future (LB), fences.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "choices.hpp"

namespace model {

inline constexpr std::size_t threads_max = 5;  // With the scenario itself, which is thread 0.
inline constexpr std::size_t atomics_max = 32;

struct Knowledge {
    std::array<std::uint32_t, threads_max> clock{};
    std::array<std::uint16_t, atomics_max> view{};

    void join(const Knowledge& other) noexcept;
};

// What an atomic itself holds: its newest value, and its place in the memory of one run.
struct Cell {
    std::uint64_t newest = 0;
    std::uint32_t run = 0;
    std::uint32_t index = 0;
};

using Update = std::uint64_t (*)(std::uint64_t old, std::uint64_t argument);

struct Exchange {
    std::uint64_t desired;
    std::memory_order success;
    std::memory_order failure;
    bool may_fail_spuriously;
};

class Memory {
public:
    Memory(Choices& choices, std::uint32_t surprises_max) noexcept
        : choices_(choices), surprises_max_(surprises_max) {}

    void begin_run(std::uint32_t run) noexcept;

    std::uint64_t load(Cell& cell, std::size_t thread, std::memory_order order);
    void store(Cell& cell, std::size_t thread, std::memory_order order, std::uint64_t value);
    // Returns the value before.
    std::uint64_t update(Cell& cell, std::size_t thread, std::memory_order order, Update compute,
                         std::uint64_t argument);
    // `expected` gets the value read.
    bool compare_exchange(Cell& cell, std::size_t thread, std::uint64_t& expected,
                          const Exchange& exchange);

    Knowledge& known_to(std::size_t thread) noexcept { return known_[thread]; }
    // Makes all that `thread` did so far part of `message`.
    void release(std::size_t thread, Knowledge& message) noexcept;
    // How many stores older than the newest the last load read: for the printed schedule.
    std::size_t age_of_last_read() const noexcept { return age_of_last_read_; }

private:
    struct Store {
        std::uint64_t value;
        Knowledge message;
    };
    struct History {
        std::vector<Store> stores;
    };

    History& history_of(Cell& cell);
    std::size_t oldest_readable(const Cell& cell, std::size_t thread,
                                std::memory_order order) const noexcept;
    std::uint64_t read(Cell& cell, std::size_t thread, std::memory_order order, std::size_t index);
    void append(Cell& cell, std::size_t thread, std::memory_order order, std::uint64_t value,
                const Knowledge& carried_on);
    bool may_surprise() const noexcept { return surprises_ < surprises_max_; }

    Choices& choices_;
    std::array<History, atomics_max> histories_;
    std::array<Knowledge, threads_max> known_{};
    std::array<std::uint16_t, atomics_max> total_order_view_{};
    std::vector<std::size_t> failing_reads_;
    std::size_t age_of_last_read_ = 0;
    std::uint32_t run_ = 0;
    std::uint32_t atomic_count_ = 0;
    std::uint32_t surprises_ = 0;
    std::uint32_t surprises_max_;
};

}  // namespace model
