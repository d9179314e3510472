// SPDX-License-Identifier: Apache-2.0
// A custom op kind, served by a machine: a kettle that boils once for all waiting ops. Each op is
// completed once: refused, cancelled on request, or served.
//
//     $ build/release/bin/examples/07_own_op
//     tea for 9: Invalid argument
//     tea for 1: Operation canceled
//     tea for 2: Success

#include <cstdio>
#include <utility>
#include <vector>

#include "gyre/app/program.hpp"

using namespace gyre;

struct TeaOp : Request {
    explicit TeaOp(int cup_count) : Request(OpCode::first_custom), cups(cup_count) {}
    int cups;
};

class Kettle : public Machine {
public:
    Kettle() : Machine("kettle") {}

private:
    void tick(Instant now) override {
        while (auto* tea = static_cast<TeaOp*>(next_submission())) {
            tea->cups <= 4 ? waiting_.push_back(tea)
                           : complete(*tea, failure(std::errc::invalid_argument));
        }
        while (Op* op = next_cancellation()) {
            std::erase(waiting_, op);
            complete(*op, failure(std::errc::operation_canceled));
        }
        while (const Op* boiled = next_completion()) {
            for (Op* op : std::exchange(waiting_, {})) complete(*op, boiled->result());
        }
        if (waiting_.empty() || boiling_.is_in_flight()) return;
        boiling_.deadline = now + std::chrono::milliseconds(5);
        submit(boiling_);
    }
    void on_close() override { cancel(boiling_); }  // Also completes the ops that wait for it.

    TimerOp boiling_;
    std::vector<Op*> waiting_;
};

class Guests : public Machine {
public:
    Guests() : Machine("guests") { add_child(kettle_); }

    void start() {
        for (TeaOp* tea : {&two_, &nine_, &one_}) {
            tea->set_destination(kettle_.ref());
            submit(*tea);
        }
    }

private:
    void tick(Instant /*now*/) override {
        while (const auto* tea = static_cast<const TeaOp*>(next_completion())) {
            const std::string outcome = Error::of_result(tea->result()).message();
            std::printf("tea for %d: %s\n", tea->cups, outcome.c_str());
            if (tea == &nine_) cancel(one_);
        }
    }

    TeaOp two_{2}, nine_{9}, one_{1};
    Kettle kettle_;
};

int main() {
    Program program;
    Guests guests;
    Loop loop(program.platform(), guests, program.loop_options());
    guests.start();
    loop.run();
}
