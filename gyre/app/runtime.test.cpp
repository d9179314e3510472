// SPDX-License-Identifier: Apache-2.0
// Runtime: loops that exchange ops, and shutdown while ops are in flight.
#include "gyre/app/runtime.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>

#include "gyre/platform/internal/epoll/epoll.hpp"
#include "gyre/platform/process.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/thread_pool.hpp"

namespace gyre {
namespace {

class PeerOp : public Request {
public:
    PeerOp() noexcept : Request(OpCode::post) {}
    CancelOp cancel_message;
};

// Sends ops to another loop, each again when it completes, and serves the ops of others: every
// third at once, the rest later.
class PeerApp final : public Machine {
public:
    static constexpr std::size_t op_count = 8;

    PeerApp() noexcept : Machine("peer") {}

    void send_all(MachineRef to) {
        for (PeerOp& op : ops_) {
            op.set_destination(to);
            submit(op);
        }
    }

    std::atomic<std::uint64_t> round_trips{0};
    std::atomic<std::uint64_t> refusals{0};

protected:
    void tick(Instant /*now*/) override {
        while (Op* op = next_submission()) {
            const bool is_at_once = ++served_ % 3 == 0;
            complete_later_.push_back(op);
            if (is_at_once) complete_all();
        }
        while (Op* op = next_cancellation()) {
            std::erase(complete_later_, op);
            complete(*op, failure(std::errc::operation_canceled));
        }
        while (Op* op = next_completion()) {
            if (op->result() == 0) ++round_trips;
            if (op->result() == failure(std::errc::owner_dead)) ++refusals;
            if (!is_closing_) submit(*op);
        }
    }

    void on_close() override {
        is_closing_ = true;
        for (PeerOp& op : ops_) cancel(op, &op.cancel_message);
        complete_all();
    }

private:
    void complete_all() {
        for (Op* op : complete_later_) complete(*op, 0);
        complete_later_.clear();
    }

