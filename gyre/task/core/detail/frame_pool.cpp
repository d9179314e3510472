// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/detail/frame_pool.hpp"

#include <mutex>
#include <new>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/task/core/detail/plain_frames.hpp"

namespace gyre {

constinit thread_local FramePool::Shelves FramePool::shelves_{};

namespace {

constinit thread_local bool is_plain = false;
using SetPlain = void (*)(bool);
constinit thread_local SetPlain set_plain = nullptr;  // set with the first frame

}  // namespace

// Threads put surplus blocks here, and look here before they allocate a slab. Never destroyed:
// threads that end after main may free frames.
class FramePool::Depot {
public:
    static Depot& instance() {
        static Depot* const depot = new Depot;
        return *depot;
    }

    // At most one batch; empty if there is none.
    FreeList take(std::size_t size_class) noexcept {
        const std::lock_guard lock(mutex_);
        FreeList& shelf = racks_[size_class];
        FreeList taken{shelf.head, 0};
        Block* last = nullptr;
        for (Block* block = shelf.head; block != nullptr && taken.count < batch;
             block = block->next) {
            last = block;
            ++taken.count;
        }
        if (last == nullptr) return {};
        shelf.head = last->next;
        last->next = nullptr;
        return taken;
    }

    // Moves up to `count` blocks of the list here.
    void give(std::size_t size_class, FreeList& list, std::uint32_t count) noexcept {
        if (list.head == nullptr || count == 0) return;
        Block* const first = list.head;
        Block* last = first;
        std::uint32_t moved = 1;
        for (; moved < count && last->next != nullptr; ++moved) last = last->next;
        GYRE_ASSERT(moved <= list.count,
                    "a free list of frames has %u blocks and counts %u: a "
                    "frame was freed twice",
                    moved, list.count);
        list.head = last->next;
        list.count -= moved;
        const std::lock_guard lock(mutex_);
        last->next = racks_[size_class].head;
        racks_[size_class].head = first;
    }

    // A new slab, cut into blocks of one class.
    static FreeList cut(std::size_t size_class) {
        constexpr std::size_t slab_bytes = 32 * 1024;
        const std::size_t block_bytes = size_class * granule;
        const std::size_t count = slab_bytes / block_bytes;
        auto* memory = static_cast<std::byte*>(::operator new(count * block_bytes));
        FreeList list{nullptr, 0};
        for (std::size_t i = count; i-- > 0;) {
            list.head = new (memory + i * block_bytes) Block{list.head};
            ++list.count;
        }
        return list;
    }

private:
    std::mutex mutex_;
    std::array<FreeList, class_count> racks_{};
};

// Gives the blocks of a thread to the depot when it ends.
struct FramePool::ThreadEnd {
    // Lists that are unused and empty take the slow path for both directions.
    static void set_plain(bool wanted) {
        static thread_local Shelves kept;
        GYRE_ASSERT(wanted != is_plain, "one PlainFrames at a time in a thread");
        is_plain = wanted;
        if (wanted) {
            kept = std::exchange(FramePool::shelves_, {});
        } else {
            FramePool::shelves_ = std::exchange(kept, {});
        }
    }
    ThreadEnd() = default;
    ThreadEnd(const ThreadEnd&) = delete;
    ThreadEnd& operator=(const ThreadEnd&) = delete;
    ~ThreadEnd() {
        for (std::size_t i = 0; i < class_count; ++i) {
            Depot::instance().give(i, FramePool::shelves_.lists[i],
                                   FramePool::shelves_.lists[i].count);
        }
    }
};

void FramePool::watch_thread_end() {
    set_plain = &ThreadEnd::set_plain;
    thread_local const ThreadEnd end;
    static_cast<void>(end);
}

void* FramePool::allocate_slowly(std::size_t size_bytes) {
    if (!uses_lists || size_bytes > size_max || is_plain) {
        void* memory = ::operator new(size_bytes);
        ++shelves_.taken_count;
        return memory;
    }
    watch_thread_end();
    const std::size_t size_class = class_of(size_bytes);
    FreeList list = Depot::instance().take(size_class);
    if (list.head == nullptr) list = Depot::cut(size_class);
    shelves_.lists[size_class] = list;
    shelves_.taken_count += list.count;
    return allocate(size_bytes);
}

void FramePool::free_slowly(void* memory, std::size_t size_bytes) noexcept {
    if (!uses_lists || size_bytes > size_max || is_plain) {
        ::operator delete(memory, size_bytes);
        --shelves_.taken_count;
        return;
    }
    const std::size_t size_class = class_of(size_bytes);
    FreeList& list = shelves_.lists[size_class];
    if (list.count == unused) {
        watch_thread_end();
        list.count = 0;
    } else {
        Depot::instance().give(size_class, list, batch);
        shelves_.taken_count -= batch;
    }
    free(memory, size_bytes);
}

// ---- Plain frames ----

PlainFrames::PlainFrames() {
    FramePool::free(FramePool::allocate(1), 1);
    if (set_plain != nullptr) set_plain(true);
}

PlainFrames::~PlainFrames() {
    if (set_plain != nullptr) set_plain(false);
}

}  // namespace gyre
