// SPDX-License-Identifier: Apache-2.0
// Open, read, write, fsync and close of files.
#include <memory>

#include "gyre/io/file_ops.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/io/socket_ops.hpp"
#include "tests/platforms/world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_EACH_PLATFORM(Files);

using Buffer = std::array<std::byte, 16>;

// clause: K07
TEST_P(Files, are_written_and_read_at_an_offset) {
    const std::string path = world->file_path();
    const Fd fd = world->open(path, {.write = true, .create = true, .truncate = true});
    WriteOp write(fd, bytes_of("hello"), 3);
    EXPECT_EQ(world->run(write), 5);
    FsyncOp fsync(fd);
    EXPECT_EQ(world->run(fsync), 0);
    Buffer buffer{};
    ReadOp read(fd, buffer, 4);
    EXPECT_EQ(world->run(read), 4);
    EXPECT_EQ(text_of(ConstBytes(buffer).first(4)), "ello");
    ReadOp hole(fd, Bytes(buffer).first(3), 0);
    EXPECT_EQ(world->run(hole), 3);
    EXPECT_EQ(text_of(ConstBytes(buffer).first(3)), std::string_view("\0\0\0", 3));
    ReadOp beyond(fd, buffer, 100);
    EXPECT_EQ(world->run(beyond), 0);
    for (const Op* op : std::initializer_list<Op*>{&write, &fsync, &read, &hole, &beyond}) {
        EXPECT_EQ(world->completions_of(*op), 1u);
    }
    world->close(fd);

    const Fd emptied = world->open(path, {.write = true, .truncate = true});
    ReadOp nothing(emptied, buffer, 0);
    EXPECT_EQ(world->run(nothing), 0);
    world->close(emptied);
}

// clause: K07
TEST_P(Files, several_parts_are_one_write_and_one_read) {
    const Fd fd = world->open(world->file_path(), {.write = true, .create = true});
    const std::array<ConstBytes, 3> out{bytes_of("hello"), bytes_of(""), bytes_of(" world")};
    WritePartsOp write(fd, parts_to_write(out), 2);
    EXPECT_EQ(world->run(write), 11);
    std::array<std::byte, 4> first{};
    Buffer second{};
    const std::array<Bytes, 2> in{first, second};
    ReadPartsOp read(fd, parts_to_fill(in), 2);
    EXPECT_EQ(world->run(read), 11);
    EXPECT_EQ(text_of(first), "hell");
    EXPECT_EQ(text_of(ConstBytes(second).first(7)), "o world");
    ReadPartsOp beyond(fd, parts_to_fill(in), 100);
    EXPECT_EQ(world->run(beyond), 0);
    ReadPartsOp nowhere(fd, {}, 0);
    EXPECT_EQ(world->run(nowhere), 0);
    for (const Op* op : std::initializer_list<Op*>{&write, &read, &beyond, &nowhere}) {
        EXPECT_EQ(world->completions_of(*op), 1u);
    }
    world->close(fd);
}

TEST_P(Files, parts_that_cannot_be_moved_are_results) {
    const Fd fd = world->open(world->file_path(), {.write = true, .create = true});
    Buffer buffer{};
    const std::array<Bytes, 1> in{buffer};
    ReadPartsOp far(fd, parts_to_fill(in), ~std::uint64_t{0});
    EXPECT_EQ(world->run(far), failure(std::errc::invalid_argument));
    const std::vector<ConstBytes> many(PartsOp::part_count_max + 6, bytes_of("x"));
    WritePartsOp most(fd, parts_to_write(many), 0);
    EXPECT_EQ(world->run(most), static_cast<std::int32_t>(PartsOp::part_count_max));
    world->close(fd);
    ReadPartsOp closed(fd, parts_to_fill(in), 0);
    EXPECT_EQ(world->run(closed), failure(std::errc::bad_file_descriptor));
    Pair pair(*world);
    ReadPartsOp of_a_stream(pair.near, parts_to_fill(in), 0);
    EXPECT_EQ(world->run(of_a_stream), failure(std::errc::invalid_seek));
}

TEST_P(Files, a_number_that_was_a_file_is_no_file_for_its_next_owner) {
    const Fd file = world->open(world->file_path(), {.write = true, .create = true});
    Buffer buffer{};
    ReadOp read(file, buffer, 0);
    EXPECT_EQ(world->run(read), 0);
    world->close(file);
    Pair pair(*world);
    EXPECT_TRUE(pair.near == file || pair.far == file);
    ReadOp of_a_stream(file, buffer, 0);
    EXPECT_EQ(world->run(of_a_stream), failure(std::errc::invalid_seek));
}

TEST_P(Files, a_short_read_is_what_is_left) {
    const Fd fd = world->open(world->file_path(), {.write = true, .create = true});
    WriteOp write(fd, bytes_of("abcdef"), 0);
    EXPECT_EQ(world->run(write), 6);
    Buffer buffer{};
    ReadOp read(fd, buffer, 2);
    EXPECT_EQ(world->run(read), 4);
    EXPECT_EQ(text_of(ConstBytes(buffer).first(4)), "cdef");
    world->close(fd);
}

