// SPDX-License-Identifier: Apache-2.0
// Blocking work on the Offload, and full queues: of the Offload, and of a machine's own ops.
#include <condition_variable>
#include <memory>
#include <mutex>

#include "gyre/base/bounded_pool.hpp"
#include "tests/platforms/world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_EACH_PLATFORM(Work);
GYRE_ON_EACH_PLATFORM(Bounds);

// Work that blocks until the gate is open. In a simulation work runs on the loop's thread, so the
// gate is open from the start.
class Gate {
public:
    explicit Gate(bool is_open) noexcept : is_open_(is_open) {}
    void pass() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return is_open_; });
    }
    void open() {
        const std::lock_guard lock(mutex_);
        is_open_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_open_;
};

class GatedWork : public WorkOp {
public:
    explicit GatedWork(Gate& gate) noexcept : WorkOp(run), gate_(gate) {}

private:
    static std::int32_t run(WorkOp& op) noexcept {
        static_cast<GatedWork&>(op).gate_.pass();
        return 7;
    }
    Gate& gate_;
};

// clause: K07
TEST_P(Work, comes_back_once_with_what_the_function_returned) {
    WorkOp work([](WorkOp&) noexcept -> std::int32_t { return 42; });
    for (std::size_t i = 1; i <= 3; ++i) {
        EXPECT_EQ(world->run(work), 42);
        EXPECT_EQ(world->completions_of(work), i);
    }
    WorkOp fails([](WorkOp&) noexcept { return failure(std::errc::io_error); });
    EXPECT_EQ(world->run(fails), failure(std::errc::io_error));
}

// clause: K10
TEST_P(Work, that_has_not_begun_never_does_when_it_is_cancelled) {
    Gate gate(world->is_simulated());
    GatedWork first(gate);
    GatedWork second(gate);
    GatedWork third(gate);
    world->app.start(third);
    EXPECT_EQ(world->cancel(third), cancelled_result);  // Not routed yet.
    world->app.start(first);
    world->app.start(second);
    while (second.state() == OpState::submitted) world->turn();
    EXPECT_EQ(world->cancel(second), cancelled_result);  // The only thread runs the first.
    EXPECT_EQ(world->completions_of(second), 1u);
    gate.open();
    EXPECT_EQ(world->finish(first), 7);
}

// clause: K14
TEST_P(Bounds, work_for_which_the_queue_has_no_room_is_a_result) {
    make_world({.queued_work_max = 2});
    if (world == nullptr) return;
    Gate gate(world->is_simulated());
    std::vector<std::unique_ptr<GatedWork>> works;
    for (int i = 0; i < 8; ++i) {
        works.push_back(std::make_unique<GatedWork>(gate));
        world->app.start(*works.back());
    }
    while (works.back()->state() == OpState::submitted) world->turn();
    gate.open();
    std::size_t refused = 0;
    for (const auto& work : works) {
        const std::int32_t result = world->finish(*work);
        EXPECT_TRUE(result == 7 || result == failure(std::errc::resource_unavailable_try_again));
        refused += result == 7 ? 0 : 1;
    }
    EXPECT_GE(refused, 5u);  // At most two are queued and one runs.
    EXPECT_EQ(world->app.done.size(), works.size());
    EXPECT_EQ(world->run(*works.front()), 7);  // The queue has room again.
}

class ReadRequest : public Request {
public:
    ReadRequest() noexcept : Request(OpCode::first_custom) {}
};

// Receives one message for each request, with a fixed number of ops.
class Receptionist : public Machine {
public:
    Receptionist(Fd fd, std::size_t op_count_max)
        : Machine("receptionist"), fd_(fd), free_(op_count_max) {}

private:
    struct Slot : ReceiveOp {
        Slot() noexcept : ReceiveOp(-1, {}) { buffer = memory; }
        std::array<std::byte, 16> memory{};
    };

    void tick(Instant /*now*/) override {
        while (Op* request = next_submission()) serve(*request);
        while (Op* op = next_completion()) {
            auto& slot = static_cast<Slot&>(*op);
            complete(*static_cast<Op*>(slot.owner), slot.result());
            free_.put_back(slot);
        }
    }
    void serve(Op& request) {
        const Result<Slot*> slot = free_.take();
        if (!slot) {
            complete(request, slot.error().as_result());
            return;
        }
        (*slot)->fd = fd_;
        (*slot)->owner = &request;
        (*slot)->set_destination(platform_ref());
        submit(**slot, request.as_cause());
    }

    Fd fd_;
    BoundedPool<Slot> free_;
};

// clause: K14
TEST_P(Bounds, a_machine_that_has_no_op_left_answers_with_an_error) {
    Pair pair(*world);
    Receptionist receptionist(pair.near, 2);
    world->app.add_child(receptionist);
    std::array<ReadRequest, 3> requests;
    for (ReadRequest& request : requests) {
        request.set_destination(receptionist.ref());
        world->app.start(request);
    }
    EXPECT_EQ(world->finish(requests[2]), failure(std::errc::not_enough_memory));
    EXPECT_TRUE(requests[0].is_in_flight());
    pair.write_far("a");
    EXPECT_EQ(world->finish(requests[0]), 1);
    world->app.start(requests[2]);  // An op is free again.
    pair.write_far("bc");
    EXPECT_EQ(world->finish(requests[1]), 2);
    pair.write_far("def");
    EXPECT_EQ(world->finish(requests[2]), 3);
    world->app.remove_child(receptionist);
}

}  // namespace
}  // namespace gyre::test
