// SPDX-License-Identifier: Apache-2.0
// Heap: the memory of one QuickJS runtime, within a limit. Blocks are in a list, so that all of it
// is freed with the heap: QuickJS may lose blocks where an allocation failed. One thread.
//
// At the limit the heap asks for a collection: QuickJS collects when the next object is made. If
// that does not help, the heap is exhausted for good, and the engine ends the script. Until it has
// ended the heap lends a reserve. A large zeroed block (an array buffer) that does not fit is
// refused, and the script goes on with an error.
#pragma once

#include <quickjs.h>

#include <cstddef>
#include <functional>

namespace gyre::script::quickjs {

class Heap {
public:
    // 0: the default limit. `on_exhausted` is called once.
    Heap(std::size_t limit_bytes, std::function<void()> on_exhausted);
    ~Heap();
    Heap(const Heap&) = delete;
    Heap& operator=(const Heap&) = delete;

    // The runtime that uses this heap; called once.
    [[nodiscard]] JSRuntime* make_runtime();
    [[nodiscard]] std::size_t used_bytes() const noexcept { return used_; }
    [[nodiscard]] std::size_t limit_bytes() const noexcept { return limit_; }

private:
    struct Block;

    static void* allocate(void* heap, std::size_t size);
    static void* allocate_zeroed(void* heap, std::size_t count, std::size_t size);
    static void* reallocate(void* heap, void* memory, std::size_t size);
    static void release(void* heap, void* memory);
    static std::size_t usable_size(const void* memory);
    [[nodiscard]] bool admits(std::size_t size);
    void* add(Block* block, std::size_t size);
    void remove(Block* block) noexcept;

    const std::size_t limit_;
    const std::size_t reserve_;
    std::function<void()> on_exhausted_;
    JSRuntime* runtime_ = nullptr;
    Block* first_ = nullptr;
    std::size_t used_ = 0;
    bool has_asked_ = false;  // for a collection, since it was last below the limit
    bool is_exhausted_ = false;
};

}  // namespace gyre::script::quickjs
