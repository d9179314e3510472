// SPDX-License-Identifier: Apache-2.0
#include "lang/script/v8/internal/bounded_drain.hpp"

#include <algorithm>
#include <bit>
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

std::intptr_t& field(::v8::MicrotaskQueue* queue, std::size_t offset) noexcept {
    return *reinterpret_cast<std::intptr_t*>(reinterpret_cast<std::byte*>(queue) + offset);
}
std::intptr_t& size_of(::v8::MicrotaskQueue* queue) noexcept {
    return field(queue, Queue::kSizeOffset);
}
std::intptr_t& finished_of(::v8::MicrotaskQueue* queue) noexcept {
    return field(queue, Queue::kFinishedMicrotaskCountOffset);
}
std::intptr_t& slot(::v8::MicrotaskQueue* queue, std::intptr_t index) noexcept {
    auto* ring = reinterpret_cast<std::intptr_t*>(field(queue, Queue::kRingBufferOffset));
    return ring[index & (field(queue, Queue::kCapacityOffset) - 1)];
}

void exchange(::v8::MicrotaskQueue* one, ::v8::MicrotaskQueue* other) noexcept {
    for (const std::size_t offset : {Queue::kRingBufferOffset, Queue::kCapacityOffset,
                                     Queue::kSizeOffset, Queue::kStartOffset}) {
        std::swap(field(one, offset), field(other, offset));
    }
}

}  // namespace

BoundedDrain::BoundedDrain(::v8::Isolate* isolate, ::v8::MicrotaskQueue* queue)
    : isolate_(isolate),
      own_(queue),
      second_(::v8::MicrotaskQueue::New(isolate, ::v8::MicrotasksPolicy::kExplicit)) {
    if (is_bounded()) make_sentinel();
}

// V8 makes a heap object of a native job. This takes it out of the queue again and keeps it: a
// chain of single jobs has a sentinel between any two, and an allocation for each would cost more
// than the job.
void BoundedDrain::make_sentinel() {
    const ::v8::HandleScope handles(isolate_);
    own_->EnqueueMicrotask(isolate_, &BoundedDrain::on_sentinel, this);
    const std::intptr_t last = field(own_, Queue::kStartOffset) + --size_of(own_);
    // A Local is a pointer to a slot with a reference to the object, as the slots of the ring are.
    std::intptr_t* const place = &slot(own_, last);
    static_assert(sizeof(place) == sizeof(::v8::Local<::v8::Data>));
    sentinel_.Reset(isolate_, std::bit_cast<::v8::Local<::v8::Data>>(place));
}

// The collector moves the object, and updates the slot of the global handle.
void BoundedDrain::queue_sentinel() {
    if (size_of(own_) == field(own_, Queue::kCapacityOffset)) {
        own_->EnqueueMicrotask(isolate_, &BoundedDrain::on_sentinel, this);  // The ring grows.
        return;
    }
    const ::v8::HandleScope handles(isolate_);
    const auto place = std::bit_cast<std::intptr_t*>(sentinel_.Get(isolate_));
    slot(own_, field(own_, Queue::kStartOffset) + size_of(own_)) = *place;
    ++size_of(own_);
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
    return is_bounded() ? static_cast<std::size_t>(size_of(own_)) : 1;
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
    ::v8::MicrotaskQueue* second = second_.get();
    GYRE_ASSERT(size_of(second) == 0, "the second queue is empty between two drains");
    // Native jobs that V8 queues make the room; the entries are then overwritten.
    while (field(second, Queue::kCapacityOffset) < wanted) {
        second->EnqueueMicrotask(isolate_, [](void*) {}, nullptr);
    }
    std::intptr_t& start = field(own_, Queue::kStartOffset);
    field(second, Queue::kStartOffset) = 0;
    for (std::intptr_t i = 0; i < wanted; ++i) slot(second, i) = slot(own_, start + i);
    size_of(second) = wanted;
    start = (start + wanted) & (field(own_, Queue::kCapacityOffset) - 1);
    size_of(own_) -= wanted;
    if (at_bound_ != nullptr) at_bound_(at_bound_data_);
    second->PerformCheckpoint(isolate_);
}

std::size_t BoundedDrain::run_own(std::size_t max) {
    const std::intptr_t before = finished_of(own_);
    goal_ = before + static_cast<std::intptr_t>(max);
    sentinels_ = 0;
    queue_sentinel();
    own_->PerformCheckpoint(isolate_);
    if (size_of(second_.get()) > 0) exchange(own_, second_.get());
    const auto finished = static_cast<std::size_t>(finished_of(own_) - before);
    return finished - std::min(finished, sentinels_);
}

// Sentinels count as finished jobs of V8: the goal moves with each.
void BoundedDrain::on_sentinel(void* data) {
    auto* drain = static_cast<BoundedDrain*>(data);
    ++drain->sentinels_;
    ++drain->goal_;
    const std::intptr_t waiting = size_of(drain->own_);
    if (waiting == 0) return;
    if (drain->at_bound_ != nullptr) drain->at_bound_(drain->at_bound_data_);
    // The sentinel itself is counted when it has returned.
    if (finished_of(drain->own_) + 1 + waiting > drain->goal_) {
        exchange(drain->own_, drain->second_.get());
    } else {
        drain->queue_sentinel();
    }
}

}  // namespace gyre::script::v8
