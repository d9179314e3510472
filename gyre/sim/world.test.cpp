// SPDX-License-Identifier: Apache-2.0
// Several loops on one thread: the same seed gives the same trace.
#include "gyre/sim/world.hpp"
#include "gyre/io/file_ops.hpp"
#include "gyre/io/socket_ops.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gyre/io/environment.hpp"
#include "gyre/sim/test_app.test.hpp"
#include "gyre/sim/trace_recorder.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre::sim {
namespace {

using namespace std::chrono_literals;

class Ask : public Request {
public:
    explicit Ask(MachineRef whom) noexcept : Request(OpCode::first_custom) {
        set_destination(whom);
    }
};

TEST(SimWorld, an_op_goes_to_another_loop_and_comes_back) {
    VirtualClock clock;
    TestApp asking;
    TestApp serving;
    World world(clock);
    world.add_loop(asking);
    world.add_loop(serving);
    serving.on_request = [](Op&) { return 42; };
    Ask ask(serving.ref());
    asking.start(ask);

    EXPECT_EQ(world.run(), World::End::idle);

    EXPECT_EQ(ask.result(), 42);
    EXPECT_EQ(asking.done, std::vector<Op*>{&ask});
}

TEST(SimWorld, moves_one_clock_for_all_loops_and_only_when_none_can_go_on) {
    VirtualClock clock;
    TestApp a;
    TestApp b;
    World world(clock);
    world.add_loop(a);
    world.add_loop(b);
    const Instant start = clock.peek();
    TimerOp early(start + 1h);
    TimerOp late(start + 48h);
    std::vector<Instant> times;
    a.on_done = [&](Op&) { times.push_back(clock.peek()); };
    b.on_done = a.on_done;
    a.start(late);
    b.start(early);
    EXPECT_EQ(world.run(), World::End::idle);
    EXPECT_EQ(times, (std::vector<Instant>{start + 1h, start + 48h}));
}

TEST(SimWorld, shares_network_and_files_between_loops) {
    VirtualClock clock;
    TestApp server;
    TestApp client;
    World world(clock);
    Loop& server_loop = world.add_loop(server);
    Loop& client_loop = world.add_loop(client);
    const Fd listener =
        server_loop.platform().environment()->sockets().listen(Address::loopback(80), {}).value();
    const Fd fd =
        client_loop.platform().environment()->sockets().stream(Address::Family::ipv4).value();
    AcceptOp accept(listener);
    ConnectOp connect(fd, Address::loopback(80));
    server.start(accept);
    client.start(connect);
    EXPECT_EQ(world.run(), World::End::idle);
    ASSERT_GT(accept.result(), 0);
    EXPECT_EQ(connect.result(), 0);

    std::array<std::byte, 8> memory{};
    ReceiveOp receive(accept.result(), memory);
    SendOp send(fd, bytes_of("hi"));
    OpenOp open("/x", {.write = true, .create = true});
    for (Op* op : std::initializer_list<Op*>{&send, &open}) client.start(*op);
    server.start(receive);
    EXPECT_EQ(world.run(), World::End::idle);
    EXPECT_EQ(receive.result(), 2);
    OpenOp open_there("/x");
    server.start(open_there);
    EXPECT_EQ(world.run(), World::End::idle);
    EXPECT_GT(open_there.result(), 0);
}

TEST(SimWorld, says_when_nothing_can_ever_happen_any_more) {
    VirtualClock clock;
    TestApp app;
    World world(clock);
    world.add_loop(app);
    WakeOp wake;
    app.start(wake);
    EXPECT_EQ(world.run(), World::End::stuck);
    wake.ring();
    EXPECT_EQ(world.run(), World::End::stuck);
    EXPECT_EQ(app.rung.size(), 1u);
    app.stop(wake);
    EXPECT_EQ(world.run(), World::End::idle);
}

// Nobody reads the byte, so the loop has a notification in each of its turns.
TEST(SimWorld, lets_time_pass_while_a_level_triggered_op_stays_ready) {
    VirtualClock clock;
    TestApp watching;
    TestApp sleeping;
    World world(clock);
    Loop& loop = world.add_loop(watching);
    world.add_loop(sleeping);
    const auto pair = loop.platform().environment()->sockets().connection_pair().value();
    ReadinessOp readiness(pair[0], Events::readable, Trigger::level);
    SendOp send(pair[1], bytes_of("x"));
    watching.start(readiness);
    watching.start(send);
    const Instant due = clock.peek() + 10ms;
    TimerOp timer(due);
    sleeping.start(timer);
    sleeping.on_done = [&](Op&) { world.stop(); };
    EXPECT_EQ(world.run(), World::End::stopped);
    EXPECT_EQ(clock.peek(), due);
    EXPECT_GT(watching.rung.size(), 100u);
    watching.stop(readiness);
    EXPECT_EQ(world.run(), World::End::idle);
}

TEST(SimWorld, does_not_wait_for_ops_in_the_background) {
    VirtualClock clock;
    class Closing : public TestApp {
    public:
        TimerOp timer;

    private:
        void on_close() override { stop(timer); }
    } app;
    World world(clock);
    world.add_loop(app);
    const Instant start = clock.peek();
    app.timer.deadline = start + 1h;
    app.timer.set_background(true);
    app.start(app.timer);
    EXPECT_EQ(world.run(), World::End::idle);
    EXPECT_EQ(clock.peek(), start);
}

TEST(SimWorld, ends_an_endless_program_at_its_limit_and_any_program_when_stopped) {
    VirtualClock clock;
    TestApp app;
    World world(clock, {}, {.turn_count_max = 100});
    world.add_loop(app);
    TimerOp timer(clock.peek());
    bool is_endless = true;
    app.on_done = [&](Op&) {
        timer.deadline = timer.deadline + 1s;
        if (is_endless) app.start(timer);
    };
    app.start(timer);
    EXPECT_EQ(world.run(), World::End::turn_limit);
    EXPECT_EQ(world.turn_count(), 100u);

    app.on_done = [&](Op&) { world.stop(); };
    EXPECT_EQ(world.run(), World::End::stopped);
    EXPECT_EQ(world.run(), World::End::idle);
}

TEST(SimWorld, runs_blocking_work_of_each_loop) {
    VirtualClock clock;
    TestApp a;
    TestApp b;
    World world(clock);
    world.add_loop(a);
    world.add_loop(b);
    WorkOp one([](WorkOp&) noexcept -> std::int32_t { return 1; });
    WorkOp two([](WorkOp&) noexcept -> std::int32_t { return 2; });
    a.start(one);
    b.start(two);
    EXPECT_EQ(world.run(), World::End::idle);
    EXPECT_EQ(one.result(), 1);
    EXPECT_EQ(two.result(), 2);
}

TEST(SimWorld, closes_while_an_op_is_at_another_loop) {
    VirtualClock clock;
    class Asking : public TestApp {
    public:
        std::unique_ptr<Ask> ask;
        CancelOp message;

    private:
        void on_close() override { stop(*ask, &message); }
    } asking;
    test::TestMachine keeper("keeper");
    World world(clock);
    world.add_loop(asking);
    world.add_loop(keeper);
    asking.ask = std::make_unique<Ask>(keeper.ref());
    asking.start(*asking.ask);
    EXPECT_EQ(world.run(), World::End::stuck);
    world.close();
    EXPECT_TRUE(asking.ask->is_cancelled());
}

TEST(SimWorld, closing_a_descriptor_gives_back_what_other_loops_wait_for) {
    VirtualClock clock;
    TestApp a;
    TestApp b;
    World world(clock);
    world.add_loop(a);
    world.add_loop(b);
    const auto pair = world.sockets().connection_pair().value();
    std::array<std::byte, 8> memory{};
    ReceiveOp receive(pair[0], memory);
    CloseOp close(pair[0]);
    a.start(receive);
    EXPECT_EQ(world.run(), World::End::stuck);
    b.start(close);
    EXPECT_EQ(world.run(), World::End::idle);
    EXPECT_TRUE(receive.is_cancelled());
    EXPECT_EQ(close.result(), 0);
}

// ---- The seed ----

// Two loops: clients in one connect to a server in the other, which sends each a greeting; in
// addition there are blocking work and timers with equal deadlines. Returns the whole trace.
std::string trace_of(std::uint64_t seed) {
    std::string trace;
    TraceRecorder server_trace(trace, "server");
    TraceRecorder client_trace(trace, "client");
    VirtualClock clock;
    TestApp server;
    TestApp client;
    World world(clock, {.seed = seed});
    world.add_loop(server, {.observer = &server_trace});
    world.add_loop(client, {.observer = &client_trace});
    Sockets& sockets = world.sockets();
    const Fd listener = sockets.listen(Address::loopback(80), {}).value();

    constexpr std::size_t client_count = 8;
    // An op has no virtual destructor: one container for each type.
    std::vector<std::shared_ptr<Op>> ops;
    std::array<std::array<std::byte, 8>, client_count> memory{};
    const auto start = [&ops](TestApp& app, auto op) {
        app.start(*op);
        ops.push_back(std::move(op));
    };
    server.on_done = [&](Op& op) {
        if (op.code() != IoCode::accept) return;
        start(server, std::make_shared<SendOp>(op.result(), bytes_of("hello")));
    };
    std::size_t next = 0;
    client.on_done = [&](Op& op) {
        if (op.code() != IoCode::connect) return;
        start(client, std::make_shared<ReceiveOp>(static_cast<ConnectOp&>(op).fd, memory[next++]));
    };
    for (std::size_t i = 0; i < client_count; ++i) {
        const Fd fd = sockets.stream(Address::Family::ipv4).value();
        start(server, std::make_shared<AcceptOp>(listener));
        start(client, std::make_shared<ConnectOp>(fd, Address::loopback(80)));
        start(client, std::make_shared<TimerOp>(clock.peek() + 50us));
        start(server, std::make_shared<WorkOp>([](WorkOp&) noexcept -> std::int32_t { return 1; }));
    }
    EXPECT_EQ(world.run(), World::End::idle);
    for (const auto& op : ops) EXPECT_GE(op->result(), 0);
    return trace;
}

TEST(SimSeed, the_same_gives_the_same_trace_byte_for_byte) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const std::string first = trace_of(seed);
        EXPECT_GT(first.size(), 1000u);
        EXPECT_EQ(first, trace_of(seed));
    }
}

