// SPDX-License-Identifier: Apache-2.0
// The cases of a queue that a program writes beside a WakeOp, as users of other libraries do beside
// their wake-up: messages wait in a vector under a mutex, and a ring while one is under way is
// dropped.
#include "bench/kernel/entries.hpp"
#include "bench/kernel/real_loop.hpp"
#include "bench/peers/user_queue.hpp"
#include "bench/post_cases.hpp"

namespace gyre::bench {
namespace {

class DoorbellApp final : public Machine {
public:
    DoorbellApp() : Machine("doorbell") {}
    void start() { submit(bell_); }

    void push(std::span<const PlainMessage> messages) {
        queue_.push(messages);
        bell_.ring();
    }

protected:
    void tick(Instant) override {
        while (next_notification() != nullptr) queue_.run_all();
        while (next_completion() != nullptr) continue;
    }
    void on_close() override { cancel(bell_); }

private:
    WakeOp bell_;
    UserQueue queue_;
};

class DoorbellLoop {
public:
    using Message = PlainMessage;

    DoorbellLoop() { real_.app.start(); }

    void post(Message& message) { post_many({&message, 1}); }
    void post_many(std::span<Message> messages) { real_.app.push(messages); }
    void run() { (void)real_.loop.run_until_stopped(); }
    void poll() { real_.poll(); }
    void stop() { real_.loop.stop(); }

private:
    RealLoop<DoorbellApp> real_{LoopOptions{}};
};

void measure_doorbell(Run& run) {
    for (int pass = 0; pass < 2; ++pass) {
        const StreamResult result = stream_posts<DoorbellLoop>(run, 1, Posting::batches);
        run.report("doorbell_batch", result.total_ns);
        run.report("doorbell_producer", result.producing_ns);
    }
}

}  // namespace

std::vector<Entry> doorbell_entries() {
    return {{{"doorbell_batch", "doorbell_producer"}, measure_doorbell}};
}

}  // namespace gyre::bench
