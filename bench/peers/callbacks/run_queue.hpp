// SPDX-License-Identifier: Apache-2.0
// What a program without coroutines would write: a step is a struct with a function, and a queue of
// steps runs them in order. One thread a queue; a step is its owner's, and in one queue at most.
#pragma once

namespace gyre::bench {

struct Step {
    explicit Step(void (*function)(Step&)) noexcept : run(function) {}
    void (*run)(Step& step);
    Step* next = nullptr;
};

class RunQueue {
public:
    void push(Step& step) noexcept {
        step.next = nullptr;
        *end_ = &step;
        end_ = &step.next;
    }
    // Until nothing is left, what steps push meanwhile included.
    void run() {
        while (Step* step = first_) {
            first_ = step->next;
            if (first_ == nullptr) end_ = &first_;
            step->run(*step);
        }
    }

private:
    Step* first_ = nullptr;
    Step** end_ = &first_;
};

}  // namespace gyre::bench
