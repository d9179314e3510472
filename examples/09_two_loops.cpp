// SPDX-License-Identifier: Apache-2.0
// Two loops, each on a thread of its own, exchange ops: an op is submitted to a machine of another
// loop as to one of its own, and completes at its initiator. There are no locks, and only the op is
// shared, which belongs to one side at a time.
//
//     $ build/release/bin/examples/09_two_loops
//     loop 1 asked 1000 times, loop 2 answered
//     the squares add up to 333833500

#include <cstdint>
#include <cstdio>

#include "gyre/app/runtime.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"

using namespace gyre;

class SquareOp : public Request {
public:
    SquareOp() : Request(OpCode::first_custom) {}
    std::int64_t number = 0;
    std::int64_t square = 0;
};

// The app of both loops: answers requests, and sends them if it is given a destination.
class Peer : public Machine {
public:
    Peer() : Machine("peer") {}

    void ask(Runtime& runtime, ThreadId whom) {
        runtime_ = &runtime;
        question_.set_destination(runtime.app_ref(whom));
        question_.number = 1;
        submit(question_);
    }

private:
    void tick(Instant /*now*/) override {
        while (Op* op = next_submission()) {
            auto& asked = static_cast<SquareOp&>(*op);
            asked.square = asked.number * asked.number;
            complete(asked, 0);
        }
        while (next_completion() != nullptr) {
            sum_ += question_.square;
            if (++question_.number <= 1000) {
                submit(question_);
            } else {
                std::printf("loop %u asked 1000 times, loop %u answered\n", ref().thread,
                            question_.destination().thread);
                std::printf("the squares add up to %lld\n", static_cast<long long>(sum_));
                runtime_->stop();
            }
        }
    }
    void on_close() override { cancel(question_, &cancel_message_); }

    Runtime* runtime_ = nullptr;
    SquareOp question_;
    CancelOp cancel_message_;  // Carries a cancellation to the other loop.
    std::int64_t sum_ = 0;
};

int main() {
    platform::SystemClock clock;
    Runtime runtime({
        .loop_count = 2,
        .make_platform = [&clock](ThreadId) { return platform::make_platform(clock).value(); },
        .make_app = [](ThreadId) { return std::make_unique<Peer>(); },
        .on_started =
            [](Runtime& all, Loop& loop, Machine& app) {
                if (loop.thread_id() == 1) static_cast<Peer&>(app).ask(all, 2);
            },
    });
    runtime.start().value();
    runtime.join();
}
