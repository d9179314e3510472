// SPDX-License-Identifier: Apache-2.0
// Ops that are cancelled inside a tick, for each kind of op and on each platform: before they have
// begun, with their result ready, and under way while the result arrives. An op that finished
// although it was cancelled reports its result; one that is reported as cancelled has had no
// effect. So in every case nothing is lost and nothing happens twice.
#include <functional>

#include "tests/platforms/datagram_world.hpp"
#include "tests/platforms/world.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre::test {
namespace {

GYRE_ON_EACH_PLATFORM(FinishedCancelled);

using Buffer = std::array<std::byte, 16>;

enum class When { not_begun, ready, under_way };
constexpr int tries = 8;

// Runs the op and cancels it inside a tick. `event` makes the op's result ready; null: it is ready
// from the start. Returns the result of the op when both are back.
std::int32_t cancelled_in_a_tick(World& world, When when, Op& op, Op* event = nullptr) {
    world.app.done.clear();
    CustomOp knock;  // The app gets it in the turn in which the platform gets the op.
    knock.set_destination(world.app.ref());
    if (when != When::under_way && event != nullptr) {
        EXPECT_GE(world.run(*event), 0);
        world.settle();
    }
    if (when == When::under_way) {
        world.app.start(op);
        if (event == nullptr) {
            world.turn();
        } else {
            world.settle();
            world.app.start(*event);
        }
    } else if (when == When::ready) {
        world.app.start(op);
    }
    world.app.on_request = [&](Op&) {
        if (when == When::not_begun) world.app.start(op);
        world.app.stop(op);
        return 0;
    };
    EXPECT_EQ(world.run(knock), 0);
    const std::int32_t result = world.finish(op);
    if (event != nullptr) {
        EXPECT_GE(world.finish(*event), 0);
    }
    EXPECT_EQ(world.completions_of(op), 1u);
    if (when == When::not_begun) {
        EXPECT_EQ(result, cancelled_result);
    }
    return result;
}

// Whether the op ends although nothing more happens: instead of a test that hangs.
bool ends(World& world, Op& op) {
    world.app.start(op);
    for (int i = 0; i < 100 && op.is_in_flight(); ++i) world.settle();
    if (!op.is_in_flight()) return true;
    EXPECT_EQ(world.cancel(op), cancelled_result);
    return false;
}

void each_time(const std::function<void(When)>& act) {
    for (const When when : {When::not_begun, When::ready, When::under_way}) {
        SCOPED_TRACE(static_cast<int>(when));
        for (int i = 0; i < tries && !testing::Test::HasFailure(); ++i) act(when);
    }
}

// What a stream brings before the mark that is sent now.
std::string received_before_a_mark(World& world, Fd from, Fd to) {
    EXPECT_EQ(world.send(from, "|"), 1);
    std::string text;
    while (text.empty() || text.back() != '|') text += world.receive(to);
    text.pop_back();
    return text;
}

// The next receive gets what the cancelled one did not take.
void expect_once(World& world, Fd fd, std::int32_t result, std::string_view text, ConstBytes got) {
    if (result == cancelled_result) {
        Buffer buffer{};
        ReceiveOp next(fd, buffer);
        ASSERT_TRUE(ends(world, next)) << "the bytes of the cancelled receive are lost";
        EXPECT_EQ(text_of(ConstBytes(buffer).first(text.size())), text);
    } else {
        ASSERT_EQ(result, static_cast<std::int32_t>(text.size()));
        EXPECT_EQ(text_of(got.first(text.size())), text);
    }
}

TEST_P(FinishedCancelled, K28_a_receive_loses_no_bytes) {
    // clause: K28
    Pair pair(*world);
    each_time([&](When when) {
        Buffer buffer{};
        ReceiveOp op(pair.near, buffer);
        SendOp event(pair.far, bytes_of("data"));
        const std::int32_t result = cancelled_in_a_tick(*world, when, op, &event);
        expect_once(*world, pair.near, result, "data", buffer);
    });
}

TEST_P(FinishedCancelled, K28_an_accept_loses_no_connection) {
    // clause: K28
    const Fd listener = world->listen();
    each_time([&](When when) {
        const Fd client = world->stream();
        AcceptOp op(listener);
        ConnectOp event(client, world->address_of(listener));
        Fd accepted = cancelled_in_a_tick(*world, when, op, &event);
        if (accepted == cancelled_result) {
            AcceptOp next(listener);
            ASSERT_TRUE(ends(*world, next)) << "the connection of the cancelled accept is lost";
            accepted = next.result();
        }
        ASSERT_GE(accepted, 0);
        EXPECT_EQ(world->send(accepted, "hello"), 5);
        EXPECT_EQ(world->receive(client), "hello");
        for (const Fd fd : {accepted, client}) world->close(fd);
    });
    world->close(listener);
}

TEST_P(FinishedCancelled, K28_a_connect_is_made_or_can_be_tried_again) {
    // clause: K28
    const Fd listener = world->listen();
    each_time([&](When when) {
        const Fd client = world->stream();
        ConnectOp op(client, world->address_of(listener));
        if (cancelled_in_a_tick(*world, when, op) == cancelled_result) {
            EXPECT_EQ(world->run(op), 0);
        } else {
            EXPECT_EQ(op.result(), 0);
        }
        EXPECT_TRUE(world->sockets().peer_address(client));
        world->close(client);
    });
    world->close(listener);
}

TEST_P(FinishedCancelled, K28_a_send_has_sent_what_it_says) {
    // clause: K28
    Pair pair(*world);
    const std::array<ConstBytes, 2> pieces{bytes_of("pie"), bytes_of("ces")};
    each_time([&](When when) {
        SendOp one(pair.near, bytes_of("whole"));
        const bool sent_one = cancelled_in_a_tick(*world, when, one) != cancelled_result;
        EXPECT_EQ(received_before_a_mark(*world, pair.near, pair.far), sent_one ? "whole" : "");
        SendPiecesOp several(pair.near, pieces);
        const bool sent_all = cancelled_in_a_tick(*world, when, several) != cancelled_result;
        EXPECT_EQ(received_before_a_mark(*world, pair.near, pair.far), sent_all ? "pieces" : "");
    });
}

TEST_P(FinishedCancelled, K28_a_datagram_is_received_once_and_sent_once) {
    // clause: K28
    Socket here(*world);
    Socket there(*world);
    each_time([&](When when) {
        Buffer buffer{};
        ReceiveFromOp op(there.fd(), buffer);
        SendToOp event(here.fd(), bytes_of("data"), there.address());
        if (cancelled_in_a_tick(*world, when, op, &event) == cancelled_result) {
            ASSERT_TRUE(there.has_one()) << "the datagram of the cancelled receive is lost";
            EXPECT_EQ(there.receive(), "data");
        } else {
            EXPECT_EQ(op.result(), 4);
            EXPECT_EQ(op.from, here.address());
        }
        SendToOp send(here.fd(), bytes_of("sent"), there.address());
        const bool is_sent = cancelled_in_a_tick(*world, when, send) != cancelled_result;
        EXPECT_EQ(there.has_one(), is_sent);
        if (is_sent) EXPECT_EQ(there.receive(), "sent");
    });
}

TEST_P(FinishedCancelled, K28_a_passed_descriptor_is_not_lost) {
    // clause: K28
    Pair pair(*world);
    Pair other(*world);
    const std::array<ConstBytes, 1> pieces{bytes_of("!")};
    const std::array<Fd, 1> own{other.near};
    each_time([&](When when) {
        Buffer buffer{};
        std::array<Fd, 1> numbers{-1};
        ReceivePassedOp op(pair.far, buffer, numbers);
        SendPiecesOp event(pair.near, pieces, own);
        if (cancelled_in_a_tick(*world, when, op, &event) == cancelled_result) {
            ASSERT_TRUE(ends(*world, op)) << "what was passed to the cancelled receive is lost";
        }
        ASSERT_EQ(op.result(), 1);
        ASSERT_EQ(op.passed_count, 1u);
        world->close(numbers[0]);
    });
}

TEST_P(FinishedCancelled, K28_a_ring_and_its_stream_have_all_bytes) {
    // clause: K28
    Pair pair(*world);
    each_time([&](When when) {
        std::array<std::byte, 64> memory{};
        ByteRing ring(memory);
        ReceiveRingOp op(pair.near, ring, OverflowPolicy::drop_newest);
        SendOp event(pair.far, bytes_of("data"));
        EXPECT_EQ(cancelled_in_a_tick(*world, when, op, &event), cancelled_result);
        std::array<std::byte, 64> out{};
        std::string text(text_of(ConstBytes(out).first(ring.read(out))));
        text += received_before_a_mark(*world, pair.far, pair.near);
        EXPECT_EQ(text, "data");
    });
}

TEST_P(FinishedCancelled, K28_watching_takes_nothing) {
    // clause: K28
    Pair pair(*world);
    each_time([&](When when) {
        PollOp poll(pair.near, Events::readable);
        SendOp event(pair.far, bytes_of("a"));
        const std::int32_t result = cancelled_in_a_tick(*world, when, poll, &event);
        if (result != cancelled_result) {
            EXPECT_TRUE(any(static_cast<Events>(result) & Events::readable));
        }
        for (const Trigger trigger : {Trigger::edge, Trigger::level}) {
            ReadinessOp readiness(pair.near, Events::readable, trigger);
            SendOp more(pair.far, bytes_of("b"));
            EXPECT_EQ(cancelled_in_a_tick(*world, when, readiness, &more), cancelled_result);
        }
        EXPECT_EQ(received_before_a_mark(*world, pair.far, pair.near), "abb");
    });
}

TEST_P(FinishedCancelled, K28_a_file_has_what_the_op_says) {
    // clause: K28
    const std::string path = world->file_path();
    const std::string folder = world->file_path("folder");
    each_time([&](When when) {
        OpenOp open(path, {.write = true, .create = true, .exclusive = true});
        Fd fd = cancelled_in_a_tick(*world, when, open);
        if (fd == cancelled_result) fd = world->run(open);
        ASSERT_GE(fd, 0) << "the cancelled open has made the file";

        WriteOp write(fd, bytes_of("text"), 0);
        const bool is_written = cancelled_in_a_tick(*world, when, write) != cancelled_result;
        Buffer buffer{};
        ReadOp read(fd, buffer, 0);
        EXPECT_EQ(world->run(read), is_written ? 4 : 0);
        const std::int32_t size = cancelled_in_a_tick(*world, when, read);
        EXPECT_TRUE(size == cancelled_result || size == (is_written ? 4 : 0)) << size;
        world->close(fd);
        PathOp remove(PathOp::Verb::remove, path);
        if (cancelled_in_a_tick(*world, when, remove) == cancelled_result) {
            EXPECT_EQ(world->run(remove), 0);
        }
        PathOp make(PathOp::Verb::make_folder, folder);
        make.mode = 0700;
        if (cancelled_in_a_tick(*world, when, make) == cancelled_result) {
            EXPECT_EQ(world->run(make), 0);
        }
        PathOp remove_folder(PathOp::Verb::remove, folder);
        EXPECT_EQ(world->run(remove_folder), 0);
    });
}

TEST_P(FinishedCancelled, K28_a_part_of_a_file_is_sent_as_far_as_the_op_says) {
    // clause: K28
    Pair pair(*world);
    const Fd file = world->open(world->file_path(), {.write = true, .create = true});
    WriteOp write(file, bytes_of("content"), 0);
    ASSERT_EQ(world->run(write), 7);
    each_time([&](When when) {
        SendFileOp op(pair.near, bytes_of("head:"), file, 0, 7);
        const bool is_sent = cancelled_in_a_tick(*world, when, op) != cancelled_result;
        EXPECT_EQ(received_before_a_mark(*world, pair.near, pair.far),
                  is_sent ? "head:content" : "");
    });
    world->close(file);
}

TEST_P(FinishedCancelled, K28_a_close_that_has_begun_is_not_undone) {
    // clause: K28
    each_time([&](When when) {
        const Fd fd = world->stream();
        CloseOp op(fd);
        if (cancelled_in_a_tick(*world, when, op) == cancelled_result) {
            EXPECT_EQ(when, When::not_begun);
            EXPECT_EQ(world->run(op), 0);
        } else {
            EXPECT_EQ(op.result(), 0);
        }
    });
}

}  // namespace
}  // namespace gyre::test
