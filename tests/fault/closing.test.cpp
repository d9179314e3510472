// SPDX-License-Identifier: Apache-2.0
// A file that is closed while a thread of the pool works on it: its descriptor is not reused before
// the thread has finished. The Offload of these tests runs its work when the test says so.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>

#include "gyre/io/environment.hpp"
#include "gyre/platform/internal/epoll/epoll.hpp"
#if GYRE_HAS_URING
#    include "gyre/platform/internal/uring/uring.hpp"
#endif
#include "tests/fault/fault_world.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::test {
namespace {

constexpr std::int32_t bad_descriptor = failure(std::errc::bad_file_descriptor);

// Queues its work until the test runs it. Work that has begun cannot be withdrawn.
class HandOffload : public Offload {
public:
    [[nodiscard]] bool start(Op& op, Work work, Loop& home) noexcept override {
        const std::lock_guard lock(mutex_);
        jobs_.push_back({&op, work, &home});
        return true;
    }
    [[nodiscard]] bool withdraw(Op& op) noexcept override {
        const std::lock_guard lock(mutex_);
        const auto job = find(op);
        if (job == jobs_.end() || job->has_begun) return false;
        jobs_.erase(job);
        return true;
    }
    [[nodiscard]] bool has(const Op& op) {
        const std::lock_guard lock(mutex_);
        return find(op) != jobs_.end();
    }
    void begin(const Op& op) {
        const std::lock_guard lock(mutex_);
        find(op)->has_begun = true;
    }
    void run(const Op& op) {
        const Job job = take(op);
        job.home->post_offloaded(*job.op, job.work(*job.op));
    }

private:
    struct Job {
        Op* op;
        Work work;
        Loop* home;
        bool has_begun = false;
    };
    Job take(const Op& op) {
        const std::lock_guard lock(mutex_);
        const Job job = *find(op);
        jobs_.erase(find(op));
        return job;
    }
    std::vector<Job>::iterator find(const Op& op) {
        return std::find_if(jobs_.begin(), jobs_.end(),
                            [&](const Job& job) { return job.op == &op; });
    }
    std::mutex mutex_;
    std::vector<Job> jobs_;
};

std::unique_ptr<Platform> platform_named(const std::string& name, Clock& clock) {
    if (name == "epoll") return std::move(*platform::EpollPlatform::make(clock));
#if GYRE_HAS_URING
    auto made = platform::UringPlatform::make(clock, {.has_file_requests = false});
    if (made) return std::move(*made);
#endif
    return nullptr;
}

// Where threads do the file ops: epoll, and io_uring on a system whose rings cannot.
class ClosingFiles : public testing::TestWithParam<std::string> {
protected:
    ClosingFiles()
        : platform(platform_named(GetParam(), clock)), loop(*platform, app, {.offload = &offload}) {
        std::FILE* file = std::tmpfile();
        fd = ::dup(::fileno(file));
        std::fclose(file);
    }
    ~ClosingFiles() override {
        loop.close();
        if (is_open(fd)) ::close(fd);
    }
    static bool is_open(Fd number) { return ::fcntl(number, F_GETFD) >= 0; }
    void turn() {
        platform->wake();
        loop.turn();
    }
    void hand_over(Op& op) {
        app.start(op);
        while (!offload.has(op)) turn();
    }
    std::int32_t finish(Op& op) {
        while (op.is_in_flight()) turn();
        return op.result();
    }
    std::int32_t run(Op& op) {
        app.start(op);
        return finish(op);
    }

