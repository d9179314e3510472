// SPDX-License-Identifier: Apache-2.0
// Sending a part of a file to a socket: contents, order, waiting for room, and the effect of a
// cancellation.
#include <string>

#include "gyre/io/file_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "tests/platforms/world.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::test {
namespace {

class SentFiles : public OnPlatform {
protected:
    void TearDown() override {
        if (file >= 0) world->close(file);
    }
    void make_file(std::string_view text) {
        file = world->open(world->file_path(), {.write = true, .create = true, .truncate = true});
        std::size_t done = 0;
        while (done < text.size()) {
            WriteOp write(file, bytes_of(text.substr(done)), done);
            ASSERT_GT(world->run(write), 0);
            done += static_cast<std::size_t>(write.result());
        }
    }
    // Starts the op repeatedly until it waits; returns the number of bytes sent before.
    std::size_t fill(SendFileOp& op) {
        for (std::size_t went = 0;;) {
            world->app.start(op);
            world->settle();
            if (op.is_in_flight()) return went;
            EXPECT_GT(op.result(), 0);
            went += static_cast<std::size_t>(op.result());
        }
    }

    Fd file = -1;
};
GYRE_ON_PLATFORMS(SentFiles, gyre::test::every_platform);

// clause: K07
TEST_P(SentFiles, go_out_behind_the_bytes_before_them) {
    Pair pair(*world);
    make_file("0123456789");
    SendFileOp send(pair.near, bytes_of("head:"), file, 2, 5);
    EXPECT_EQ(world->run(send), 10);
    EXPECT_EQ(world->completions_of(send), 1u);
    EXPECT_EQ(world->receive(pair.far), "head:23456");
    SendFileOp bare(pair.near, {}, file, 9, 1);
    EXPECT_EQ(world->run(bare), 1);
    EXPECT_EQ(world->receive(pair.far), "9");
    SendFileOp no_file(pair.near, bytes_of("only"), file, 0, 0);
    EXPECT_EQ(world->run(no_file), 4);
    EXPECT_EQ(world->receive(pair.far), "only");
}

TEST_P(SentFiles, that_end_early_say_so_by_a_count) {
    Pair pair(*world);
    make_file("0123456789");
    SendFileOp longer(pair.near, {}, file, 6, 100);
    EXPECT_EQ(world->run(longer), 4);
    longer.offset = 10;
    EXPECT_EQ(world->run(longer), 0);
    SendFileOp behind(pair.near, bytes_of("head"), file, 1000, 1);
    EXPECT_EQ(world->run(behind), 4);
    behind.before = {};
    EXPECT_EQ(world->run(behind), 0);
}

TEST_P(SentFiles, keep_their_place_among_other_sends) {
    Pair pair(*world);
    make_file("file ");
    SendOp first(pair.near, bytes_of("first "));
    SendFileOp second(pair.near, bytes_of("the "), file, 0, 5);
    SendFileOp third(pair.near, {}, file, 0, 5);
    SendOp last(pair.near, bytes_of("last"));
    for (Op* op : {static_cast<Op*>(&first), static_cast<Op*>(&second), static_cast<Op*>(&third),
                   static_cast<Op*>(&last)}) {
        world->app.start(*op);
    }
    EXPECT_EQ(world->finish(last), 4);
    EXPECT_EQ(world->finish(second), 9);
    std::string received;
    while (received.size() < 24) received += world->receive(pair.far);
    EXPECT_EQ(received, "first the file file last");
}

// clause: K22
TEST_P(SentFiles, wait_for_room_and_go_on_where_they_were) {
    Pair pair(*world);
    std::string text(std::size_t{200} * 1024, '\0');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i / 7 % 23);
    make_file(text);
    const std::size_t rounds = 20;
    SendFileOp send(pair.near, {}, file, 0, text.size());
    std::string received;
    std::size_t went = 0;
    bool has_waited = false;
    world->app.start(send);
    while (received.size() < rounds * text.size()) {
        world->settle();
        if (send.is_in_flight()) {
            has_waited = true;
        } else if (went < rounds * text.size()) {
            ASSERT_GT(send.result(), 0);
            went += static_cast<std::size_t>(send.result());
            send.offset = went % text.size();
            send.size_bytes = text.size() - send.offset;
            if (went < rounds * text.size()) world->app.start(send);
            continue;
        }
        received += world->receive(pair.far, std::size_t{64} * 1024);
    }
    EXPECT_TRUE(has_waited);
    for (std::size_t i = 0; i < rounds; ++i) {
        EXPECT_EQ(received.compare(i * text.size(), text.size(), text), 0) << i;
    }
}

// clause: K10
TEST_P(SentFiles, that_are_cancelled_have_sent_what_they_said) {
    Pair pair(*world);
    make_file(std::string(std::size_t{64} * 1024, 'x'));
    SendFileOp send(pair.near, bytes_of("head"), file, 0, std::size_t{64} * 1024);
    const std::size_t went = fill(send);
    EXPECT_EQ(world->cancel(send), cancelled_result);
    EXPECT_EQ(world->send(pair.far, "still there"), 11);
    EXPECT_EQ(world->receive(pair.near), "still there");
    pair.close_near();
    std::size_t came = 0;
    for (;;) {
        const std::string text = world->receive(pair.far, std::size_t{64} * 1024);
        if (text.empty()) break;
        came += text.size();
    }
    EXPECT_EQ(came, went);
}

TEST_P(SentFiles, come_back_when_their_socket_is_closed) {
    Pair pair(*world);
    make_file(std::string(std::size_t{64} * 1024, 'x'));
    SendFileOp send(pair.near, {}, file, 0, std::size_t{64} * 1024);
    (void)fill(send);
    pair.close_near();
    EXPECT_EQ(world->finish(send), cancelled_result);
}

TEST_P(SentFiles, for_a_peer_that_is_gone_are_a_result_and_no_signal) {
    Pair pair(*world);
    make_file("0123456789");
    pair.close_far();
    world->settle();
    SendFileOp send(pair.near, {}, file, 0, 10);
    EXPECT_EQ(world->run(send), failure(std::errc::broken_pipe));
    send.before = bytes_of("head");
    EXPECT_EQ(world->run(send), failure(std::errc::broken_pipe));
}

TEST_P(SentFiles, of_no_file_or_from_nowhere_are_a_result) {
    Pair pair(*world);
    make_file("0123456789");
    SendFileOp none(pair.near, {}, -1, 0, 10);
    EXPECT_EQ(world->run(none), failure(std::errc::bad_file_descriptor));
    SendFileOp nowhere(pair.near, {}, file, ~std::uint64_t{0}, 1);
    EXPECT_EQ(world->run(nowhere), failure(std::errc::invalid_argument));
}

}  // namespace
}  // namespace gyre::test
