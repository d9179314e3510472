// SPDX-License-Identifier: Apache-2.0
// The cases of messages from threads to a loop: Loop::post, and an app machine that takes each op,
// gives it back and runs its callback.
#include "bench/kernel/entries.hpp"
#include "bench/kernel/real_loop.hpp"
#include "bench/post_cases.hpp"
#include "bench/round_trip_cases.hpp"

namespace gyre::bench {
namespace {

struct PostedOp : Op {
    PostedOp() : Op(OpCode::post) {}
    Callback callback;
};

class MessageApp final : public Machine {
public:
    MessageApp() : Machine("messages") {}

protected:
    void tick(Instant) override {
        while (Op* op = next_submission()) {
            // Copied and completed first: the callback may let the poster use the op again.
            const Callback callback = static_cast<PostedOp*>(op)->callback;
            complete(*op, 0);
            callback.run(callback.argument);
        }
    }
};

class MessageLoop {
public:
    using Message = PostedOp;

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
    RealLoop<MessageApp> real_{LoopOptions{}};
};

}  // namespace

std::vector<Entry> message_loop_entries() {
    return {
        {{"post_batch", "post_producer"}, measure_post_batch<MessageLoop>},
        {{"post_single"}, measure_post_single<MessageLoop>},
        {{"post_two_producers"}, measure_post_two_producers<MessageLoop>},
        {{"post_own"}, measure_post_own<MessageLoop>},
        {{"memory_message"}, measure_memory_message<MessageLoop>},
    };
}

}  // namespace gyre::bench
