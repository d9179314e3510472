// SPDX-License-Identifier: Apache-2.0
// Open files and whole files: the same results on every platform.
#include "gyre/fs/file.hpp"

#include <sys/stat.h>

#include <array>

#include "gyre/fs/fs_world.test.hpp"
#include "gyre/fs/temporary.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/task/combine/all.hpp"
#include "gyre/task/combine/timeout.hpp"

namespace gyre::fs {
namespace {

GYRE_ON_EACH_PLATFORM(OpenFile);
GYRE_ON_EACH_PLATFORM(WholeFile);
GYRE_ON_REAL_PLATFORMS(SystemFile);

Future<std::errc> try_list(std::string path) {
    const auto listed = co_await try_(list(path));
    co_return listed ? std::errc{} : listed.error().code();
}

constexpr OpenOptions for_writing{.write = true, .create = true};

TEST_P(OpenFile, is_written_and_read_at_offsets) {
    const std::string path = at("file");
    world->run([&]() -> Future<void> {
        File file = co_await open(path, for_writing);
        EXPECT_EQ(co_await file.write_at(bytes_of("hello"), 3), 5u);
        co_await file.sync();
        std::array<std::byte, 16> buffer{};
        EXPECT_EQ(co_await file.read_at(buffer, 4), 4u);
        EXPECT_EQ(text_of(ConstBytes(buffer).first(4)), "ello");
        EXPECT_EQ(co_await file.read_at(buffer, 100), 0u);
        EXPECT_EQ((co_await file.stat()).size_bytes, 8u);
        co_await file.truncate(4);
        EXPECT_EQ(co_await file.read_all_at(buffer, 0), 4u);
        EXPECT_EQ(text_of(ConstBytes(buffer).first(4)), std::string_view("\0\0\0h", 4));
        co_await file.truncate(6);
        EXPECT_EQ(co_await file.read_all_at(buffer, 3), 3u);
        EXPECT_EQ(text_of(ConstBytes(buffer).first(3)), std::string_view("h\0\0", 3));
        co_await file.aclose();
        EXPECT_FALSE(file.is_open());
    });
}

TEST_P(OpenFile, has_a_place_that_moves_on) {
    const std::string path = at("file");
    world->run([&]() -> Future<void> {
        File file = co_await open(path, for_writing);
        co_await file.write(bytes_of("one "));
        co_await file.write(bytes_of("two"));
        EXPECT_EQ(file.position(), 7u);
        file.seek(4);
        std::array<std::byte, 16> buffer{};
        EXPECT_EQ(co_await file.read(buffer), 3u);
        EXPECT_EQ(text_of(ConstBytes(buffer).first(3)), "two");
        EXPECT_EQ(co_await file.read(buffer), 0u);
    });
}

TEST_P(OpenFile, moves_several_parts_at_once) {
    const std::string path = at("file");
    world->run([&]() -> Future<void> {
        File file = co_await open(path, for_writing);
        const std::array<ConstBytes, 3> out{bytes_of("one"), bytes_of(""), bytes_of("three")};
        EXPECT_EQ(co_await file.write_pieces_at(out, 2), 8u);
        std::array<std::byte, 4> first{};
        std::array<std::byte, 16> second{};
        const std::array<Bytes, 2> in{Bytes(first), Bytes(second)};
        EXPECT_EQ(co_await file.read_pieces_at(in, 2), 8u);
        EXPECT_EQ(text_of(first), "onet");
        EXPECT_EQ(text_of(ConstBytes(second).first(4)), "hree");
    });
}

TEST_P(OpenFile, takes_many_at_once) {
    const std::string path = at("file");
    world->run([&]() -> Future<void> {
        File file = co_await open(path, for_writing);
        const std::string block(4096, 'x');
        std::vector<Future<void>> writes;
        for (std::uint64_t i = 0; i < 64; ++i) {
            writes.push_back(file.write_all_at(bytes_of(block), i * block.size()));
        }
        co_await all(std::move(writes));
        EXPECT_EQ((co_await file.stat()).size_bytes, 64 * 4096u);
    });
}

TEST_P(OpenFile, is_opened_as_asked_or_says_why_not) {
    const std::string path = at("file");
    const auto opened = [&](OpenOptions how) {
        return [&path, how]() -> Future<void> { File file = co_await open(path, how); };
    };
    EXPECT_EQ(error_of(*world, opened({})), std::errc::no_such_file_or_directory);
    EXPECT_EQ(error_of(*world, opened({.read = false})), std::errc::invalid_argument);
    EXPECT_EQ(error_of(*world, opened({.write = true, .create = true, .exclusive = true})),
              std::errc{});
    EXPECT_EQ(error_of(*world, opened({.write = true, .create = true, .exclusive = true})),
              std::errc::file_exists);
    try {
        world->run([]() -> Future<void> { File file = co_await open("/none/such"); });
        ADD_FAILURE();
    } catch (const FileError& e) {
        EXPECT_STREQ(e.what(), "open '/none/such': No such file or directory");
        EXPECT_EQ(e.path(), "/none/such");
    }
}

TEST_P(OpenFile, gives_the_errors_of_what_it_does_not_allow) {
    const std::string path = at("file");
    const auto write_to_a_reader = [&]() -> Future<void> {
        co_await write_file(path, "x");
        File file = co_await open(path);
        co_await file.write_all_at(bytes_of("y"), 0);
    };
    EXPECT_EQ(error_of(*world, write_to_a_reader), std::errc::bad_file_descriptor);
    const auto cut_off_by_a_reader = [&]() -> Future<void> {
        File file = co_await open(path);
        co_await file.truncate(0);
    };
    EXPECT_EQ(error_of(*world, cut_off_by_a_reader), std::errc::invalid_argument);
    const auto too_long = [&]() -> Future<void> {
        File file = co_await open(path, for_writing);
        co_await file.truncate(~std::uint64_t{0});
    };
    EXPECT_EQ(error_of(*world, too_long), std::errc::invalid_argument);
    const auto closed = [&]() -> Future<void> { (void)co_await File().stat(); };
    EXPECT_EQ(error_of(*world, closed), std::errc::bad_file_descriptor);
}

// A read that is under way when its file is closed is over, without a cancel of its task.
TEST_P(OpenFile, that_is_closed_ends_what_is_under_way) {
    const std::string path = at("file");
    world->run([&]() -> Future<void> {
        co_await write_file(path, std::string(1 << 16, 'x'));
        File file = co_await open(path);
        std::vector<std::byte> buffer(1 << 16);
        const auto read = [&]() -> Future<void> {
            const Result<std::size_t> count = co_await try_(file.read_all_at(buffer, 0));
            EXPECT_TRUE(count == buffer.size() ||
                        count == std::unexpected(Error(std::errc::operation_canceled)));
        };
        const auto close = [&]() -> Future<void> { co_await file.aclose(); };
        auto both = all(read(), close());
        co_await std::move(both);
    });
}

TEST_P(WholeFile, is_written_appended_to_and_read) {
    const std::string path = at("file");
    world->run([&]() -> Future<void> {
        co_await write_file(path, "long before");
        co_await write_file(path, "one\n");
        co_await append_file(path, "two\n");
        EXPECT_EQ(co_await read_file(path), "one\ntwo\n");
        co_await append_file(at("new"), "first");
        EXPECT_EQ(co_await read_file(at("new")), "first");
        co_await write_file(path, "");
        EXPECT_EQ(co_await read_file(path), "");
    });
}

// clause: K14
TEST_P(WholeFile, beyond_the_limit_is_an_error_that_names_it) {
    const std::string path = at("file");
    try {
        world->run([&]() -> Future<void> {
            co_await write_file(path, "12345");
            EXPECT_EQ(co_await read_file(path, {.size_max_bytes = 5}), "12345");
            (void)co_await read_file(path, {.size_max_bytes = 4});
        });
        ADD_FAILURE();
    } catch (const LimitError& e) {
        EXPECT_EQ(e.what(), "read_file '" + path + "': more than size_max_bytes = 4");
    }
}

TEST_P(WholeFile, is_replaced_and_nothing_else_is_left) {
    const std::string path = at("file");
    world->run([&]() -> Future<void> {
        co_await replace(path, "first");
        EXPECT_EQ(co_await read_file(path), "first");
        co_await replace(path, std::string(100'000, 'x'));
        EXPECT_EQ((co_await read_file(path)).size(), 100'000u);
        const auto entries = co_await list(folder);
        EXPECT_EQ(entries.size(), 1u);
    });
}

TEST_P(WholeFile, that_cannot_be_replaced_is_as_it_was) {
    const std::string path = at("file");
    const auto replace_a_folder = [&]() -> Future<void> {
        co_await make_folder(path);
        co_await replace(path, "content");
    };
    EXPECT_EQ(error_of(*world, replace_a_folder), std::errc::is_a_directory);
    const auto entries = world->run([&]() { return list(folder); });
    EXPECT_EQ(entries.size(), 1u) << "the draft is left";
    const auto in_no_folder = [&]() { return replace(at("none/file"), "content"); };
    EXPECT_EQ(error_of(*world, in_no_folder), std::errc::no_such_file_or_directory);
}

TEST_P(WholeFile, errors_of_an_open_file_say_verb_object_and_reason) {
    world->run([&]() -> Future<void> {
        co_await write_file(at("read-only"), "x");
        File file = co_await open(at("read-only"));
        std::string text;
        try {
            (void)co_await file.write_at(bytes_of("y"), 4096);
        } catch (const FileError& e) {
            text = e.what();
        }
        EXPECT_EQ(text, "write '" + at("read-only") + "' at 4096: Bad file descriptor");
        co_await file.aclose();
    });
}

TEST_P(WholeFile, temporary_ones_go_with_their_owner) {
    world->run([&]() -> Future<void> {
        const TemporaryOptions here{.folder = folder};
        {
            TemporaryFile file = co_await temporary_file(here);
            co_await file.file.write(bytes_of("x"));
            EXPECT_EQ(co_await read_file(file.path()), "x");
            TemporaryFolder inner = co_await temporary_folder(here);
            co_await write_file(join(inner.path(), "a"), "x");
            TemporaryFile closed = co_await temporary_file(here);
            const std::string path = closed.path();
            co_await closed.aclose();
            EXPECT_FALSE(co_await exists(path));
            EXPECT_EQ((co_await list(folder)).size(), 2u);
        }
        TemporaryFile kept = co_await temporary_file(here);
        EXPECT_TRUE(co_await exists(kept.keep()));
    });
    EXPECT_EQ(world->run([&]() { return list(folder); }).size(), 1u);
}

TEST_P(SystemFile, whose_size_is_not_told_is_read_to_its_end) {
    const std::string text = world->run([]() { return read_file("/proc/self/status"); });
    EXPECT_NE(text.find("Threads:"), std::string::npos);
    const auto endless = [] { return read_file("/dev/zero", {.size_max_bytes = 1000}); };
    EXPECT_THROW((void)world->run(endless), LimitError);
}

TEST_P(WholeFile, keeps_its_permissions_when_it_is_replaced) {
    const std::string path = at("file");
    world->run([&]() -> Future<void> {
        co_await write_file(path, "old", {.mode = 0600});
        co_await replace(path, "new");
        EXPECT_EQ((co_await stat(path)).mode, 0600u);
        co_await replace(path, "newer", {.mode = 0640});
        EXPECT_EQ((co_await stat(path)).mode, 0640u);
    });
}

// The kit of tests/task_cancel does that step by step in the simulation.
TEST_P(SystemFile, is_the_old_one_or_the_new_one_when_a_replacement_is_cancelled) {
    const std::string path = at("file");
    world->run([&]() -> Future<void> {
        co_await write_file(path, "old");
        for (int i = 0; i < 40; ++i) {
            const Result<void> replaced =
                co_await try_(timeout(replace(path, "new"), std::chrono::microseconds(20 * i)));
            const std::string text = co_await read_file(path);
            EXPECT_TRUE(text == "new" || (text == "old" && !replaced)) << text;
            EXPECT_EQ((co_await list(folder)).size(), 1u);
            co_await write_file(path, "old");
        }
    });
}

// clause: K14
TEST(FileCalls, without_threads_or_with_a_full_queue_are_an_error) {
    sim::VirtualClock clock;
    sim::SimOptions options;
    options.work_count_max = 0;
    sim::SimPlatform platform(clock, options);
    for (Offload* offload : {&platform.offload(), static_cast<Offload*>(nullptr)}) {
        Executor executor;
        Loop loop(platform, executor, {.offload = offload});
        Scope scope(executor, nullptr, {.name = "test", .cancels_on_failure = false});
        auto listing = scope.spawn([]() { return try_list("/tmp"); });
        (void)loop.run();
        EXPECT_EQ(listing.outcome().take(), offload == nullptr
                                                ? std::errc::function_not_supported
                                                : std::errc::resource_unavailable_try_again);
        loop.close();
    }
}

// Each end of a named pipe is opened only when the other one is: on the loop's thread neither
// would ever be.
// clause: L18
TEST_P(SystemFile, that_blocks_does_not_block_the_loop) {
    const std::string path = at("pipe");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    world->run([&]() -> Future<void> {
        const auto read = [&]() -> Future<void> { File file = co_await open(path); };
        const auto write = [&]() -> Future<void> {
            const OpenOptions how{.read = false, .write = true};
            File file = co_await open(path, how);
        };
        auto both = all(read(), write());
        co_await std::move(both);
    });
}

TEST_P(SystemFile, that_is_full_says_so) {
    const auto fill = [] { return write_file("/dev/full", "x"); };
    EXPECT_EQ(error_of(*world, fill), std::errc::no_space_on_device);
}

}  // namespace
}  // namespace gyre::fs