TEST(SimSeed, another_gives_another_trace) {
    std::set<std::string> traces;
    for (std::uint64_t seed = 0; seed < 5; ++seed) traces.insert(trace_of(seed));
    EXPECT_EQ(traces.size(), 5u);
}

TEST(SimSeed, decides_the_order_between_descriptors_that_are_ready_at_one_time) {
    std::set<std::vector<std::size_t>> orders;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Rig rig(SimOptions{.seed = seed});
        std::vector<std::unique_ptr<SendOp>> sends;
        for (int i = 0; i < 4; ++i) {
            const auto pair = rig.sockets().connection_pair().value();
            sends.push_back(std::make_unique<SendOp>(pair[0], bytes_of("x")));
            rig.app.start(*sends.back());
        }
        rig.loop.run();
        std::vector<std::size_t> order;
        for (const Op* op : rig.app.done) order.push_back(op->id() & 0xffu);
        orders.insert(order);
    }
    EXPECT_GT(orders.size(), 5u);
}

TEST(SimSeed, decides_which_loop_goes_first) {
    std::set<std::string> orders;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        VirtualClock clock;
        std::string order;
        std::array<TestApp, 3> apps;
        std::array<TimerOp, 3> timers;
        World world(clock, {.seed = seed});
        for (std::size_t i = 0; i < apps.size(); ++i) {
            world.add_loop(apps[i]);
            apps[i].on_done = [&order, i](Op&) { order += std::to_string(i); };
            timers[i].deadline = clock.peek() + 1s;
            apps[i].start(timers[i]);
        }
        EXPECT_EQ(world.run(), World::End::idle);
        orders.insert(order);
    }
    EXPECT_GT(orders.size(), 2u);
}

TEST(SimTrace, a_line_names_time_loop_event_op_and_machine) {
    std::string trace;
    TraceRecorder recorder(trace, "main");
    Rig rig({}, &recorder);
    TimerOp timer(rig.clock.peek() + 1s);
    rig.app.start(timer);
    rig.loop.run();
    EXPECT_NE(trace.find("submit timer 1099511627777 trace 1099511627777 parent 0 app#2\n"),
              std::string::npos)
        << trace;
    EXPECT_NE(trace.find("2000000000 main complete timer 1099511627777 trace 1099511627777 parent "
                         "0 result 0 app#2\n"),
              std::string::npos)
        << trace;
    EXPECT_NE(trace.find("main wait until 2000000000\n"), std::string::npos) << trace;
}

}  // namespace
}  // namespace gyre::sim
