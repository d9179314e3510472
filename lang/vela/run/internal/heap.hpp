// SPDX-License-Identifier: Apache-2.0
// Heap: owns all things of one program on one loop. Allocation never collects: the machine asks
// `wants_collection` at its safepoints (a back edge, a call, a task's turn), where every value that
// is still in use is in a register or a root. So native functions hold words freely, unless they
// call back into the program (Rooted, in machine.hpp).
//
// Mark and sweep; things do not move. Small things come from lists of free blocks of their size.
// One thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "lang/vela/run/internal/thing.hpp"

namespace gyre::vela::vm {

// Collects the things that are reachable.
class Marker {
public:
    void mark(Thing* thing) {
        if (thing == nullptr || thing->is_marked) return;
        thing->is_marked = true;
        pending_.push_back(thing);
    }
    void mark(Word word) { mark(word.thing()); }
    void mark(std::span<const Word> words) {
        for (const Word word : words) mark(word);
    }
    void trace_all() {
        while (!pending_.empty()) {
            Thing* thing = pending_.back();
            pending_.pop_back();
            thing->trace(*this);
        }
    }

private:
    std::vector<Thing*> pending_;
};

struct HeapOptions {
    // A program that holds more is ended with a MemoryError, which names this limit.
    std::size_t bytes_max = std::size_t{4} << 30U;
    // For tests: collects at every safepoint.
    bool collects_always = false;
};

class Heap {
public:
    // `fuel` becomes 0 when a collection is wanted.
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
        count_growth(size + made->outside_bytes());
        return made;
    }
    [[nodiscard]] Word text(std::string of) { return make<Text>(std::move(of)); }
    [[nodiscard]] Word number(std::int64_t value) {
        return Word::is_small_number(value) ? Word::small(value) : Word(make<Boxed>(value));
    }
    [[nodiscard]] Word real(double value) { return make<Boxed>(value); }

    // A thing has grown by this much outside of its own memory.
    void count_growth(std::size_t bytes) noexcept {
        since_collection_ += bytes;
        if (since_collection_ >= threshold_) [[unlikely]]
            fuel_ = 0;
    }
    [[nodiscard]] std::size_t held_bytes() const noexcept {
        return used_bytes_ + since_collection_;
    }
    [[nodiscard]] bool wants_collection() const noexcept {
        return since_collection_ >= threshold_ || options_.collects_always;
    }
    // `mark_roots` marks everything that is in use.
    template <class F>
    void collect(F mark_roots) {
        Marker marker;
        mark_roots(marker);
        marker.trace_all();
        sweep();
    }
    [[nodiscard]] std::size_t used_bytes() const noexcept { return used_bytes_; }
    [[nodiscard]] std::size_t thing_count() const noexcept;
    [[nodiscard]] std::size_t collection_count() const noexcept { return collection_count_; }
    // After a collection: whether the program still holds too much.
    [[nodiscard]] bool is_full() const noexcept { return used_bytes_ > options_.bytes_max; }
    [[nodiscard]] const HeapOptions& options() const noexcept { return options_; }

private:
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
    void sweep() noexcept;

    const HeapOptions options_;
    std::int64_t& fuel_;
    std::array<FreeBlock*, small_bytes_max / step_bytes + 1> free_{};
    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    std::byte* chunk_at_ = nullptr;
    std::size_t chunk_left_ = 0;
    Thing* all_ = nullptr;
    std::size_t since_collection_ = 0;
    std::size_t threshold_ = std::size_t{4} << 20U;
    std::size_t used_bytes_ = 0;
    std::size_t collection_count_ = 0;
};

}  // namespace gyre::vela::vm
