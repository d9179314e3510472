// SPDX-License-Identifier: Apache-2.0
// The cases of messages from threads to a loop: Loop::post, and an app machine that takes each op,
// gives it back and runs its callback. And two such loops that are idle.
#include "bench/idle_cases.hpp"
#include "bench/kernel/entries.hpp"
#include "bench/kernel/real_loop.hpp"
#include "bench/post_cases.hpp"
#include "bench/round_trip_cases.hpp"

namespace gyre::bench {
namespace {

struct MessageOp : Op {
    MessageOp() : Op(OpCode::post) {}
    Callback callback;
};
// Two threads take turns with it: neighbours must not share its lines of the cache.
struct alignas(64) TurnsOp : MessageOp {};

class MessageApp : public Machine {
public:
    MessageApp() : Machine("messages") {}
    void start() {}

protected:
    void tick(Instant) override {
        while (Op* op = next_submission()) {
            // Copied and completed first: the callback may let the poster use the op again.
            const Callback callback = static_cast<MessageOp*>(op)->callback;
            complete(*op, 0);
            callback.run(callback.argument);
        }
    }
};

// With the timer of a program that does nothing else.
class TickingApp final : public MessageApp {
public:
    void start() {
        timer_.deadline = loop().now() + std::chrono::milliseconds(idle_timer_ms);
        submit(timer_);
    }

protected:
    void tick(Instant now) override {
        while (Op* op = next_completion()) {
            if (!op->is_cancelled()) start();
        }
        MessageApp::tick(now);
    }
    void on_close() override { cancel(timer_); }

private:
    TimerOp timer_;
};

template <class App, class MessageOf = TurnsOp>
class LoopOf {
public:
    using Message = MessageOf;

    LoopOf() { real_.app.start(); }

    void post(Message& message) {
        if (!real_.loop.post(message)) std::abort();
    }
    void post_many(std::span<Message> messages) {
        OpQueue batch;
        for (Message& message : messages) batch.push_back(message);
        if (!real_.loop.post_all(batch)) std::abort();
    }
    void run() { (void)real_.loop.run_until_stopped(); }
    void poll() { real_.poll(); }
    void stop() { real_.loop.stop(); }

private:
    RealLoop<App> real_{LoopOptions{}};
};

using MessageLoop = LoopOf<MessageApp>;

}  // namespace

std::vector<Entry> message_loop_entries() {
    return {
        {{"post_batch", "post_producer"}, measure_post_batch<MessageLoop>},
        {{"post_single"}, measure_post_single<MessageLoop>},
        {{"post_two_producers"}, measure_post_two_producers<MessageLoop>},
        {{"post_own"}, measure_post_own<MessageLoop>},
        {{"memory_message"}, measure_memory_message<LoopOf<MessageApp, MessageOp>>},
        {{"idle_cpu"}, measure_idle_cpu<LoopOf<TickingApp>>},
    };
}

}  // namespace gyre::bench
