// SPDX-License-Identifier: Apache-2.0
// A platform without I/O: it holds its ops until the test completes them, and its clock advances to
// the deadline of each wait. Lives in one test, on its thread.
#pragma once

#include <functional>
#include <vector>

#include "gyre/kernel/loop.hpp"

namespace gyre::test {

class FakePlatform : public Platform {
public:
    FakePlatform() : Platform("fake") {}

    using Machine::notify;
    using Machine::submit;

    // Completes one of the ops in `held`.
    void finish(Op& op, std::int32_t result) {
        std::erase(held, &op);
        complete(op, result);
    }

    [[nodiscard]] Instant wait(Instant deadline) noexcept override {
        waits.push_back(deadline);
        if (on_wait) on_wait();
        if (deadline > time) {
            if (deadline == Instant::never()) return never_ends ? time : Instant::never();
            time = deadline;
        }
        return time;
    }
    void wake() noexcept override { ++wakes; }
    [[nodiscard]] Instant now() noexcept override { return time; }
    [[nodiscard]] bool is_simulated() const noexcept override { return true; }

    Instant time{1'000};
    bool never_ends = false;
    bool answers_at_once = false;  // completes each op with its own value
    std::function<void()> on_wait;
    std::vector<Instant> waits;
    std::vector<Op*> held;
    std::vector<Op*> completed;
    std::vector<Op*> cancellations;
    bool confirms_cancels = true;
    int wakes = 0;

protected:
    void tick(Instant) override {
        while (Op* op = next_submission()) {
            if (answers_at_once) {
                complete(*op, 7);
            } else {
                held.push_back(op);
            }
        }
        while (Op* op = next_cancellation()) {
            cancellations.push_back(op);
            if (confirms_cancels) finish(*op, failure(std::errc::operation_canceled));
        }
        while (Op* op = next_completion()) completed.push_back(op);
    }
    void on_close() override {
        for (Op* op : std::exchange(held, {}))
            complete(*op, failure(std::errc::operation_canceled));
    }
};

}  // namespace gyre::test
