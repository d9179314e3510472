// SPDX-License-Identifier: Apache-2.0
// For the tests of the pools: a loop on epoll with an app machine, and work that blocks at a gate.
// One test, one thread.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "gyre/kernel/loop.hpp"
#include "tests/support/named_platform.hpp"
#include "tests/support/test_app.hpp"
#include "tests/support/test_world.hpp"

namespace gyre::pool::test {

struct World : gyre::test::TestWorld<gyre::test::TestApp, gyre::test::NamedPlatform> {
    explicit World(Offload& offload)
        : TestWorld({.name = "epoll", .thread_count = 0}, {.offload = &offload}) {}

    // Turns until the pool has the op, or the op is completed.
    void hand_over(Op& op) {
        app.submit(op);
        while (op.state() == OpState::submitted) loop.turn();
    }

    Platform& platform = outside.platform();
};

// Blocks threads until it is opened.
class Gate {
public:
    void pass() {
        std::unique_lock lock(mutex_);
        ++arrived_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return is_open_; });
    }
    void open() {
        const std::lock_guard lock(mutex_);
        is_open_ = true;
        changed_.notify_all();
    }
    void await_arrived(int count) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this, count] { return arrived_ >= count; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int arrived_ = 0;
    bool is_open_ = false;
};

class GatedWork : public WorkOp {
public:
    explicit GatedWork(Gate& gate, WorkKind of_kind = WorkKind::user) noexcept
        : WorkOp(run, of_kind), gate_(gate) {}
    static constexpr std::int32_t passed = 7;

private:
    static std::int32_t run(WorkOp& op) noexcept {
        static_cast<GatedWork&>(op).gate_.pass();
        return passed;
    }
    Gate& gate_;
};

inline std::int32_t do_nothing(WorkOp& /*op*/) noexcept {
    return 0;
}

}  // namespace gyre::pool::test
