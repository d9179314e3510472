// SPDX-License-Identifier: Apache-2.0
// LyingGuest: a guest for tests that breaks the protocol, in one way at a time or by a list of
// steps. It counts the calls into it: after a violation there must be none.
#pragma once

#include <deque>
#include <functional>
#include <set>
#include <stdexcept>
#include <vector>

#include "gyre/effect/guest.hpp"
#include "gyre/effect/run_outcome.hpp"

namespace gyre::effect {

class LyingGuest final : public Guest {
public:
    explicit LyingGuest(std::vector<OpInfo> ops) : ops_(std::move(ops)) {}

    // The steps of the next calls, in order; after them each call ends with no value.
    std::deque<std::function<Step(LyingGuest&, TaskHost&)>> steps;

    [[nodiscard]] std::span<const OpInfo> ops() const noexcept override { return ops_; }
    [[nodiscard]] Step start(std::string_view /*entry*/, Arguments /*arguments*/,
                             TaskHost& tasks) override {
        ++starts;
        return next(tasks);
    }
    [[nodiscard]] Step resume(Continuation at, Value /*answer*/, TaskHost& tasks) override {
        ++resumes;
        take_back(at);
        return next(tasks);
    }
    [[nodiscard]] Step end(Continuation at, Value value, TaskHost& /*tasks*/) override {
        ++ends;
        take_back(at);
        Step step;
        step.value = std::move(value);
        return step;
    }
    void release(Continuation at) noexcept override {
        ++releases;
        take_back(at);
    }

    // A proper request of the op with that number, to be spoilt.
    [[nodiscard]] Step request(std::size_t op = 0) {
        Step step;
        step.status = StepStatus::effect;
        step.op = &ops_.at(op);
        step.kind = step.op->kind;
        step.arguments = {1};
        step.continuation = new_continuation();
        return step;
    }
    [[nodiscard]] Continuation new_continuation() {
        held.insert(++last_);
        return last_;
    }

    std::set<Continuation> held;
    int starts = 0;
    int resumes = 0;
    int ends = 0;
    int releases = 0;
    int taken_twice = 0;  // a continuation that was given back before

private:
    [[nodiscard]] Step next(TaskHost& tasks) {
        if (steps.empty()) return {};
        auto step = std::move(steps.front());
        steps.pop_front();
        return step(*this, tasks);
    }
    void take_back(Continuation at) noexcept { taken_twice += held.erase(at) == 0 ? 1 : 0; }

    std::vector<OpInfo> ops_;
    Continuation last_ = 0;
};

}  // namespace gyre::effect
