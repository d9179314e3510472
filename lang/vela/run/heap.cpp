// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/run/internal/heap.hpp"

#include <algorithm>

namespace gyre::vela::vm {

Heap::~Heap() {
    while (all_ != nullptr) {
        Thing* thing = all_;
        all_ = thing->next_on_heap;
        const std::size_t size = thing->size_bytes;
        thing->~Thing();
        free_memory(thing, size);
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

void Heap::sweep() noexcept {
    std::size_t used = 0;
    Thing** link = &all_;
    while (Thing* thing = *link) {
        if (thing->is_marked) {
            thing->is_marked = false;
            used += thing->size_bytes + thing->outside_bytes();
            link = &thing->next_on_heap;
            continue;
        }
        *link = thing->next_on_heap;
        const std::size_t size = thing->size_bytes;
        thing->~Thing();
        free_memory(thing, size);
    }
    used_bytes_ = used;
    since_collection_ = 0;
    ++collection_count_;
    // The next collection comes when the heap has doubled, or the limit nears.
    constexpr std::size_t least = std::size_t{4} << 20U;
    const std::size_t room = options_.bytes_max > used ? options_.bytes_max - used : 0;
    threshold_ = std::clamp(used, least, std::max(least, room + 1));
}

std::size_t Heap::thing_count() const noexcept {
    std::size_t count = 0;
    for (const Thing* thing = all_; thing != nullptr; thing = thing->next_on_heap) ++count;
    return count;
}

}  // namespace gyre::vela::vm
