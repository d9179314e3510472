// SPDX-License-Identifier: Apache-2.0
// Random programs on two loops, with many seeds: every op is completed exactly once, whatever the
// order of starts, cancels and closes, and a seed repeats its trace.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "gyre/base/random.hpp"
#include "gyre/io/file_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/sim/test_app.test.hpp"
#include "gyre/sim/trace_recorder.hpp"
#include "gyre/sim/world.hpp"

namespace gyre::sim {
namespace {

using namespace std::chrono_literals;

// Starts, cancels and closes at random: one step per completion and per tick of its timer.
class RandomApp : public TestApp {
public:
    RandomApp(std::uint64_t seed, VirtualClock& clock) : random_(seed), clock_(clock) {}

    void begin(World& world, std::vector<Fd>& fds) {
        world_ = &world;
        fds_ = &fds;
        on_done = [this](Op& op) {
            if (&op == &beat_ && steps_left_ > 0) start_beat();
            if (&op != &beat_) take_descriptor(op);
            step();
        };
        start_beat();
    }
    // Cancels the ops that never complete by themselves.
    void stop_all() {
        for (const auto& op : ops_) stop(*op);
    }
    [[nodiscard]] std::size_t started() const { return ops_.size(); }

private:
    void start_beat() {
        beat_.deadline =
            clock_.peek() + Duration(static_cast<Duration::rep>(random_.below(200'000)));
        start(beat_);
    }
    void take_descriptor(const Op& op) {
        const bool makes_one = op.code() == IoCode::accept || op.code() == IoCode::open;
        if (makes_one && op.result() >= 0) fds_->push_back(op.result());
    }
    // Sometimes a descriptor that is closed already.
    Fd any_fd() { return fds_->empty() ? 3 : (*fds_)[random_.below(fds_->size())]; }

    template <class Kind, class... Args>
    void launch(Args&&... args) {
        auto op = std::make_shared<Kind>(std::forward<Args>(args)...);
        start(*op);
        ops_.push_back(std::move(op));
    }

    void step() {
        if (steps_left_ == 0) return;
        --steps_left_;
        const Fd fd = any_fd();
        const std::string path(1, static_cast<char>('a' + random_.below(4)));
        switch (random_.below(16)) {
            case 0:
                return launch<AcceptOp>(fd);
            case 1: {
                const auto made = world_->sockets().stream(Address::Family::ipv4);
                if (made) fds_->push_back(*made);
                return launch<ConnectOp>(made.value_or(fd), Address::loopback(80));
            }
            case 2:
            case 3:
                return launch<ReceiveOp>(fd, memory_);
            case 4:
            case 5:
                return launch<SendOp>(fd, ConstBytes(memory_));
            case 6:
                return launch<PollOp>(fd, Events::readable);
            case 7:
                return launch<ReadinessOp>(fd, Events::readable | Events::writable);
            case 8:
                return launch<ReceiveRingOp>(fd, ring_, OverflowPolicy::overwrite_oldest);
            case 9:
                return launch<OpenOp>(path, OpenOptions{.write = true, .create = true});
            case 10:
                return launch<ReadOp>(fd, Bytes(memory_), random_.below(10'000));
            case 11:
                return launch<WriteOp>(fd, ConstBytes(memory_), random_.below(10'000));
            case 12:
                return launch<CloseOp>(fd);
            case 13:
                if (const auto pair = world_->sockets().connection_pair()) {
                    fds_->insert(fds_->end(), pair->begin(), pair->end());
                }
                return launch<WorkOp>([](WorkOp&) noexcept -> std::int32_t { return 0; });
            case 14:
                (void)world_->sockets().end_sending(fd);
                return launch<FsyncOp>(fd);
            default:
                if (!ops_.empty()) stop(*ops_[random_.below(ops_.size())]);
        }
    }

    Random random_;
    VirtualClock& clock_;
    World* world_ = nullptr;
    std::vector<Fd>* fds_ = nullptr;
    TimerOp beat_;
    int steps_left_ = 300;
    std::vector<std::shared_ptr<Op>> ops_;
    std::array<std::byte, 40> memory_{};
    std::array<std::byte, 16> ring_memory_{};
    ByteRing ring_{ring_memory_};
};

std::string soak(std::uint64_t seed) {
    std::string trace;
    TraceRecorder first_trace(trace, "first");
    TraceRecorder second_trace(trace, "second");
    VirtualClock clock;
    RandomApp first(2 * seed, clock);
    RandomApp second(2 * seed + 1, clock);
    World world(clock, {.seed = seed,
                        .stream_buffer_bytes = 64,
                        .short_transfer_one_in = 3,
                        .descriptor_count_max = 24,
                        .files_size_max_bytes = 16 * 1024});
    world.add_loop(first, {.observer = &first_trace});
    world.add_loop(second, {.observer = &second_trace});
    std::vector<Fd> fds = {world.sockets().listen(Address::loopback(80), {.backlog = 1}).value()};
    first.begin(world, fds);
    second.begin(world, fds);

    EXPECT_NE(world.run(), World::End::turn_limit);
    first.stop_all();
    second.stop_all();
    EXPECT_EQ(world.run(), World::End::idle);

    EXPECT_GT(first.started(), 20u);
    for (const RandomApp* app : {&first, &second}) {
        std::size_t beats = 0;
        for (const Op* op : app->done) beats += op->code() == OpCode::timer ? 1 : 0;
        EXPECT_EQ(app->done.size() - beats, app->started());
        EXPECT_EQ(app->ops_in_flight(), 0u);
    }
    return trace;
}

TEST(SimSoak, every_op_of_a_random_program_comes_back_once_and_a_seed_repeats_it) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        EXPECT_EQ(soak(seed), soak(seed));
    }
}

}  // namespace
}  // namespace gyre::sim
