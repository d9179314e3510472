// SPDX-License-Identifier: Apache-2.0
// Traces through the platform, and closing a loop with ops in flight.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "tests/platforms/world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_EACH_PLATFORM(Traces);
GYRE_ON_EACH_PLATFORM(CleanUp);

// Records the trace id in each step of an op.
class TraceNotes : public Observer {
public:
    void on_submit(const Op& op, const Machine&) noexcept override { note(op); }
    void on_route(const Op& op, Lane, const Machine*) noexcept override { note(op); }
    void on_complete(const Op& op, const Machine&) noexcept override { note(op); }

    struct Note {
        OpId id;
        TraceId trace_id;
        OpId parent_op_id;
    };
    std::vector<Note> notes;

private:
    void note(const Op& op) { notes.push_back({op.id(), op.trace_id(), op.parent_op_id()}); }
};

// clause: K23
TEST_P(Traces, are_carried_through_every_kind_of_op_and_back) {
    TraceNotes observer;
    make_world({.loop = {.observer = &observer}});
    if (world == nullptr) return;
    const std::string path = world->file_path();
    Pair pair(*world);
    observer.notes.clear();

    std::array<std::byte, 16> buffer{};
    SendOp send(pair.far, bytes_of("x"));
    ReceiveOp receive(pair.near, buffer);
    OpenOp open(path, {.write = true, .create = true});
    WorkOp work([](WorkOp&) noexcept -> std::int32_t { return 0; });
    TimerOp timer(world->loop().now());
    PollOp cancelled(pair.near, Events::readable);
    const std::array<Op*, 6> chain{&send, &receive, &open, &work, &timer, &cancelled};
    Cause cause;
    for (Op* op : chain) {
        world->app.start(*op, cause);
        EXPECT_EQ(op->parent_op_id(), cause.op_id);
        if (op == &cancelled) world->app.stop(*op);
        world->finish(*op);
        EXPECT_EQ(op->parent_op_id(), cause.op_id);
        EXPECT_EQ(op->trace_id(), send.id());
        cause = op->as_cause();
    }
    std::vector<OpId> seen;
    for (const TraceNotes::Note& note : observer.notes) {
        EXPECT_EQ(note.trace_id, send.id());
        if (seen.empty() || seen.back() != note.id) {
            EXPECT_EQ(note.parent_op_id, seen.empty() ? 0 : seen.back());
            seen.push_back(note.id);
        }
    }
    EXPECT_EQ(seen.size(), chain.size());
    world->close(open.result());
}

// clause: K20
TEST_P(CleanUp, brings_back_everything_children_first) {
    Pair pair(*world);
    const Fd listener = world->listen();
    std::array<std::byte, 16> buffer{};
    std::array<std::byte, 16> memory{};
    ByteRing ring(memory);
    ReceiveOp receive(pair.near, buffer);
    ReceiveRingOp receive_ring(pair.far, ring, OverflowPolicy::drop_newest);
    PollOp poll(pair.near, Events::readable);
    ReadinessOp readiness(pair.near, Events::readable);
    AcceptOp accept(listener);
    SignalOp signal(10);
    TimerOp timer(world->loop().now() + std::chrono::hours(1));
    WakeOp wake;
    const std::array<Op*, 8> ops{&receive, &receive_ring, &poll,  &readiness,
                                 &accept,  &signal,       &timer, &wake};
    for (Op* op : ops) world->app.start(*op);

    TestApp child("child");
    world->app.add_child(child);
    std::vector<std::string> closed;
    ReceiveOp of_child(pair.near, buffer);
    of_child.set_destination(child.platform_ref());
    child.start(of_child);
    const auto is_back = [&] {
        return std::none_of(ops.begin(), ops.end(),
                            [](const Op* op) { return op->is_in_flight(); });
    };
    child.on_closing = [&] { closed.emplace_back(is_back() ? "child, late" : "child"); };
    world->app.on_closing = [&] { closed.emplace_back(is_back() ? "app, late" : "app"); };
    world->settle();
    world->app.done.clear();
    world->loop().close();

    EXPECT_EQ(closed, (std::vector<std::string>{"child", "app"}));
    EXPECT_EQ(world->app.done.size(), ops.size());
    for (const Op* op : ops) {
        EXPECT_FALSE(op->is_in_flight());
        EXPECT_EQ(op->result(), cancelled_result) << name_of(io_code(op->code()));
    }
    EXPECT_EQ(of_child.result(), cancelled_result);
    EXPECT_EQ(world->platform().ops_held(), 0u);
    EXPECT_EQ(world->loop().ops_in_flight(), 0u);
    world->app.remove_child(child);
    world->sockets().close_now(listener);
}

// clause: K20
TEST_P(CleanUp, brings_back_what_the_platform_serves_for_others_too) {
    Pair pair(*world);
    const Fd listener = world->listen();
    std::array<std::byte, 16> buffer{};
    ReceiveOp receive(pair.near, buffer);
    PollOp poll(pair.far, Events::readable);
    AcceptOp accept(listener);
    // No machine of this loop has submitted them, so none can cancel them.
    const std::array<Op*, 3> ops{&receive, &poll, &accept};
    for (Op* op : ops) {
        op->set_destination(world->loop().platform_ref());
        ASSERT_TRUE(world->loop().post(*op));
    }
    while (world->platform().ops_held() < ops.size()) world->turn();
    world->loop().close();
    EXPECT_EQ(world->platform().ops_held(), 0u);
    for (const Op* op : ops) {
        EXPECT_FALSE(op->is_in_flight()) << name_of(io_code(op->code()));
        EXPECT_EQ(op->result(), cancelled_result) << name_of(io_code(op->code()));
    }
    world->sockets().close_now(listener);
}

// clause: K20
TEST_P(CleanUp, waits_for_work_and_file_ops_under_way) {
    const Fd fd = world->open(world->file_path(), {.write = true, .create = true});
    std::vector<std::unique_ptr<WriteOp>> writes;
    const std::string block(4096, 'x');
    for (std::uint64_t i = 0; i < 8; ++i) {
        writes.push_back(std::make_unique<WriteOp>(fd, bytes_of(block), i * block.size()));
        world->app.start(*writes.back());
    }
    WorkOp work([](WorkOp&) noexcept -> std::int32_t { return 1; });
    world->app.start(work);
    world->turn();
    world->loop().close();
    for (const auto& write : writes) {
        EXPECT_TRUE(write->result() == 4096 || write->result() == cancelled_result);
    }
    EXPECT_TRUE(work.result() == 1 || work.result() == cancelled_result);
    EXPECT_EQ(world->loop().ops_in_flight(), 0u);
    world->sockets().close_now(fd);
}

}  // namespace
}  // namespace gyre::test
