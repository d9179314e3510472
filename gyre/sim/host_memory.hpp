// SPDX-License-Identifier: Apache-2.0
// HostMemory: the memory of one simulated host, from which everything that its code allocates
// comes, so that a crash can take it away as a whole without running a destructor. A program uses it
// by including gyre/testing/host_new.hpp in one source file, which replaces operator new; without
// that, hosts allocate from the process, and a crashed host's memory stays allocated.
//
//     sim::HostMemory memory;
//     {
//         const sim::HostMemory::Use use(&memory);
//         run_the_host();
//     }
//     memory.drop();  // all of it, at once
//
// Thread: one thread uses it; memory may be freed by any code of that thread.
// Lifetime: outlives the host. The destructor drops it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gyre::sim {

class HostMemory {
public:
    // The most that a host may allocate; beyond it an allocation fails.
    static constexpr std::size_t size_bytes_max = std::size_t{1} << 30u;
    // Hosts of a process that can have memory of their own at the same time.
    static constexpr std::size_t count_max = 256;

    HostMemory() noexcept;
    ~HostMemory();
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;

    // While one exists, the thread allocates from this memory; from the process if it is null.
    class Use {
    public:
        explicit Use(HostMemory* memory) noexcept : before_(current_) { current_ = memory; }
        ~Use() { current_ = before_; }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

    private:
        HostMemory* const before_;
    };

    // For operator new: null when the limit is reached. The size and the alignment are kept with the
    // block.
    [[nodiscard]] static void* allocate(std::size_t size_bytes) noexcept;
    static void free(void* memory) noexcept;

    // Gives everything back, without running a destructor.
    void drop() noexcept;
    // The allocation with this number from now on fails, and only it. 0: none.
    void fail_at(std::uint64_t number) noexcept { fails_in_ = number; }
    // Memory taken from the system since the last drop.
    [[nodiscard]] std::size_t used_bytes() const noexcept { return used_; }
    // Allocations since the last drop that were not freed.
    [[nodiscard]] std::size_t allocation_count() const noexcept { return allocation_count_; }
    // Whether operator new has been replaced: an allocation of a host of this thread has come here.
    [[nodiscard]] static bool is_in_use() noexcept { return is_in_use_; }

private:
    struct Block {
        Block* next;
    };
    static constexpr std::size_t class_count = 32;

    [[nodiscard]] void* take(std::size_t size_bytes) noexcept;
    void give_back(void* memory) noexcept;

    static constinit thread_local HostMemory* current_;
    static constinit thread_local bool is_in_use_;

    std::byte* base_ = nullptr;  // null if the system reserves no room: then malloc is used
    std::size_t number_ = 0;
    std::size_t used_ = 0;
    std::size_t allocation_count_ = 0;
    std::uint64_t fails_in_ = 0;
    std::array<Block*, class_count> free_{};
};

// For functions of the simulation that a host's code calls: what they allocate belongs to the world.
class OutsideHost {
public:
    OutsideHost() noexcept : use_(nullptr) {}

private:
    const HostMemory::Use use_;
};

}  // namespace gyre::sim
