// SPDX-License-Identifier: Apache-2.0
// MachineTable: finds a loop's machine by its id. An id holds a slot and the slot's use count, so
// that a reference to a destroyed machine finds nothing. Only the loop's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gyre/base/assert.hpp"
#include "gyre/kernel/op.hpp"

namespace gyre {

class Machine;

class MachineTable {
public:
    static constexpr std::uint32_t slot_bits = 20;
    static constexpr std::uint32_t machine_count_limit = 1u << slot_bits;

    explicit MachineTable(std::uint32_t machine_count_max) noexcept
        : machine_count_max_(machine_count_max) {
        GYRE_ASSERT(machine_count_max <= machine_count_limit,
                    "machine_count_max is %u, the most a loop can have is %u", machine_count_max,
                    machine_count_limit);
    }

    // Allocates, the only step that may run out of memory, so that `add` cannot fail.
    void reserve(std::size_t more) {
        const std::size_t wanted = entries_.size() + more;
        // At least doubled, so that adding one at a time stays cheap.
        if (wanted > entries_.capacity()) {
            const std::size_t doubled = 2 * entries_.capacity();
            entries_.reserve(wanted > doubled ? wanted : doubled);
        }
    }

    // Needs a preceding `reserve`.
    MachineId add(Machine& machine) noexcept {
        GYRE_ASSERT(count_ < machine_count_max_,
                    "the loop has machine_count_max = %u machines: raise the option",
                    machine_count_max_);
        if (first_free_ == none) {
            GYRE_ASSERT(entries_.size() < entries_.capacity(), "a machine is added without room");
            GYRE_ASSERT(entries_.size() < machine_count_limit,
                        "the loop has used up its %u machine ids, each %u times",
                        machine_count_limit, uses_max);
            first_free_ = static_cast<std::uint32_t>(entries_.size());
            entries_.push_back({nullptr, first_free_ + 1, none});
        }
        Entry& entry = entries_[first_free_];
        first_free_ = entry.next_free;
        entry.machine = &machine;
        ++count_;
        return entry.id;
    }

    void remove(MachineId id) noexcept {
        GYRE_ASSERT(find(id) != nullptr, "machine %u is not in the table: remove it once", id);
        const std::uint32_t slot = slot_of(id);
        Entry& entry = entries_[slot];
        entry.machine = nullptr;
        --count_;
        // With its ids used up, an old reference could match a new machine.
        if (id > machine_count_limit * (uses_max - 1)) return;
        entry.id += machine_count_limit;
        entry.next_free = first_free_;
        first_free_ = slot;
    }

    // Null if there is no machine with this id, or it was removed.
    [[nodiscard]] Machine* find(MachineId id) const noexcept {
        const std::uint32_t slot = slot_of(id);
        if (slot >= entries_.size()) return nullptr;
        const Entry& entry = entries_[slot];
        return entry.id == id ? entry.machine : nullptr;
    }

    template <class Visitor>
    void for_each(Visitor visit) const {
        for (const Entry& entry : entries_) {
            if (entry.machine != nullptr) visit(*entry.machine);
        }
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    // One less than the bits can hold, so that adding 1 never makes an id wrap to 0.
    static constexpr std::uint32_t uses_max = (1u << (32 - slot_bits)) - 1;

    struct Entry {
        Machine* machine;
        MachineId id;  // of the machine, or of the next one; never 0
        std::uint32_t next_free;
    };

    static constexpr std::uint32_t slot_of(MachineId id) noexcept {
        return (id - 1) & (machine_count_limit - 1);
    }

    const std::uint32_t machine_count_max_;
    std::uint32_t count_ = 0;
    std::uint32_t first_free_ = none;
    std::vector<Entry> entries_;
};

}  // namespace gyre
