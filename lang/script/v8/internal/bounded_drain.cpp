// SPDX-License-Identifier: Apache-2.0
#include "lang/script/v8/internal/bounded_drain.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "gyre/base/assert.hpp"

// The offsets of the fields of V8's queue. Weak: null in a library that does not export them.
namespace v8::internal {
class MicrotaskQueue {
public:
    [[gnu::weak]] static const std::size_t kRingBufferOffset;
    [[gnu::weak]] static const std::size_t kCapacityOffset;
    [[gnu::weak]] static const std::size_t kSizeOffset;
    [[gnu::weak]] static const std::size_t kStartOffset;
    [[gnu::weak]] static const std::size_t kFinishedMicrotaskCountOffset;
};
}  // namespace v8::internal

namespace gyre::script::v8 {
namespace {

using Queue = ::v8::internal::MicrotaskQueue;

}  // namespace

BoundedDrain::BoundedDrain(::v8::Isolate* isolate, ::v8::MicrotaskQueue* queue)
    : isolate_(isolate),
      own_(queue),
      second_(::v8::MicrotaskQueue::New(isolate, ::v8::MicrotasksPolicy::kExplicit)),
      ring_(queue),
      second_ring_(second_.get()) {
    if (is_bounded()) make_sentinel();
}

BoundedDrain::Ring::Ring(::v8::MicrotaskQueue* queue) noexcept {
    if (!is_bounded()) return;
    const auto field = [&](std::size_t offset) {
        return reinterpret_cast<std::intptr_t*>(reinterpret_cast<std::byte*>(queue) + offset);
    };
    buffer = field(Queue::kRingBufferOffset);
    capacity = field(Queue::kCapacityOffset);
    size = field(Queue::kSizeOffset);
    start = field(Queue::kStartOffset);
    finished = field(Queue::kFinishedMicrotaskCountOffset);
}

void BoundedDrain::Ring::exchange(const Ring& other) const noexcept {
    std::swap(*buffer, *other.buffer);
    std::swap(*capacity, *other.capacity);
    std::swap(*size, *other.size);
    std::swap(*start, *other.start);
}

// V8 makes a heap object of a native job. This takes it out of the queue again and keeps it: a
// chain of single jobs has a sentinel between any two, and an allocation for each would cost more
// than the job.
void BoundedDrain::make_sentinel() {
    const ::v8::HandleScope handles(isolate_);
    own_->EnqueueMicrotask(isolate_, &BoundedDrain::on_sentinel, this);
    // A Local is a pointer to a slot with a reference to the object, as the slots of the ring are.
    std::intptr_t* const place = &ring_.slot(*ring_.start + --*ring_.size);
    static_assert(sizeof(place) == sizeof(::v8::Local<::v8::Data>));
    sentinel_.Reset(isolate_, std::bit_cast<::v8::Local<::v8::Data>>(place));
}

// The collector moves the object, and updates the slot that the global handle points to. Read there
// and not by Get, which would need a scope of handles: this runs between any two jobs of a chain.
void BoundedDrain::queue_sentinel() {
    if (*ring_.size == *ring_.capacity) {
        own_->EnqueueMicrotask(isolate_, &BoundedDrain::on_sentinel, this);  // The ring grows.
        return;
    }
    static_assert(sizeof(sentinel_) == sizeof(std::intptr_t*));
    const std::intptr_t* place = nullptr;
    std::memcpy(&place, &sentinel_, sizeof(place));
    ring_.slot(*ring_.start + *ring_.size) = *place;
    ++*ring_.size;
}

bool BoundedDrain::is_bounded() noexcept {
    return &Queue::kRingBufferOffset != nullptr && &Queue::kCapacityOffset != nullptr &&
           &Queue::kSizeOffset != nullptr && &Queue::kStartOffset != nullptr &&
           &Queue::kFinishedMicrotaskCountOffset != nullptr;
}

void BoundedDrain::set_at_bound(void (*hook)(void*), void* data) noexcept {
    at_bound_ = hook;
    at_bound_data_ = data;
}

std::size_t BoundedDrain::pending() const noexcept {
    return is_bounded() ? static_cast<std::size_t>(*ring_.size) : 1;
}

std::size_t BoundedDrain::run(std::size_t max) {
    GYRE_ASSERT(!is_running_, "a microtask drains the microtasks: return to the loop instead");
    if (!is_bounded()) {
        own_->PerformCheckpoint(isolate_);
        return 1;
    }
    is_running_ = true;
    std::size_t ran = 0;
    if (pending() > max) {
        run_first(max);
        ran = max;
    } else {
        ran = run_own(max);
    }
    is_running_ = false;
    return ran;
}

// Moves the first jobs to the second queue. Its ring must have room: a power of two, grown by V8.
void BoundedDrain::run_first(std::size_t count) {
    const auto wanted = static_cast<std::intptr_t>(count);
    GYRE_ASSERT(*second_ring_.size == 0, "the second queue is empty between two drains");
    // Native jobs that V8 queues make the room; the entries are then overwritten.
    while (*second_ring_.capacity < wanted) {
        second_->EnqueueMicrotask(isolate_, [](void*) {}, nullptr);
    }
    *second_ring_.start = 0;
    for (std::intptr_t i = 0; i < wanted; ++i) second_ring_.slot(i) = ring_.slot(*ring_.start + i);
    *second_ring_.size = wanted;
    *ring_.start = (*ring_.start + wanted) & (*ring_.capacity - 1);
    *ring_.size -= wanted;
    if (at_bound_ != nullptr) at_bound_(at_bound_data_);
    second_->PerformCheckpoint(isolate_);
}

std::size_t BoundedDrain::run_own(std::size_t max) {
    const std::intptr_t before = *ring_.finished;
    goal_ = before + static_cast<std::intptr_t>(max);
    sentinels_ = 0;
    queue_sentinel();
    own_->PerformCheckpoint(isolate_);
    if (*second_ring_.size > 0) ring_.exchange(second_ring_);
    const auto finished = static_cast<std::size_t>(*ring_.finished - before);
    return finished - std::min(finished, sentinels_);
}

// Sentinels count as finished jobs of V8: the goal moves with each.
void BoundedDrain::on_sentinel(void* data) {
    auto* drain = static_cast<BoundedDrain*>(data);
    ++drain->sentinels_;
    ++drain->goal_;
    const Ring& ring = drain->ring_;
    if (*ring.size == 0) return;
    if (drain->at_bound_ != nullptr) drain->at_bound_(drain->at_bound_data_);
    // The sentinel itself is counted when it has returned.
    if (*ring.finished + 1 + *ring.size > drain->goal_) {
        ring.exchange(drain->second_ring_);
    } else {
        drain->queue_sentinel();
    }
}

}  // namespace gyre::script::v8
