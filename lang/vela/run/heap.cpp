// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/run/internal/heap.hpp"

#include <algorithm>
#include <utility>

namespace gyre::vela::vm {

void Marker::trace_all() {
    constexpr std::size_t ahead = 8;
    Thing* next[ahead] = {};
    std::size_t at = 0;
    std::size_t in_flight = 0;
    while (!pending_.empty() || in_flight > 0) {
        Thing* thing = next[at];
        next[at] = nullptr;
        if (!pending_.empty()) {
            next[at] = pending_.back();
            pending_.pop_back();
            __builtin_prefetch(next[at]);
            ++in_flight;
        }
        at = (at + 1) % ahead;
        if (thing == nullptr) continue;
        --in_flight;
        if (thing->is_marked) continue;
        thing->is_marked = true;
        marked_bytes_ += thing->size_bytes + thing->outside_bytes();
        thing->trace(*this);
    }
}

Heap::~Heap() {
    for (Thing* list : {all_, unswept_}) {
        while (list != nullptr) {
            Thing* thing = list;
            list = thing->next_on_heap;
            const std::size_t size = thing->size_bytes;
            thing->~Thing();
            free_memory(thing, size);
        }
    }
}

void* Heap::carve(std::size_t size) {
    if (chunk_left_ < size) {
        chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk_bytes));
        chunk_at_ = chunks_.back().get();
        chunk_left_ = chunk_bytes;
    }
    void* memory = chunk_at_;
    chunk_at_ += size;
    chunk_left_ -= size;
    return memory;
}

void Heap::free_memory(void* memory, std::size_t size) noexcept {
    if (size > small_bytes_max) {
        ::operator delete(memory);
        return;
    }
    auto* block = static_cast<FreeBlock*>(memory);
    block->next = free_[size / step_bytes];
    free_[size / step_bytes] = block;
}

void Heap::on_growth() {
    if (fuel_ > 0) kept_fuel_ = std::exchange(fuel_, 0);
    if (options_.owner != nullptr && is_far_over()) options_.owner->on_far_over();
}

void Heap::begin_sweep(std::size_t used) noexcept {
    unswept_ = all_;
    all_ = nullptr;
    used_bytes_ = used;
    since_collection_ = 0;
    ++collection_count_;
    // The next collection comes when the heap has doubled, or the limit nears.
    constexpr std::size_t least = least_growth_bytes;
    const std::size_t room = options_.bytes_max > used ? options_.bytes_max - used : 0;
    threshold_ = std::clamp(used, least, std::max(least, room + 1));
    if (options_.collects_always) sweep_all();
}

void Heap::sweep_one() noexcept {
    Thing* thing = unswept_;
    unswept_ = thing->next_on_heap;
    if (unswept_ != nullptr) __builtin_prefetch(unswept_->next_on_heap);
    if (thing->is_marked) {
        thing->is_marked = false;
        thing->next_on_heap = all_;
        all_ = thing;
        return;
    }
    const std::size_t size = thing->size_bytes;
    thing->~Thing();
    free_memory(thing, size);
}

void Heap::sweep_some() noexcept {
    constexpr int sweep_count = 8;
    for (int i = 0; i < sweep_count && unswept_ != nullptr; ++i) sweep_one();
}

void Heap::sweep_all() noexcept {
    while (unswept_ != nullptr) sweep_one();
}

std::size_t Heap::thing_count() const noexcept {
    std::size_t count = 0;
    for (const Thing* thing = all_; thing != nullptr; thing = thing->next_on_heap) ++count;
    for (const Thing* thing = unswept_; thing != nullptr; thing = thing->next_on_heap) ++count;
    return count;
}

}  // namespace gyre::vela::vm
