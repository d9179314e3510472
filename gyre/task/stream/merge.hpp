// SPDX-License-Identifier: Apache-2.0
// merge: one stream of several: values as they become ready, those of each source in its order.
//
//     auto events = merge(key_presses(), ticks(1s));
//     while (auto event = co_await events.next()) handle(*event);
//
// Thread: one executor's thread.
// Lifetime: the sources are moved in; each runs in a task from the first `next` on, and is closed
// before the merged stream ends.
// Cancel: of `next`: ends the stream.
//
// A source is at most one value ahead of the consumer, and has the deadline of the last `next`. The
// stream ends when all sources have ended; the first failure ends it and closes the others.
#pragma once

#include <concepts>
#include <utility>
#include <vector>

#include "gyre/task/core/task.hpp"
#include "gyre/task/stream/stream.hpp"

namespace gyre {

template <class T>
class Merge {
public:
    void start(std::vector<Stream<T>>& streams, Scope& scope) {
        running_ = streams.size();
        for (Stream<T>& stream : streams) scope.spawn(pump, std::move(stream), this);
    }

    [[nodiscard]] bool has_ready() const noexcept { return !ready_.empty(); }
    // Takes the first ready value; its source goes on.
    [[nodiscard]] T take() {
        GYRE_ASSERT(has_ready(), "no source is ready: ask has_ready() first");
        Offer& offer = *ready_.pop_front();
        T value = std::move(offer.value);
        wake_all(offer.source);
        return value;
    }
    // Whether a source is still running.
    [[nodiscard]] bool is_running() const noexcept { return running_ > 0; }
    // Waits until something changes.
    [[nodiscard]] auto changed() noexcept { return Listed{consumer_}; }

private:
    // Waits in the list until it is woken. Cancel class: did nothing.
    struct [[nodiscard]] Listed {
        WaitQueue& list;
        [[nodiscard]] auto await_in(PromiseBase& promise) const noexcept {
            return Await(promise, list);
        }
        class Await final : public ListedWait {
        public:
            Await(PromiseBase& promise, WaitQueue& list) noexcept : list_(list) { attach(promise); }
            [[nodiscard]] bool await_ready() noexcept { return begin(); }
            void await_suspend(std::coroutine_handle<> by) noexcept {
                list_.push_fresh(*this);
                wait(by);
            }
            void await_resume() { end(); }
            [[nodiscard]] const char* what() const noexcept override { return "merged streams"; }

        private:
            WaitQueue& list_;
        };
    };
    // A value that waits for the consumer, and the source that waits until it is taken.
    struct Offer : Link<struct OfferLinks> {
        explicit Offer(T given) : value(std::move(given)) {}
        Offer(const Offer&) = delete;
        Offer& operator=(const Offer&) = delete;
        ~Offer() {
            if (this->is_linked()) this->unlink();
        }
        T value;
        WaitQueue source;
    };

    static Future<void> pump(Stream<T> stream, Merge* merge) {
        std::exception_ptr failure;
        try {
            while (auto value = co_await stream.next()) {
                Offer offer(*std::move(value));
                merge->ready_.push_back(offer);
                wake_all(merge->consumer_);
                co_await Listed{offer.source};
            }
        } catch (...) {
            failure = std::current_exception();
        }
        --merge->running_;
        wake_all(merge->consumer_);
        co_await stream.aclose();
        if (failure != nullptr) std::rethrow_exception(failure);
    }

    std::size_t running_ = 0;
    Queue<Offer, struct OfferLinks> ready_;
    WaitQueue consumer_;
};

template <class T>
[[nodiscard]] Stream<T> merge(std::vector<Stream<T>> streams) {
    const Task& first = co_await this_task();
    // The scope has no owner: the next consumer may be another task.
    Merge<T> merged;
    Scope scope(first.executor(), nullptr, {.name = "merge"});
    scope.set_deadline(first.scope().deadline());
    merged.start(streams, scope);
    std::exception_ptr failure;
    try {
        for (;;) {
            while (merged.has_ready()) {
                co_yield merged.take();
                const Task& next = co_await this_task();
                scope.set_deadline(next.scope().deadline());
            }
            if (!merged.is_running()) break;
            co_await merged.changed();
        }
    } catch (...) {
        failure = std::current_exception();
        scope.cancel("its merged stream is closed");
    }
    co_await scope.join();
    if (failure != nullptr) std::rethrow_exception(failure);
}

template <class T, std::same_as<Stream<T>>... Others>
[[nodiscard]] Stream<T> merge(Stream<T> first, Others... others) {
    std::vector<Stream<T>> streams;
    streams.reserve(1 + sizeof...(others));
    streams.push_back(std::move(first));
    (streams.push_back(std::move(others)), ...);
    return merge(std::move(streams));
}

}  // namespace gyre
