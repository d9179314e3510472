// SPDX-License-Identifier: Apache-2.0
// For tests of the loop: an observer that records each step as text. One test, one thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gyre/kernel/machine.hpp"
#include "gyre/kernel/observer.hpp"

namespace gyre::test {

class Recorder : public Observer {
public:
    void on_submit(const Op& op, const Machine& by) noexcept override {
        steps.push_back(std::string("submit ") + name_of(op.code()) + " by " + by.name());
    }
    void on_route(const Op& op, Lane lane, const Machine* to) noexcept override {
        static constexpr const char* lanes[] = {"submission", "cancellation", "completion",
                                                "notification"};
        steps.push_back(std::string("route ") + lanes[static_cast<int>(lane)] + " of " +
                        name_of(op.code()) + " to " + (to == nullptr ? "a peer" : to->name()));
        if (on_routed) on_routed(op);
    }
    void on_complete(const Op& op, const Machine& by) noexcept override {
        steps.push_back(std::string("complete ") + name_of(op.code()) + " at " + by.name());
    }
    void on_tick(const Machine& machine, Instant) noexcept override {
        steps.push_back(std::string("tick ") + machine.name());
    }
    void on_wait(Instant) noexcept override { steps.emplace_back("wait"); }
    void on_waited(Instant) noexcept override { steps.emplace_back("waited"); }

    std::vector<std::string> steps;
    std::function<void(const Op&)> on_routed;
};

}  // namespace gyre::test
