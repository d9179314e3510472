// SPDX-License-Identifier: Apache-2.0
// A message from one loop to another on a second thread and back, through the library's own means
// between threads. Uses the same adapter as post_cases.hpp, one for each side.
//
// Spinning: both threads turn without waiting. Parked: both wait inside the library; where a loop
// does not park at once, the next message is held back until the other side is parked, and only the
// time from sending to the answer counts. Each loop is made, run and ended by its own thread; the
// threads are pinned to different cores.
#pragma once

#include "bench/post_cases.hpp"

namespace gyre::bench {

enum class Waiting { spin, park };

template <class MessageLoop>
class RoundTrip {
public:
    // Trips for `span_ns`: a fixed number would take for ever on a busy machine.
    RoundTrip(double span_ns, Waiting waiting) : span_ns_(span_ns), waiting_(waiting) {
        question_.callback = {[](void* trip) { self(trip).here_->loop.post(self(trip).answer_); },
                              this};
        answer_.callback = {[](void* trip) { self(trip).on_answer(); }, this};
        farewell_.callback = {[](void* trip) { self(trip).there_.load()->stop(); }, this};
    }

    // Nanoseconds a trip.
    double measure() {
        const PinnedThread pinned{0};
        Side here;
        here_ = &here;
        std::thread other{[this] { live_there(); }};
        while (there_.load() == nullptr) std::this_thread::yield();
        whole_ = {};
        send();
        run(here);
        is_over_.store(true);
        other.join();
        return elapsed_ns_ / trip_count_;
    }

private:
    using Message = typename MessageLoop::Message;

    struct Side {
        MessageLoop loop;
        bool is_stopped = false;

        void stop() {
            is_stopped = true;
            loop.stop();
        }
    };

    static RoundTrip& self(void* argument) { return *static_cast<RoundTrip*>(argument); }

    // The loop must outlive the post that ended it.
    void live_there() {
        const PinnedThread pinned{1};
        Side there;
        there_.store(&there);
        run(there);
        while (!is_over_.load()) std::this_thread::yield();
    }

    void run(Side& side) {
        if (waiting_ == Waiting::park) return side.loop.run();
        while (!side.is_stopped) side.loop.poll();
    }

    void send() {
        if (waiting_ == Waiting::park && MessageLoop::idle_ns_before_park > 0) {
            const Stopwatch idle;
            while (idle.elapsed_ns() < MessageLoop::idle_ns_before_park) continue;
        }
        stopwatch_ = {};
        there_.load()->loop.post(question_);
    }

    void on_answer() {
        elapsed_ns_ += stopwatch_.elapsed_ns();
        ++trip_count_;
        if (whole_.elapsed_ns() < span_ns_) return send();
        there_.load()->loop.post(farewell_);
        here_->stop();
    }

    double span_ns_;
    Waiting waiting_;
    double elapsed_ns_ = 0;
    double trip_count_ = 0;
    Stopwatch whole_;
    Stopwatch stopwatch_;
    Side* here_ = nullptr;
    std::atomic<Side*> there_{nullptr};
    std::atomic<bool> is_over_{false};
    Message question_;
    Message answer_;
    Message farewell_;
};

template <class MessageLoop>
void measure_round_trip_spinning(Run& run) {
    RoundTrip<MessageLoop> round_trip{run.span_ns(), Waiting::spin};
    run.report("round_trip_spinning", round_trip.measure());
}

template <class MessageLoop>
void measure_round_trip_parked(Run& run) {
    RoundTrip<MessageLoop> round_trip{run.span_ns(), Waiting::park};
    run.report("round_trip_parked", round_trip.measure());
}

// empty_turn: a turn of a loop that has one timer, which is far from due.
template <class TurnLoop>
void measure_empty_turn(Run& run) {
    TurnLoop loop;
    run.report("empty_turn", ns_per_operation(run.span_ns(), [&] { loop.poll(); }));
}

// memory_loop: what a loop that has turned once holds of malloc's memory, itself included.
template <class TurnLoop>
void measure_memory_loop(Run& run) {
    constexpr std::size_t loop_count = 100;
    std::vector<std::unique_ptr<TurnLoop>> loops;
    loops.reserve(loop_count);
    const HeapMeter heap;
    for (std::size_t i = 0; i < loop_count; ++i) {
        loops.push_back(std::make_unique<TurnLoop>());
        loops.back()->poll();
    }
    run.report("memory_loop", heap.bytes_per(loop_count));
}

// memory_message: what a message that waits in the loop holds, its own size included.
template <class MessageLoop>
void measure_memory_message(Run& run) {
    constexpr std::size_t message_count = 65'536;
    MessageLoop loop;
    loop.poll();
    const HeapMeter heap;
    auto messages =
        make_messages<typename MessageLoop::Message>(message_count, {[](void*) {}, nullptr});
    for (auto& message : messages) loop.post(message);
    run.report("memory_message", heap.bytes_per(message_count));
    for (std::size_t i = 0; i < message_count; ++i) loop.poll();
}

// `TurnLoop` is a MessageLoop that has a timer, so that nobody gets away without its I/O part.
template <class MessageLoop, class TurnLoop>
std::vector<Entry> message_entries() {
    return {
        {{"post_batch", "post_producer"}, measure_post_batch<MessageLoop>},
        {{"post_single"}, measure_post_single<MessageLoop>},
        {{"post_two_producers"}, measure_post_two_producers<MessageLoop>},
        {{"post_own"}, measure_post_own<MessageLoop>},
        {{"round_trip_spinning"}, measure_round_trip_spinning<MessageLoop>},
        {{"round_trip_parked"}, measure_round_trip_parked<MessageLoop>},
        {{"empty_turn"}, measure_empty_turn<TurnLoop>},
        {{"memory_loop"}, measure_memory_loop<TurnLoop>},
        {{"memory_message"}, measure_memory_message<MessageLoop>},
    };
}

}  // namespace gyre::bench
