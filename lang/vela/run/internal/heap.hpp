// SPDX-License-Identifier: Apache-2.0
// Heap: owns all things of one program on one loop. Allocation never collects: the machine asks
// `wants_collection` at its safepoints (a back edge, a call, a task's turn), where every value that
// is still in use is in a register or a root. So native functions hold words freely, unless they
// call back into the program (Rooted, in machine.hpp).
//
// Mark and sweep; things do not move. A collection marks at once and sweeps afterwards, a few things
// with each allocation: what was not marked cannot be reached by anybody. Small things come from lists
// of free blocks of their size. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "lang/vela/run/internal/thing.hpp"

namespace gyre::vela::vm {

// Collects the things that are reachable. Whether a thing is marked already is asked when its turn
// comes, a few turns after its memory was asked for: a large heap is not in the processor's cache.
class Marker {
public:
    void mark(Thing* thing) {
        if (thing != nullptr) pending_.push_back(thing);
    }
    void mark(Word word) { mark(word.thing()); }
    void mark(std::span<const Word> words) {
        for (const Word word : words) mark(word);
    }
    void trace_all();
    // Of all things that were marked.
    [[nodiscard]] std::size_t marked_bytes() const noexcept { return marked_bytes_; }

private:
    std::vector<Thing*> pending_;
    std::size_t marked_bytes_ = 0;
};

// Told when things were made far beyond the limit before the next safepoint. May throw.
class HeapOwner {
public:
    virtual void on_far_over() = 0;

protected:
    ~HeapOwner() = default;
};

struct HeapOptions {
    // A program that holds more is ended with a MemoryError, which names this limit.
    std::size_t bytes_max = std::size_t{4} << 30U;
    // For tests: collects at every safepoint.
    bool collects_always = false;
    HeapOwner* owner = nullptr;
};

class Heap {
public:
    // `fuel` becomes 0 when a collection is wanted; `take_kept_fuel` gives what was left of it.
    Heap(const HeapOptions& options, std::int64_t& fuel) noexcept
        : options_(options), fuel_(fuel) {}
    ~Heap();
    Heap(const Heap&) = delete;
    Heap& operator=(const Heap&) = delete;

    template <class T, class... Args>
    T* make(Args&&... args) {
        std::size_t size = sizeof(T);
        if constexpr (requires { T::tail_bytes(args...); }) size += T::tail_bytes(args...);
        size = (size + 15U) & ~std::size_t{15};
        T* made = new (allocate(size)) T(std::forward<Args>(args)...);
        made->size_bytes = static_cast<std::uint32_t>(size);
        made->next_on_heap = all_;
        all_ = made;
        if (unswept_ != nullptr) [[unlikely]]
            sweep_some();
        count_growth(size + made->outside_bytes());
        return made;
    }
    [[nodiscard]] Word text(std::string of) { return make<Text>(std::move(of)); }
    [[nodiscard]] Word number(std::int64_t value) {
        return Word::is_small_number(value) ? Word::small(value) : Word(make<Boxed>(value));
    }
    [[nodiscard]] Word real(double value) { return make<Boxed>(value); }

    // A thing has grown by this much outside of its own memory.
    void count_growth(std::size_t bytes) {
        since_collection_ += bytes;
        if (since_collection_ >= threshold_) [[unlikely]]
            on_growth();
    }
    // 0: no collection was wanted since.
    [[nodiscard]] std::int64_t take_kept_fuel() noexcept { return std::exchange(kept_fuel_, 0); }
    // What native functions hold while they call back into the program, beside things.
    void hold_outside(std::size_t bytes) noexcept { outside_bytes_ += bytes; }
    void release_outside(std::size_t bytes) noexcept { outside_bytes_ -= bytes; }
    [[nodiscard]] std::size_t held_bytes() const noexcept {
        return used_bytes_ + since_collection_ + outside_bytes_;
    }
    // Whether a native function that is about to make this much would be stopped for it.
    [[nodiscard]] bool is_far_over(std::size_t more = 0) const noexcept {
        return held_bytes() + more > 2 * options_.bytes_max + far_over_bytes;
    }
    [[nodiscard]] bool wants_collection() const noexcept {
        return since_collection_ >= threshold_ || options_.collects_always;
    }
    // `mark_roots` marks everything that is in use. `forget_unmarked` then removes things without a
    // mark from tables that do not keep them: they are freed later, but are gone from now on.
    template <class F, class G>
    void collect(F mark_roots, G forget_unmarked) {
        sweep_all();
        Marker marker;
        mark_roots(marker);
        marker.trace_all();
        forget_unmarked();
        begin_sweep(marker.marked_bytes());
    }
    // Frees what the last collection has left.
    void sweep_all() noexcept;
    [[nodiscard]] std::size_t used_bytes() const noexcept { return used_bytes_; }
    [[nodiscard]] std::size_t thing_count() const noexcept;
    [[nodiscard]] std::size_t collection_count() const noexcept { return collection_count_; }
    // After a collection: whether the program still holds too much.
    [[nodiscard]] bool is_full() const noexcept {
        return used_bytes_ + outside_bytes_ > options_.bytes_max;
    }
    [[nodiscard]] const HeapOptions& options() const noexcept { return options_; }

private:
    // A native function runs to its end without a safepoint. What it makes may all be garbage or be
    // needed, so it may make as much as the limit once more, and this.
    static constexpr std::size_t far_over_bytes = std::size_t{8} << 20U;
    // A small heap is collected when it has grown by this: its memory stays in the processor's cache.
    static constexpr std::size_t least_growth_bytes = std::size_t{256} << 10U;
    static constexpr std::size_t small_bytes_max = 512;
    static constexpr std::size_t step_bytes = 16;
    static constexpr std::size_t chunk_bytes = std::size_t{64} << 10U;
    struct FreeBlock {
        FreeBlock* next;
    };

    [[nodiscard]] void* allocate(std::size_t size) {
        if (size <= small_bytes_max) [[likely]] {
            FreeBlock*& first = free_[size / step_bytes];
            if (first != nullptr) [[likely]] {
                FreeBlock* block = first;
                first = block->next;
                return block;
            }
            return carve(size);
        }
        return ::operator new(size);
    }
    [[nodiscard]] void* carve(std::size_t size);
    void free_memory(void* memory, std::size_t size) noexcept;
    void on_growth();
    void begin_sweep(std::size_t used) noexcept;
    void sweep_some() noexcept;
    void sweep_one() noexcept;

    const HeapOptions options_;
    std::int64_t& fuel_;
    std::int64_t kept_fuel_ = 0;
    std::array<FreeBlock*, small_bytes_max / step_bytes + 1> free_{};
    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    std::byte* chunk_at_ = nullptr;
    std::size_t chunk_left_ = 0;
    Thing* all_ = nullptr;
    Thing* unswept_ = nullptr;  // of these, the marked ones go to the others
    std::size_t since_collection_ = 0;
    std::size_t threshold_ = least_growth_bytes;
    std::size_t used_bytes_ = 0;
    std::size_t outside_bytes_ = 0;
    std::size_t collection_count_ = 0;
};

}  // namespace gyre::vela::vm
