// SPDX-License-Identifier: Apache-2.0
// Several pieces in one send, and descriptors passed with the bytes of a Unix socket.
#include "gyre/io/socket_ops.hpp"
#include "tests/platforms/world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_EACH_PLATFORM(Messages);

using Buffer = std::array<std::byte, 32>;

// clause: K07
TEST_P(Messages, pieces_go_out_as_one_in_their_order) {
    Pair pair(*world);
    const std::array<ConstBytes, 4> pieces{bytes_of("ab"), bytes_of(""), bytes_of("cde"),
                                           bytes_of("f")};
    SendPiecesOp send(pair.near, pieces);
    EXPECT_EQ(world->run(send), 6);
    EXPECT_EQ(world->completions_of(send), 1u);
    EXPECT_EQ(world->receive(pair.far), "abcdef");
}

TEST_P(Messages, pieces_beyond_the_limit_are_left_for_the_next_op) {
    Pair pair(*world);
    const std::vector<ConstBytes> pieces(SendPiecesOp::pieces_max + 3, bytes_of("x"));
    SendPiecesOp send(pair.near, pieces);
    EXPECT_EQ(world->run(send), static_cast<std::int32_t>(SendPiecesOp::pieces_max));
}

TEST_P(Messages, pieces_for_a_peer_that_is_gone_are_a_result) {
    Pair pair(*world);
    pair.close_far();
    world->settle();
    const std::array<ConstBytes, 2> pieces{bytes_of("ab"), bytes_of("cd")};
    SendPiecesOp send(pair.near, pieces);
    EXPECT_EQ(world->run(send), failure(std::errc::broken_pipe));
}

TEST_P(Messages, bytes_may_come_without_descriptors) {
    Pair pair(*world);
    Buffer buffer{};
    std::array<Fd, 2> numbers{-1, -1};
    ReceivePassedOp receive(pair.near, buffer, numbers);
    world->app.start(receive);
    world->settle();
    pair.write_far("plain");
    EXPECT_EQ(world->finish(receive), 5);
    EXPECT_EQ(receive.passed_count, 0u);
    EXPECT_FALSE(receive.is_cut_off);
    EXPECT_EQ(text_of(ConstBytes(buffer).first(5)), "plain");
    pair.close_far();
    ReceivePassedOp end(pair.near, buffer, numbers);
    EXPECT_EQ(world->run(end), 0);
}

TEST_P(Messages, a_descriptor_is_the_same_where_it_arrives) {
    Pair pair(*world);
    Pair other(*world);
    const std::array<ConstBytes, 1> pieces{bytes_of("!")};
    const std::array<Fd, 1> own{other.near};
    SendPiecesOp send(pair.near, pieces, own);
    EXPECT_EQ(world->run(send), 1);
    Buffer buffer{};
    std::array<Fd, 2> numbers{-1, -1};
    ReceivePassedOp receive(pair.far, buffer, numbers);
    EXPECT_EQ(world->run(receive), 1);
    ASSERT_EQ(receive.passed_count, 1u);
    EXPECT_NE(numbers[0], other.near);
    EXPECT_EQ(world->send(numbers[0], "hello"), 5);
    EXPECT_EQ(world->receive(other.far), "hello");
    world->close(numbers[0]);
}

TEST_P(Messages, more_descriptors_than_may_travel_are_a_result) {
    Pair pair(*world);
    const std::array<ConstBytes, 1> pieces{bytes_of("!")};
    const std::vector<Fd> many(SendPiecesOp::passed_max + 1, pair.far);
    SendPiecesOp send(pair.near, pieces, many);
    EXPECT_EQ(world->run(send), failure(std::errc::argument_list_too_long));
    const std::array<Fd, 1> nothing{-1};
    SendPiecesOp bad(pair.near, pieces, nothing);
    EXPECT_EQ(world->run(bad), failure(std::errc::bad_file_descriptor));
}

// Sends the near end of `other` over the near end of `pair`, and closes its own descriptor of it.
void pass_near(Pair& pair, Pair& other, std::string_view text) {
    const std::array<ConstBytes, 1> pieces{bytes_of(text)};
    const std::array<Fd, 1> own{other.near};
    SendPiecesOp send(pair.near, pieces, own);
    EXPECT_EQ(pair.world.run(send), static_cast<std::int32_t>(text.size()));
    other.close_near();
}

TEST_P(Messages, a_descriptor_comes_with_its_own_bytes) {
    Pair pair(*world);
    Pair other(*world);
    EXPECT_EQ(world->send(pair.near, "ab"), 2);
    pass_near(pair, other, "cd");
    EXPECT_EQ(world->send(pair.near, "ef"), 2);
    world->settle();
    Buffer buffer{};
    std::array<Fd, 2> numbers{-1, -1};
    ReceivePassedOp before(pair.far, Bytes(buffer).first(1), numbers);
    EXPECT_EQ(world->run(before), 1);
    EXPECT_EQ(before.passed_count, 0u);
    ReceivePassedOp with(pair.far, buffer, numbers);
    EXPECT_EQ(world->run(with), 3);
    EXPECT_EQ(text_of(ConstBytes(buffer).first(3)), "bcd");
    EXPECT_EQ(with.passed_count, 1u);
    ReceivePassedOp after(pair.far, buffer, numbers);
    EXPECT_EQ(world->run(after), 2);
    EXPECT_EQ(after.passed_count, 0u);
    world->close(numbers[0]);
    EXPECT_EQ(world->receive(other.far), "");
}

TEST_P(Messages, a_descriptor_that_nobody_takes_is_closed) {
    Pair pair(*world);
    Pair first(*world);
    Pair second(*world);
    Pair third(*world);
    pass_near(pair, first, "a");
    world->settle();
    EXPECT_EQ(world->receive(pair.far), "a");  // without room for the descriptor
    EXPECT_EQ(world->receive(first.far), "");
    pass_near(pair, second, "b");
    pass_near(pair, third, "c");
    world->settle();
    Buffer buffer{};
    ReceivePassedOp none(pair.far, buffer, {});
    EXPECT_EQ(world->run(none), 1);
    EXPECT_TRUE(none.is_cut_off);
    EXPECT_EQ(world->receive(second.far), "");
    pair.close_far();  // with the descriptor in flight
    EXPECT_EQ(world->receive(third.far), "");
}

// A socket that is in flight through itself has no descriptor left.
TEST_P(Messages, a_socket_may_be_passed_over_itself) {
    Pair pair(*world);
    const std::array<ConstBytes, 1> pieces{bytes_of("!")};
    const std::array<Fd, 2> both{pair.near, pair.far};
    SendPiecesOp send(pair.near, pieces, both);
    EXPECT_EQ(world->run(send), 1);
    pair.close_near();
    pair.close_far();
}

// clause: K10
TEST_P(Messages, a_cancelled_receive_leaves_what_comes) {
    Pair pair(*world);
    Buffer buffer{};
    std::array<Fd, 2> numbers{-1, -1};
    ReceivePassedOp receive(pair.near, buffer, numbers);
    world->app.start(receive);
    world->settle();
    EXPECT_EQ(world->cancel(receive), cancelled_result);
    pair.write_far("still here");
    EXPECT_EQ(world->run(receive), 10);
}

}  // namespace
}  // namespace gyre::test
