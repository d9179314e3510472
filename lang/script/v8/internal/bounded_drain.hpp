// SPDX-License-Identifier: Apache-2.0
// BoundedDrain: runs at most N microtasks of a V8 context. V8's own checkpoint has no bound, so
// this reaches into the ring buffer of the queue, at offsets that the library exports:
//
// - More than N jobs wait: N of them move to a second queue, which V8 drains.
// - Otherwise a native job, the sentinel, is queued behind them, and V8 drains its own queue. When
//   the sentinel runs and N is not reached, it queues itself again behind the jobs that came
//   meanwhile; if that would pass N, it exchanges the ring buffers of the two queues: V8 finds its
//   queue empty and returns, and the jobs wait in the second queue, where the collector sees them,
//   until they are exchanged back.
//
// A library without the exported offsets drains without a bound. The thread of the isolate.
#pragma once

#include <v8.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace gyre::script::v8 {

class BoundedDrain {
public:
    BoundedDrain(::v8::Isolate* isolate, ::v8::MicrotaskQueue* queue);

    [[nodiscard]] std::size_t pending() const noexcept;
    // Returns the number of jobs that ran. The caller looks whether the script was terminated.
    std::size_t run(std::size_t max);
    [[nodiscard]] static bool is_bounded() noexcept;
    // Called at every bound, for tests.
    void set_at_bound(void (*hook)(void*), void* data) noexcept;

private:
    // The fields of a queue of V8.
    struct Ring {
        explicit Ring(::v8::MicrotaskQueue* queue) noexcept;
        [[nodiscard]] std::intptr_t& slot(std::intptr_t index) const noexcept {
            return reinterpret_cast<std::intptr_t*>(*buffer)[index & (*capacity - 1)];
        }
        void exchange(const Ring& other) const noexcept;

        std::intptr_t* buffer = nullptr;
        std::intptr_t* capacity = nullptr;
        std::intptr_t* size = nullptr;
        std::intptr_t* start = nullptr;
        std::intptr_t* finished = nullptr;
    };

    static void on_sentinel(void* drain);
    void make_sentinel();
    void queue_sentinel();
    void run_first(std::size_t count);
    std::size_t run_own(std::size_t max);

    ::v8::Isolate* isolate_;
    ::v8::MicrotaskQueue* own_;
    std::unique_ptr<::v8::MicrotaskQueue> second_;
    Ring ring_;
    Ring second_ring_;
    ::v8::Global<::v8::Data> sentinel_;
    std::intptr_t goal_ = 0;  // finished jobs of the own queue at which the bound is reached
    std::size_t sentinels_ = 0;
    bool is_running_ = false;
    void (*at_bound_)(void*) = nullptr;
    void* at_bound_data_ = nullptr;
};

}  // namespace gyre::script::v8
