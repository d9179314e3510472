// SPDX-License-Identifier: Apache-2.0
// A channel: a bounded queue between two machines. The consumer lends its ring buffer with a
// standing op; the producer pushes and rings. The completion ends the stream, and counts as a ring.
//
//     $ build/release/bin/examples/08_channel
//     consumer: 1 4 9 16 25
//     consumer: the stream ended with 0

#include <chrono>
#include <cstdio>

#include "gyre/app/program.hpp"

using namespace gyre;
using namespace std::chrono_literals;

class Producer : public Machine {
public:
    Producer() : Machine("producer") {}

private:
    void tick(Instant now) override {
        while (Op* op = next_submission()) {
            channel_ = static_cast<ChannelOp<int>*>(op);
            push_next(now);
        }
        while (next_completion() != nullptr) push_next(now);
    }

    // One number per millisecond. If the ring is full it tries again later: back-pressure.
    void push_next(Instant now) {
        if (channel_->ring().push(number_ * number_)) {
            notify(*channel_);
            ++number_;
        }
        if (number_ > 5) return complete(*channel_, 0);
        timer_.deadline = now + 1ms;
        submit(timer_);
    }

    ChannelOp<int>* channel_ = nullptr;
    TimerOp timer_;
    int number_ = 1;
};

class Consumer : public Machine {
public:
    Consumer() : Machine("consumer") { add_child(producer_); }

    void start() {
        std::printf("consumer:");
        channel_.set_destination(producer_.ref());
        submit(channel_);
    }

private:
    void tick(Instant /*now*/) override {
        while (next_notification() != nullptr) print_all();
        while (const Op* op = next_completion()) {
            print_all();
            std::printf("\nconsumer: the stream ended with %d\n", op->result());
        }
    }

    void print_all() {
        while (const auto number = ring_.pop()) std::printf(" %d", *number);
    }

    SpscRing<int> ring_{4};
    ChannelOp<int> channel_{ring_};
    Producer producer_;
};

int main() {
    Program program;
    Consumer consumer;
    Loop loop(program.platform(), consumer, program.loop_options());
    consumer.start();
    loop.run();
}
