// SPDX-License-Identifier: Apache-2.0
// Messages between two parties: on one thread through slots and rings whose waiting side is a step,
// and between two threads that look for each other's message without waiting.
#include <atomic>
#include <thread>
#include <utility>

#include "bench/affinity.hpp"
#include "bench/peers/callbacks/entries.hpp"
#include "bench/peers/callbacks/run_queue.hpp"
#include "bench/task_cases.hpp"

namespace gyre::bench {
namespace {

// Holds `capacity` messages, a power of two; a side that cannot go on leaves its step, which is
// queued when it can.
class Channel {
public:
    Channel(RunQueue& queue, std::size_t capacity) : queue_(queue), ring_(capacity) {}

    // False when it is full: the step runs when there is room.
    [[gnu::noinline]] bool try_send(std::uint64_t value, Step& sender) {
        if (size_ == ring_.size()) {
            waiting_sender_ = &sender;
            return false;
        }
        ring_[(first_ + size_++) & (ring_.size() - 1)] = value;
        wake(waiting_receiver_);
        return true;
    }
    [[gnu::noinline]] bool try_receive(std::uint64_t& value, Step& receiver) {
        if (size_ == 0) {
            waiting_receiver_ = &receiver;
            return false;
        }
        value = ring_[first_];
        first_ = (first_ + 1) & (ring_.size() - 1);
        --size_;
        wake(waiting_sender_);
        return true;
    }

private:
    void wake(Step*& waiting) {
        if (Step* step = std::exchange(waiting, nullptr)) queue_.push(*step);
    }

    RunQueue& queue_;
    std::vector<std::uint64_t> ring_;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
    Step* waiting_sender_ = nullptr;
    Step* waiting_receiver_ = nullptr;
};

struct Answerer : Step {
    Answerer(Channel& asked, Channel& answered)
        : Step(&Answerer::go_on), questions(asked), answers(answered) {}
    static void go_on(Step& step) {
        auto& self = static_cast<Answerer&>(step);
        std::uint64_t value = 0;
        while (self.questions.try_receive(value, self)) {
            if (!self.answers.try_send(value, self)) std::abort();
        }
    }
    Channel& questions;
    Channel& answers;
};

struct Asker : Step {
    Asker(Channel& asked, Channel& answered, Meter& by)
        : Step(&Asker::go_on), questions(asked), answers(answered), meter(by) {}
    static void go_on(Step& step) {
        auto& self = static_cast<Asker&>(step);
        std::uint64_t value = 0;
        while (!self.is_waiting || self.answers.try_receive(value, self)) {
            self.sum += value;
            self.is_waiting = false;
            if (self.left_count == 0) {
                if (!self.meter.goes_on(2 * tasks_at_once)) return;
                self.left_count = tasks_at_once;
            }
            --self.left_count;
            self.is_waiting = self.questions.try_send(value, self);
        }
    }
    Channel& questions;
    Channel& answers;
    Meter& meter;
    std::uint64_t left_count = 0;
    std::uint64_t sum = 0;
    bool is_waiting = false;
};

void measure_channel_ping_pong(Run& run) {
    Meter meter(run);
    RunQueue queue;
    Channel questions(queue, 1);
    Channel answers(queue, 1);
    Answerer answerer(questions, answers);
    Asker asker(questions, answers, meter);
    queue.push(answerer);
    queue.push(asker);
    queue.run();
    run.report("channel_ping_pong", meter.ns());
}

struct StreamSender : Step {
    StreamSender(Channel& into, Meter& by) : Step(&StreamSender::go_on), channel(into), meter(by) {}
    static void go_on(Step& step) {
        auto& self = static_cast<StreamSender&>(step);
        for (;;) {
            if (self.left_count == 0) {
                if (!self.meter.goes_on(operations_at_once)) return;
                self.left_count = operations_at_once;
            }
            if (!self.channel.try_send(self.left_count, self)) return;
            --self.left_count;
        }
    }
    Channel& channel;
    Meter& meter;
    std::uint64_t left_count = 0;
};

struct StreamReceiver : Step {
    explicit StreamReceiver(Channel& from) : Step(&StreamReceiver::go_on), channel(from) {}
    static void go_on(Step& step) {
        auto& self = static_cast<StreamReceiver&>(step);
        std::uint64_t value = 0;
        while (self.channel.try_receive(value, self)) self.sum += value;
    }
    Channel& channel;
    std::uint64_t sum = 0;
};

void measure_channel_stream(Run& run) {
    Meter meter(run);
    RunQueue queue;
    Channel channel(queue, stream_capacity);
    StreamSender sender(channel, meter);
    StreamReceiver receiver(channel);
    queue.push(receiver);
    queue.push(sender);
    queue.run();
    run.report("channel_stream", meter.ns());
}

// A place for one message between two threads; 0 is none.
struct alignas(64) Mailbox {
    std::atomic<std::uint64_t> message{0};

    void put(std::uint64_t value) noexcept {
        // Release: what was written before the message is there with it.
        message.store(value, std::memory_order_release);
    }
    std::uint64_t take() noexcept {
        for (;;) {
            // Acquire pairs with the release in put.
            if (const std::uint64_t value = message.load(std::memory_order_acquire)) {
                // Relaxed: the other side writes again only after it has had an answer.
                message.store(0, std::memory_order_relaxed);
                return value;
            }
        }
    }
};

void measure_channel_ping_pong_2(Run& run) {
    Mailbox questions;
    Mailbox answers;
    std::thread other([&] {
        const PinnedThread pinned{1};
        std::uint64_t value = 0;
        while (value != last_message) {
            value = questions.take();
            answers.put(value);
        }
    });
    const PinnedThread pinned{0};
    Meter meter(run);
    while (meter.goes_on(2 * tasks_at_once)) {
        for (std::uint64_t i = 1; i <= tasks_at_once; ++i) {
            questions.put(i);
            if (answers.take() != i) std::abort();
        }
    }
    questions.put(last_message);
    (void)answers.take();
    other.join();
    run.report("channel_ping_pong_2", meter.ns());
}

}  // namespace

std::vector<Entry> channel_entries() {
    return {
        {{"channel_ping_pong"}, measure_channel_ping_pong},
        {{"channel_stream"}, measure_channel_stream},
        {{"channel_ping_pong_2"}, measure_channel_ping_pong_2},
    };
}

}  // namespace gyre::bench
