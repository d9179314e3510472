// SPDX-License-Identifier: Apache-2.0
// Two loops, each on its thread, exchange ops: first one at a time, for the round trip, then many,
// for the rate.
#include <array>
#include <optional>

#include "cli/tour/stage.hpp"
#include "gyre/app/runtime.hpp"
#include "gyre/platform/process.hpp"

namespace gyre::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t window = 256;  // ops in flight
constexpr Duration part_lasts = 300ms;

class BallOp : public Request {
public:
    BallOp() noexcept : Request(OpCode::first_custom) {}
    CancelOp cancel_message;
};

// The result of one part. Written by the loop's thread, read after join.
struct Score {
    std::uint64_t round_trips = 0;
    Duration took{0};
};

// The app of both loops: returns every ball, and starts the game if told to.
class Player : public Machine {
public:
    Player() noexcept : Machine("player") {}

    void serve(Runtime& runtime, ThreadId to, std::array<Score, 2>& scores) {
        runtime_ = &runtime;
        scores_ = &scores;
        for (BallOp& ball : balls_) ball.set_destination(runtime.app_ref(to));
        begin_part(0);
    }

private:
    void tick(Instant now) override {
        while (Op* op = next_submission()) complete(*op, 0);
        while (Op* op = next_completion()) {
            --under_way_;
            if (is_over_) continue;
            ++score().round_trips;
            score().took = now - part_began_;
            if (score().took < part_lasts) throw_ball(*op);
        }
        if (runtime_ != nullptr && !is_over_ && under_way_ == 0) end_part();
    }
    void on_close() override {
        is_over_ = true;
        for (BallOp& ball : balls_) cancel(ball, &ball.cancel_message);
    }

    void begin_part(std::size_t part) {
        part_ = part;
        part_began_ = loop().now();
        const std::size_t ball_count = part == 0 ? 1 : window;
        for (std::size_t i = 0; i < ball_count; ++i) throw_ball(balls_[i]);
    }
    void end_part() {
        if (part_ == 0) {
            begin_part(1);
        } else {
            is_over_ = true;
            runtime_->stop();
        }
    }
    void throw_ball(Op& ball) {
        ++under_way_;
        submit(ball);
    }
    [[nodiscard]] Score& score() { return (*scores_)[part_]; }

    Runtime* runtime_ = nullptr;
    std::array<Score, 2>* scores_ = nullptr;
    std::array<BallOp, window> balls_;
    std::size_t part_ = 0;
    std::size_t under_way_ = 0;
    Instant part_began_;
    bool is_over_ = false;
};

}  // namespace

bool show_loops(const Stage& stage) {
    stage.page.say(
        "Two loops on two threads play ball: an op goes to a machine of the other loop and "
        "comes back as its completion. First one ball, then " +
        in_words(window) + " at once. The threads meet in one atomic word a loop, without locks.");
    std::array<Score, 2> scores;
    std::optional<Runtime> runtime;
    RuntimeOptions options;
    options.loop_count = 2;
    options.make_platform = [&stage](ThreadId) { return stage.make_platform(); };
    options.make_app = [](ThreadId) { return std::make_unique<Player>(); };
    options.on_started = [&](Runtime&, Loop& loop, Machine& app) {
        if (loop.thread_id() == 1) static_cast<Player&>(app).serve(*runtime, 2, scores);
    };
    options.observer_of = [&stage](ThreadId thread) {
        return stage.trace.add_loop(
            {.loop = "loop " + std::to_string(thread), .world = "two loops"});
    };
    runtime.emplace(std::move(options));
    if (const auto started = runtime->start(); !started) {
        stage.page.failed("The loops could not be started: " + started.error().message());
        return false;
    }
    runtime->join();
    const auto [one, many] = scores;
    if (one.round_trips == 0 || many.took <= Duration(0)) {
        stage.page.failed("No ball came back.");
        return false;
    }
    const double seconds = std::chrono::duration<double>(many.took).count();
    const double messages = 2.0 * static_cast<double>(many.round_trips);
    stage.page.saw("One ball: " + in_words(one.round_trips) + " round trips, " +
                   in_words(one.took / static_cast<Duration::rep>(one.round_trips)) + " each. " +
                   in_words(window) +
                   " balls: " + in_words(static_cast<std::uint64_t>(messages / seconds)) +
                   " messages a second, on " + in_words(std::uint64_t{platform::usable_cores()}) +
                   " usable cores.");
    return true;
}

}  // namespace gyre::cli
