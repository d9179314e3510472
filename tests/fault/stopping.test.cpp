// SPDX-License-Identifier: Apache-2.0
// Loops that are stopped and closed while other threads post to them: each post is served or
// refused, and none is lost.
#include <atomic>
#include <memory>
#include <thread>

#include "gyre/app/runtime.hpp"
#include "gyre/platform/choose.hpp"
#include "tests/fault/fault_world.hpp"

namespace gyre::test {
namespace {

std::atomic<std::uint64_t> served{0};

// Counts the ops that it completes.
std::unique_ptr<Machine> counting_app() {
    auto app = std::make_unique<TestApp>("counter");
    app->on_request = [](Op&) {
        served.fetch_add(1);
        return 0;
    };
    return app;
}

// Posts until it is refused.
class Poster {
public:
    template <class Post>
    explicit Poster(Post post) : thread_([this, post] { run(post); }) {}
    ~Poster() { thread_.join(); }
    std::uint64_t accepted() {
        if (thread_.joinable()) thread_.join();
        thread_ = std::thread([] {});
        return accepted_;
    }
    // Every op is back by the time that this may be asked.
    [[nodiscard]] std::atomic<std::uint64_t>& posted() { return posted_; }

private:
    template <class Post>
    void run(Post post) {
        for (;;) {
            ops_.push_back(std::make_unique<Request>(OpCode::post));
            if (!post(*ops_.back())) return;
            ++accepted_;
            posted_ = accepted_;
        }
    }

    std::vector<std::unique_ptr<Request>> ops_;
    std::uint64_t accepted_ = 0;
    std::atomic<std::uint64_t> posted_{0};
    std::thread thread_;
};

GYRE_ON_REAL_PLATFORMS(Stopping);

TEST_P(Stopping, a_runtime_under_posts_serves_or_refuses_each_of_them) {
    platform::SystemClock clock;
    for (int round = 0; round < 5; ++round) {
        served = 0;
        std::uint64_t accepted = 0;
        RuntimeOptions options;
        options.loop_count = 2;
        options.make_platform = [&](ThreadId) -> Result<std::unique_ptr<Platform>> {
            auto made = platform::make_platform(clock, GetParam());
            if (!made) return std::unexpected(made.error().error);
            return std::move(*made);
        };
        options.make_app = [](ThreadId) { return counting_app(); };
        std::optional<Runtime> runtime(std::in_place, std::move(options));
        ASSERT_TRUE(runtime->start());
        Poster first([&runtime](Op& op) { return runtime->post(1, op); });
        Poster second([&runtime](Op& op) { return runtime->post(2, op); });
        while (first.posted() < 200 || second.posted() < 200 || served == 0) {
            std::this_thread::yield();
        }
        runtime->stop();
        accepted = first.accepted() + second.accepted();
        runtime->join();
        EXPECT_LE(served, accepted);
        runtime.reset();
    }
}

TEST_P(Stopping, a_loop_that_is_stopped_again_and_again_loses_no_post) {
    platform::SystemClock clock;
    auto made = platform::make_platform(clock, GetParam());
    ASSERT_TRUE(made) << made.error().message;
    served = 0;
    const auto app = counting_app();
    Loop loop(**made, *app);
    std::vector<std::unique_ptr<Request>> ops(2000);
    std::atomic<bool> is_done{false};
    std::thread poster([&] {
        for (auto& op : ops) {
            op = std::make_unique<Request>(OpCode::post);
            EXPECT_TRUE(loop.post(*op));
        }
        is_done = true;
        loop.stop();
    });
    std::thread stopper([&] {
        while (!is_done) {
            loop.stop();
            std::this_thread::yield();
        }
    });
    while (!is_done) EXPECT_EQ(loop.run_until_stopped(), Loop::End::stopped);
    poster.join();
    stopper.join();
    while (loop.is_alive()) loop.turn();
    EXPECT_EQ(served, ops.size());
    loop.close();
    Request late(OpCode::post);
    EXPECT_FALSE(loop.post(late));
}

}  // namespace
}  // namespace gyre::test
