// SPDX-License-Identifier: Apache-2.0
#include "lang/script/quickjs/internal/heap.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace gyre::script::quickjs {
namespace {

constexpr std::size_t default_limit = std::size_t{2} << 30u;
constexpr std::size_t reserve_min = std::size_t{1} << 20u;
constexpr std::size_t reserve_max = std::size_t{64} << 20u;
// A zeroed block of this size is an array buffer.
constexpr std::size_t buffer_min = std::size_t{256} << 10u;

}  // namespace

struct alignas(16) Heap::Block {
    Block* next;
    Block* previous;
    std::size_t size;

    void* memory() noexcept { return this + 1; }
    static Block* of(void* memory) noexcept { return static_cast<Block*>(memory) - 1; }
};

Heap::Heap(std::size_t limit_bytes, std::function<void()> on_exhausted)
    : limit_(limit_bytes == 0 ? default_limit : limit_bytes),
      reserve_(std::clamp(limit_ / 4, reserve_min, reserve_max)),
      on_exhausted_(std::move(on_exhausted)) {}

Heap::~Heap() {
    while (first_ != nullptr) std::free(std::exchange(first_, first_->next));
}

JSRuntime* Heap::make_runtime() {
    static constexpr JSMallocFunctions functions = {&allocate_zeroed, &allocate, &release,
                                                    &reallocate, &usable_size};
    runtime_ = JS_NewRuntime2(&functions, this);
    return runtime_;
}

// Whether `size` more bytes may be taken.
bool Heap::admits(std::size_t size) {
    const std::size_t after = used_ + size;
    if (after <= limit_) {
        has_asked_ = false;
        return true;
    }
    if (!has_asked_ && runtime_ != nullptr) {
        has_asked_ = true;
        JS_SetGCThreshold(runtime_, 0);
    }
    // A collection sets the threshold anew.
    const bool has_collected = runtime_ != nullptr && JS_GetGCThreshold(runtime_) != 0;
    if (has_collected || after > limit_ + reserve_) {
        if (!std::exchange(is_exhausted_, true)) on_exhausted_();
    }
    return after <= limit_ + 2 * reserve_;
}

void* Heap::add(Block* block, std::size_t size) {
    if (block == nullptr) return nullptr;
    block->size = size;
    block->previous = nullptr;
    block->next = first_;
    if (first_ != nullptr) first_->previous = block;
    first_ = block;
    used_ += size;
    return block->memory();
}

void Heap::remove(Block* block) noexcept {
    (block->previous == nullptr ? first_ : block->previous->next) = block->next;
    if (block->next != nullptr) block->next->previous = block->previous;
    used_ -= block->size;
}

void* Heap::allocate(void* heap, std::size_t size) {
    auto* self = static_cast<Heap*>(heap);
    if (!self->admits(size)) return nullptr;
    return self->add(static_cast<Block*>(std::malloc(sizeof(Block) + size)), size);
}

void* Heap::allocate_zeroed(void* heap, std::size_t count, std::size_t size) {
    auto* self = static_cast<Heap*>(heap);
    const std::size_t total = count * size;  // QuickJS has checked it for an overflow.
    if (total >= buffer_min && self->used_ + total > self->limit_) return nullptr;
    if (!self->admits(total)) return nullptr;
    return self->add(static_cast<Block*>(std::calloc(1, sizeof(Block) + total)), total);
}

void* Heap::reallocate(void* heap, void* memory, std::size_t size) {
    if (memory == nullptr) return allocate(heap, size);
    auto* self = static_cast<Heap*>(heap);
    Block* block = Block::of(memory);
    const std::size_t before = block->size;
    if (size > before && !self->admits(size - before)) return nullptr;
    self->remove(block);
    auto* moved = static_cast<Block*>(std::realloc(block, sizeof(Block) + size));
    if (moved == nullptr) {
        self->add(block, before);
        return nullptr;
    }
    return self->add(moved, size);
}

void Heap::release(void* heap, void* memory) {
    if (memory == nullptr) return;
    Block* block = Block::of(memory);
    static_cast<Heap*>(heap)->remove(block);
    std::free(block);
}

std::size_t Heap::usable_size(const void* memory) {
    return memory == nullptr ? 0 : Block::of(const_cast<void*>(memory))->size;
}

}  // namespace gyre::script::quickjs
