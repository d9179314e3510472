// SPDX-License-Identifier: Apache-2.0
// The cases of messages to a loop, written once for every C++ program.
//
// An adapter `MessageLoop` owns one loop and has
//     Message                            has a public `callback`; need not move; is posted by
//                                        reference and may be posted again once it has run
//     void post(Message&)                from any thread
//     void post_many(std::span<Message>) the same for a batch, in one call where there is such
//     void run()                         turns that park, until stop()
//     void poll()                        one turn that does not wait
//     void stop()                        from a callback only
//     idle_ns_before_park                how long the loop must have been idle to be parked; 0
//                                        where it parks at once
// The loop is run by the main thread, producers are threads of their own. A case's time is end to
// end: from the gate's opening to the last callback, divided by the number of messages. The loop
// is pinned to the first core, producers to the following ones, beginning again with the first
// where there are no more: on two cores a second producer shares the loop's.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <span>
#include <thread>

#include "bench/affinity.hpp"
#include "bench/protocol.hpp"
#include "bench/stopwatch.hpp"
#include "bench/workload.hpp"

namespace gyre::bench {

struct Callback {
    void (*run)(void* argument) = nullptr;
    void* argument = nullptr;
};

// A message for libraries that copy what they are given.
struct PlainMessage {
    Callback callback;
};

template <class Message>
std::vector<Message> make_messages(std::size_t count, Callback callback) {
    std::vector<Message> messages(count);
    for (Message& message : messages) message.callback = callback;
    return messages;
}

// One producer's ring of messages. `delivered` is written by the loop's thread alone; a slot is
// posted again only after its message has run.
template <class MessageLoop>
class Producer {
public:
    Producer(MessageLoop& loop, std::uint64_t total_count, std::uint64_t& remaining_count)
        : loop_(loop),
          total_count_(total_count),
          remaining_count_(remaining_count),
          messages_(make_messages<Message>(post_window, {&Producer::on_message, this})) {}

    void produce_single() {
        for (std::uint64_t posted = 0; posted < total_count_; ++posted) {
            wait_for_room(posted + 1);
            loop_.post(messages_[posted % post_window]);
        }
    }

    void produce_batches() {
        for (std::uint64_t posted = 0; posted < total_count_; posted += post_batch) {
            wait_for_room(posted + post_batch);
            const Stopwatch stopwatch;
            loop_.post_many({&messages_[posted % post_window], post_batch});
            producing_ns_ += stopwatch.elapsed_ns();
        }
    }

    [[nodiscard]] double producing_ns() const noexcept { return producing_ns_; }

private:
    using Message = typename MessageLoop::Message;

    static void on_message(void* argument) {
        auto& self = *static_cast<Producer*>(argument);
        // Release: the producer that sees the count may write the message's slot again.
        self.delivered_count_.store(self.delivered_count_.load(std::memory_order_relaxed) + 1,
                                    std::memory_order_release);
        if (--self.remaining_count_ == 0) self.loop_.stop();
    }

    void wait_for_room(std::uint64_t posted_after) {
        while (posted_after > seen_count_ + post_window) {
            // Acquire pairs with the release in on_message.
            seen_count_ = delivered_count_.load(std::memory_order_acquire);
            if (posted_after > seen_count_ + post_window) std::this_thread::yield();
        }
    }

    MessageLoop& loop_;
    std::uint64_t total_count_;
    std::uint64_t& remaining_count_;
    std::vector<Message> messages_;
    std::uint64_t seen_count_ = 0;
    double producing_ns_ = 0;
    alignas(64) std::atomic<std::uint64_t> delivered_count_{0};
};

enum class Posting { single, batches };

struct StreamResult {
    double total_ns;
    double producing_ns;
};

template <class MessageLoop>
StreamResult stream_posts(const Run& run, std::size_t producer_count, Posting posting) {
    // A multiple of every batch and number of producers.
    const std::uint64_t wanted = run.is_quick() ? post_count_quick : post_count_full;
    const std::uint64_t each_count = wanted / producer_count / post_batch * post_batch;
    const std::uint64_t all_count = each_count * producer_count;

    const PinnedThread pinned_loop{0};
    MessageLoop loop;
    std::uint64_t remaining_count = all_count;
    std::deque<Producer<MessageLoop>> producers;
    std::deque<std::thread> threads;
    std::atomic<bool> is_open{false};
    for (std::size_t i = 0; i < producer_count; ++i) {
        auto& producer = producers.emplace_back(loop, each_count, remaining_count);
        threads.emplace_back([&producer, &is_open, posting, core = i + 1] {
            const PinnedThread pinned_producer{core};
            while (!is_open.load()) std::this_thread::yield();
            if (posting == Posting::single) return producer.produce_single();
            producer.produce_batches();
        });
    }

    Stopwatch stopwatch;
    is_open.store(true);
    loop.run();
    const double total_ns = stopwatch.lap_ns_per(all_count);
    for (std::thread& thread : threads) thread.join();
    return {total_ns, producers[0].producing_ns() / static_cast<double>(each_count)};
}

template <class MessageLoop>
void measure_post_batch(Run& run) {
    for (int pass = 0; pass < 2; ++pass) {
        const StreamResult result = stream_posts<MessageLoop>(run, 1, Posting::batches);
        run.report("post_batch", result.total_ns);
        run.report("post_producer", result.producing_ns);
    }
}

template <class MessageLoop>
void measure_post_single(Run& run) {
    run.report("post_single", stream_posts<MessageLoop>(run, 1, Posting::single).total_ns);
}

template <class MessageLoop>
void measure_post_two_producers(Run& run) {
    run.report("post_two_producers", stream_posts<MessageLoop>(run, 2, Posting::single).total_ns);
}

// post_own: the loop's own thread posts 64 messages one by one, then turns until they have run.
template <class MessageLoop>
void measure_post_own(Run& run) {
    MessageLoop loop;
    std::uint64_t run_count = 0;
    const Callback count_one{[](void* count) { ++*static_cast<std::uint64_t*>(count); },
                             &run_count};
    auto messages = make_messages<typename MessageLoop::Message>(post_batch, count_one);

    const double batch_ns = ns_per_operation(run.span_ns(), [&] {
        const std::uint64_t target = run_count + post_batch;
        for (auto& message : messages) loop.post(message);
        while (run_count < target) loop.poll();
    });
    run.report("post_own", batch_ns / static_cast<double>(post_batch));
}

}  // namespace gyre::bench