    std::array<PeerOp, op_count> ops_;
    std::vector<Op*> complete_later_;
    std::uint64_t served_ = 0;
    bool is_closing_ = false;
};

platform::SystemClock the_clock;

Result<std::unique_ptr<Platform>> make_epoll(ThreadId) {
    auto made = platform::EpollPlatform::make(the_clock);
    if (!made) return std::unexpected(made.error());
    return std::move(*made);
}

RuntimeOptions options_for(std::uint32_t loop_count) {
    RuntimeOptions options;
    options.loop_count = loop_count;
    options.make_platform = make_epoll;
    options.make_app = [](ThreadId) { return std::make_unique<PeerApp>(); };
    return options;
}

// clause: K24
TEST(Runtime, loops_exchange_ops_and_end_cleanly_while_they_still_do) {
    for (int i = 0; i < 10; ++i) {
        constexpr std::uint32_t loop_count = 3;
        std::array<std::atomic<PeerApp*>, loop_count + 1> apps{};
        Runtime* running = nullptr;
        RuntimeOptions options = options_for(loop_count);
        options.on_started = [&](Runtime&, Loop& loop, Machine& machine) {
            auto& app = static_cast<PeerApp&>(machine);
            apps[loop.thread_id()] = &app;
            // A ring of loops: each sends to the next and serves the previous one.
            app.send_all(running->app_ref(loop.thread_id() % loop_count + 1));
        };
        Runtime runtime(std::move(options));
        running = &runtime;
        ASSERT_TRUE(runtime.start());
        for (ThreadId thread = 1; thread <= loop_count; ++thread) {
            while (apps[thread] == nullptr) std::this_thread::yield();
            while (apps[thread].load()->round_trips < 100) std::this_thread::yield();
        }
        runtime.stop();
        runtime.join();
    }
}

TEST(Runtime, a_post_from_elsewhere_reaches_its_loop_until_it_is_closed) {
    Runtime runtime(options_for(2));
    Request early(OpCode::post);
    EXPECT_FALSE(runtime.post(1, early));
    ASSERT_TRUE(runtime.start());
    EXPECT_FALSE(runtime.post(0, early));
    EXPECT_FALSE(runtime.post(3, early));
    std::atomic<int> posted{0};
    // Posts until it is refused, while the runtime stops.
    std::thread poster([&] {
        std::vector<std::unique_ptr<Request>> ops;
        do {
            ops.push_back(std::make_unique<Request>(OpCode::post));
            ++posted;
        } while (runtime.post(1 + static_cast<ThreadId>(posted % 2), *ops.back()));
        runtime.join();  // Only now have all posted ops completed.
    });
    while (posted < 1000) std::this_thread::yield();
    runtime.stop();
    poster.join();
    Request late(OpCode::post);
    EXPECT_FALSE(runtime.post(1, late));
}

// Tells when its loop's thread destroys it.
class MortalApp final : public Machine {
public:
    explicit MortalApp(std::atomic<int>& destroyed) noexcept
        : Machine("mortal"), destroyed_(destroyed) {}
    ~MortalApp() override { ++destroyed_; }

protected:
    void tick(Instant /*now*/) override {}

private:
    std::atomic<int>& destroyed_;
};

TEST(Runtime, keeps_closed_loops_for_the_posts_of_its_callers_loop_until_it_joins) {
    Peers peers(3);
    std::atomic<int> destroyed{0};
    RuntimeOptions options = options_for(2);
    options.peers = &peers;
    options.first_thread = 2;
    options.make_app = [&](ThreadId) { return std::make_unique<MortalApp>(destroyed); };
    Runtime runtime(std::move(options));
    ASSERT_TRUE(runtime.start());
    runtime.stop();
    // Time enough for both threads to close their loops, and to destroy them if nothing held them.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(destroyed, 0);
    runtime.join();
    EXPECT_EQ(destroyed, 2);
}

TEST(Runtime, each_loop_can_have_an_observer_of_its_own) {
    std::array<Observer, 2> observers;
    std::vector<ThreadId> asked;
    std::array<std::atomic<Observer*>, 2> found{};
    RuntimeOptions options = options_for(2);
    options.observer_of = [&](ThreadId thread) {
        asked.push_back(thread);
        return &observers[thread - 1];
    };
    options.on_started = [&found](Runtime&, Loop& loop, Machine&) {
        found[loop.thread_id() - 1] = loop.observer();
    };
    Runtime runtime(std::move(options));
    ASSERT_TRUE(runtime.start());
    runtime.stop();
    runtime.join();
    EXPECT_EQ(asked, (std::vector<ThreadId>{1, 2}));
    EXPECT_EQ(found[0], &observers[0]);
    EXPECT_EQ(found[1], &observers[1]);
}

TEST(Runtime, stop_before_start_and_after_the_end_does_no_harm) {
    Runtime runtime(options_for(2));
    runtime.stop();
    ASSERT_TRUE(runtime.start());
    runtime.join();
    runtime.stop();
}

TEST(Runtime, stop_comes_from_a_loop_too) {
    Runtime* running = nullptr;
    RuntimeOptions options = options_for(2);
    options.on_started = [&](Runtime&, Loop& loop, Machine&) {
        if (loop.thread_id() == 2) running->stop();
    };
    Runtime runtime(std::move(options));
    running = &runtime;
    ASSERT_TRUE(runtime.start());
    runtime.join();
}

TEST(Runtime, names_its_threads) {
    std::array<std::array<char, 16>, 3> names{};
    RuntimeOptions options = options_for(2);
    options.on_started = [&](Runtime&, Loop& loop, Machine&) {
        auto& name = names[loop.thread_id()];
        ::pthread_getname_np(::pthread_self(), name.data(), name.size());
    };
    {
        Runtime runtime(std::move(options));
        ASSERT_TRUE(runtime.start());
    }
    EXPECT_STREQ(names[1].data(), "gyre-1");
    EXPECT_STREQ(names[2].data(), "gyre-2");
}

TEST(Runtime, has_as_many_loops_as_cores_unless_told) {
    const Runtime runtime(options_for(0));
    EXPECT_EQ(runtime.loop_count(), platform::usable_cores());
}

TEST(Runtime, that_cannot_make_a_platform_does_not_start) {
    RuntimeOptions options = options_for(3);
    options.make_platform = [](ThreadId thread) -> Result<std::unique_ptr<Platform>> {
        if (thread == 2) return std::unexpected(Error(std::errc::too_many_files_open));
        return make_epoll(thread);
    };
    Runtime runtime(std::move(options));
    const Result<void> started = runtime.start();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code(), std::errc::too_many_files_open);
}

TEST(Runtime, that_cannot_make_an_app_throws_what_that_threw) {
    RuntimeOptions options = options_for(2);
    options.make_app = [](ThreadId thread) -> std::unique_ptr<Machine> {
        if (thread == 2) throw std::runtime_error("no app");
        return std::make_unique<PeerApp>();
    };
    Runtime runtime(std::move(options));
    EXPECT_THROW((void)runtime.start(), std::runtime_error);
}

TEST(Runtime, chance_differs_between_loops_and_not_between_runs) {
    RuntimeOptions options = options_for(2);
    options.seed = 7;
    const Runtime first(options);
    const Runtime second(options);
    EXPECT_EQ(first.random_for(1).next(), second.random_for(1).next());
    EXPECT_NE(first.random_for(1).next(), first.random_for(2).next());
}

// An app that always has blocking work in flight, on a pool shared by all loops.
class WorkingApp final : public Machine {
public:
    WorkingApp() noexcept : Machine("working") {}
    void start() {
        for (WorkOp& op : ops_) submit(op);
    }
    std::atomic<int> done{0};

protected:
    void tick(Instant /*now*/) override {
        while (Op* op = next_completion()) {
            ++done;
            if (!is_closing_) submit(*op);
        }
    }
    void on_close() override {
        is_closing_ = true;
        for (WorkOp& op : ops_) cancel(op);
    }

private:
    static std::int32_t work(WorkOp&) noexcept { return 0; }
    std::array<WorkOp, 4> ops_{WorkOp(work), WorkOp(work), WorkOp(work), WorkOp(work)};
    bool is_closing_ = false;
};

// clause: K24
TEST(Runtime, loops_share_a_pool_and_end_cleanly_while_it_works_for_them) {
    pool::ThreadPool pool({.thread_count = 2});
    for (int i = 0; i < 10; ++i) {
        std::atomic<int> busy{0};
        RuntimeOptions options = options_for(2);
        options.loop.offload = &pool;
        options.make_app = [](ThreadId) { return std::make_unique<WorkingApp>(); };
        options.on_started = [&](Runtime&, Loop&, Machine& machine) {
            static_cast<WorkingApp&>(machine).start();
            ++busy;
        };
        Runtime runtime(std::move(options));
        ASSERT_TRUE(runtime.start());
        while (busy < 2) std::this_thread::yield();
        runtime.stop();
        runtime.join();
    }
}

}  // namespace
}  // namespace gyre