TEST_P(Files, that_cannot_be_opened_are_results) {
    OpenOp missing(world->file_path("missing"));
    EXPECT_EQ(world->run(missing), failure(std::errc::no_such_file_or_directory));
    OpenOp empty("");
    EXPECT_EQ(world->run(empty), failure(std::errc::no_such_file_or_directory));
    OpenOp for_nothing(world->file_path(), {.read = false});
    EXPECT_EQ(world->run(for_nothing), failure(std::errc::invalid_argument));
    OpenOp long_name(std::string(300, 'x'), {.write = true, .create = true});
    EXPECT_EQ(world->run(long_name), failure(std::errc::filename_too_long));
}

TEST_P(Files, what_a_descriptor_does_not_allow_is_a_result) {
    const std::string path = world->file_path();
    const Fd writes = world->open(path, {.read = false, .write = true, .create = true});
    Buffer buffer{};
    ReadOp read(writes, buffer, 0);
    EXPECT_EQ(world->run(read), failure(std::errc::bad_file_descriptor));
    WriteOp far(writes, bytes_of("x"), ~std::uint64_t{0});
    EXPECT_EQ(world->run(far), failure(std::errc::invalid_argument));
    const Fd reads = world->open(path, {});
    WriteOp write(reads, bytes_of("x"), 0);
    EXPECT_EQ(world->run(write), failure(std::errc::bad_file_descriptor));
    ConnectOp connect(reads, Address::loopback(1));
    EXPECT_EQ(world->run(connect), failure(std::errc::not_a_socket));
    world->close(reads);
    world->close(writes);
}

TEST_P(Files, an_op_for_files_on_a_stream_is_a_result) {
    Buffer buffer{};
    Pair pair(*world);
    ReadOp of_a_stream(pair.near, buffer, 0);
    EXPECT_EQ(world->run(of_a_stream), failure(std::errc::invalid_seek));
    FsyncOp sync_of_a_stream(pair.near);
    EXPECT_EQ(world->run(sync_of_a_stream), failure(std::errc::invalid_argument));
}

// clause: K10
TEST_P(Files, an_open_cancelled_before_it_was_routed_opens_nothing) {
    const std::string path = world->file_path();
    OpenOp open(path, {.write = true, .create = true});
    world->app.start(open);
    EXPECT_EQ(world->cancel(open), cancelled_result);
    EXPECT_EQ(world->completions_of(open), 1u);
    OpenOp again(path);
    EXPECT_EQ(world->run(again), failure(std::errc::no_such_file_or_directory));
}

// clause: K10
TEST_P(Files, an_op_cancelled_under_way_comes_back_once_and_says_what_it_did) {
    const Fd fd = world->open(world->file_path(), {.write = true, .create = true});
    for (int turns = 1; turns < 5; ++turns) {
        const std::string text(static_cast<std::size_t>(turns), static_cast<char>('a' + turns));
        WriteOp write(fd, bytes_of(text), 0);
        world->app.start(write);
        for (int i = 0; i < turns && write.is_in_flight(); ++i) world->turn();
        world->app.stop(write);
        const std::int32_t result = world->finish(write);
        EXPECT_EQ(world->completions_of(write), 1u);
        world->app.done.clear();
        if (result == cancelled_result) continue;
        EXPECT_EQ(result, turns);
        Buffer buffer{};
        ReadOp read(fd, Bytes(buffer).first(text.size()), 0);
        EXPECT_EQ(world->run(read), turns);
        EXPECT_EQ(text_of(ConstBytes(buffer).first(text.size())), text);
    }
    world->close(fd);
}

TEST_P(Files, a_close_brings_back_the_ops_on_the_file_first) {
    const Fd fd = world->open(world->file_path(), {.write = true, .create = true});
    const std::string block(4096, 'x');
    std::vector<std::unique_ptr<WriteOp>> writes;
    for (std::uint64_t i = 0; i < 16; ++i) {
        writes.push_back(std::make_unique<WriteOp>(fd, bytes_of(block), i * block.size()));
        world->app.start(*writes.back());
    }
    CloseOp close(fd);
    world->app.start(close);
    world->app.done.clear();
    EXPECT_EQ(world->finish(close), 0);
    ASSERT_EQ(world->app.done.size(), writes.size() + 1);
    EXPECT_EQ(world->app.done.back(), &close);
    for (const auto& write : writes) {
        EXPECT_TRUE(write->result() == 4096 || write->result() == cancelled_result);
    }
    CloseOp again(fd);
    EXPECT_EQ(world->run(again), failure(std::errc::bad_file_descriptor));
}

}  // namespace
}  // namespace gyre::test