    platform::SystemClock clock;
    HandOffload offload;
    std::unique_ptr<Platform> platform;
    TestApp app;
    Loop loop;
    Fd fd = -1;
    std::array<std::byte, 8> buffer{};
};

std::vector<std::string> platforms_with_threads() {
    std::vector<std::string> names = {"epoll"};
    platform::SystemClock clock;
    if (is_required("uring") || platform_named("uring", clock) != nullptr) {
        names.emplace_back("uring");
    }
    return names;
}
INSTANTIATE_TEST_SUITE_P(platforms, ClosingFiles, testing::ValuesIn(platforms_with_threads()),
                         [](const auto& test) { return test.param; });

TEST_P(ClosingFiles, a_close_takes_back_what_is_queued_and_waits_for_what_runs) {
    WriteOp running(fd, bytes_of("text"), 0);
    ReadOp queued(fd, buffer, 0);
    FsyncOp queued_too(fd);
    for (Op* op : std::initializer_list<Op*>{&running, &queued, &queued_too}) hand_over(*op);
    offload.begin(running);
    CloseOp close(fd);
    app.start(close);
    EXPECT_EQ(finish(queued), cancelled_result);
    EXPECT_EQ(finish(queued_too), cancelled_result);
    for (int i = 0; i < 5; ++i) turn();
    EXPECT_TRUE(close.is_in_flight());
    ASSERT_TRUE(is_open(fd));  // So that nobody can be given the number.

    offload.run(running);
    EXPECT_EQ(finish(close), 0);
    EXPECT_EQ(running.result(), 4);
    EXPECT_FALSE(is_open(fd));
    EXPECT_EQ(app.done, (std::vector<Op*>{&queued, &queued_too, &running, &close}));
}

TEST_P(ClosingFiles, a_descriptor_about_to_be_closed_takes_no_new_ops) {
    WriteOp running(fd, bytes_of("text"), 0);
    hand_over(running);
    offload.begin(running);
    CloseOp close(fd);
    app.start(close);
    turn();
    ReadOp late(fd, buffer, 0);
    EXPECT_EQ(run(late), bad_descriptor);
    PollOp poll(fd, Events::readable);
    EXPECT_EQ(run(poll), bad_descriptor);
    CloseOp again(fd);
    EXPECT_EQ(run(again), bad_descriptor);
    app.stop(close);  // It goes on: half closed is no state to stay in.
    for (int i = 0; i < 5; ++i) turn();
    EXPECT_TRUE(close.is_in_flight());
    offload.run(running);
    EXPECT_EQ(finish(close), 0);
    EXPECT_EQ(run(again), bad_descriptor);
}

TEST_P(ClosingFiles, a_close_that_finds_only_queued_ops_is_done_at_once) {
    ReadOp queued(fd, buffer, 0);
    hand_over(queued);
    CloseOp close(fd);
    EXPECT_EQ(run(close), 0);
    EXPECT_EQ(queued.result(), cancelled_result);
    EXPECT_FALSE(offload.has(queued));
}

TEST_P(ClosingFiles, an_op_cancelled_by_its_owner_lets_the_close_go_on) {
    ReadOp first(fd, buffer, 0);
    hand_over(first);
    app.stop(first);
    EXPECT_EQ(finish(first), cancelled_result);
    CloseOp close(fd);
    EXPECT_EQ(run(close), 0);
}

TEST_P(ClosingFiles, close_now_keeps_the_number_until_the_thread_is_back) {
    WriteOp running(fd, bytes_of("text"), 0);
    hand_over(running);
    offload.begin(running);
    platform->environment()->sockets().close_now(fd);
    EXPECT_TRUE(is_open(fd));
    offload.run(running);
    EXPECT_EQ(finish(running), 4);
    EXPECT_FALSE(is_open(fd));
}

TEST_P(ClosingFiles, the_close_of_the_loop_waits_for_both) {
    WriteOp running(fd, bytes_of("text"), 0);
    hand_over(running);
    offload.begin(running);
    CloseOp close(fd);
    app.start(close);
    turn();
    std::thread worker([&] { offload.run(running); });
    loop.close();
    worker.join();
    EXPECT_EQ(running.result(), 4);
    EXPECT_EQ(close.result(), 0);
    EXPECT_FALSE(is_open(fd));
}

// clause: K10
TEST_P(ClosingFiles, work_that_is_done_when_its_cancellation_comes_keeps_its_result) {
    WriteOp write(fd, bytes_of("text"), 0);
    hand_over(write);
    offload.run(write);  // In the inbox by now.
    app.stop(write);
    EXPECT_EQ(finish(write), 4);
    EXPECT_EQ(app.done.size(), 1u);
}

}  // namespace
}  // namespace gyre::test
