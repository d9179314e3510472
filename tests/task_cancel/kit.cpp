// SPDX-License-Identifier: Apache-2.0
#include "tests/task_cancel/kit.hpp"

#include <gtest/gtest.h>

#include "gyre/task/core/detail/frame_pool.hpp"

namespace gyre::task_cancel {
namespace {

constexpr int steps_max = 10'000;

bool is_cancelled(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const Cancelled&) {
        return true;
    } catch (...) {
        return false;
    }
}

}  // namespace

Stage::Stage()
    : executor({.tasks_per_tick_max = 1}),
      loop(platform, executor, {.offload = &platform.offload(), .rounds_per_turn_max = 1}) {}

Stage::~Stage() {
    loop.close();
}

class Rehearsal {
public:
    Rehearsal(const Program& program, Requests requests)
        : requests_(requests),
          descriptors_before_(stage_.platform.descriptor_count()),
          victim_(stage_.executor.root().spawn(
              [&program](Stage* stage) { return program.body(*stage); }, &stage_)) {
        victim_.set_name("victim").on_complete([this] { ++end_count_; });
    }

    int run() {
        int step = 0;
        for (; stage_.loop.is_alive() && step < steps_max; ++step) {
            if (requests_.first == step || requests_.second == step) victim_.cancel("rehearsal");
            stage_.loop.turn();
        }
        EXPECT_LT(step, steps_max) << "it never ends:\n" << stage_.executor.dump_tasks();
        check();
        return step;
    }

private:
    void check() {
        EXPECT_EQ(stage_.executor.task_count(), 0u) << stage_.executor.dump_tasks();
        EXPECT_EQ(end_count_, 1);
        if (victim_.is_completed() && !victim_.outcome().has_value()) {
            EXPECT_TRUE(requests_.first.has_value()) << "it fails undisturbed";
            EXPECT_TRUE(is_cancelled(victim_.outcome().failure())) << "it fails when cancelled";
        }
        EXPECT_EQ(stage_.loop.ops_in_flight(), 0u) << stage_.loop.describe_ops();
        EXPECT_EQ(stage_.platform.descriptor_count(), descriptors_before_);
        for (const auto& each : stage_.checks_) each();
    }

    const Requests requests_;
    Stage stage_;
    const int descriptors_before_;
    int end_count_ = 0;
    TaskHandle<void> victim_;
};

const std::vector<Program>& programs() {
    static const std::vector<Program> table = [] {
        std::vector<Program> all = basic_rows();
        std::vector parts{combinator_rows, stream_rows,  thread_rows, file_rows,
                          net_rows,        process_rows, actor_rows};
#if GYRE_HAS_TLS
        parts.push_back(tls_rows);
#endif
#if GYRE_HAS_DB
        parts.push_back(db_rows);
#endif
        for (const auto part : parts) {
            for (Program& program : part()) all.push_back(std::move(program));
        }
        return all;
    }();
    return table;
}

int rehearse(const Program& program, Requests requests) {
    const std::int64_t frames_before = FramePool::live_count();
    const int steps = Rehearsal(program, requests).run();
    EXPECT_EQ(FramePool::live_count(), frames_before) << "frames are left";
    return steps;
}

}  // namespace gyre::task_cancel
