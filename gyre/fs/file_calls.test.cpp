// SPDX-License-Identifier: Apache-2.0
// FileCalls: the system's and the simulator's give the same to a program of another runtime.
#include "gyre/io/detail/file_calls.hpp"

#include "gyre/base/bytes.hpp"
#include "gyre/fs/fs_world.test.hpp"

namespace gyre::fs {
namespace {

GYRE_ON_EACH_PLATFORM(SystemCalls);

FileCalls& calls_of(World& world) {
    return *world.platform().environment()->file_calls();
}
FileTree& tree_of(World& world) {
    return *world.platform().environment()->file_tree();
}
constexpr std::uint32_t kind_bits = 0170000;

TEST_P(SystemCalls, tell_all_of_a_file) {
    FileCalls& calls = calls_of(*world);
    const Fd fd = calls.open(at("a"), {.write = true, .create = true, .mode = 0640}).value();
    EXPECT_EQ(tree_of(*world).write_at(fd, bytes_of("hello"), 0), std::size_t{5});
    EXPECT_TRUE(calls.sync(fd));
    EXPECT_TRUE(calls.set_times_of_open(fd, {.accessed_ns = 1'500, .modified_ns = 2'500'000'000}));
    const FileDetails open = calls.details_of_open(fd).value();
    EXPECT_EQ(open.whole_mode, 0100640u);
    EXPECT_EQ(open.size_bytes, 5u);
    EXPECT_EQ(open.link_count, 1u);
    EXPECT_EQ(open.modified_ns, 2'500'000'000);
    EXPECT_TRUE(calls.set_owner_of_open(fd, {.owner = open.owner, .group = open.group}));
    tree_of(*world).close(fd);
    EXPECT_TRUE(calls.set_mode(at("a"), 0600));
    EXPECT_TRUE(
        calls.set_times(at("a"), {.accessed_ns = 7, .modified_ns = 9'000}, Links::followed));
    const FileDetails named = calls.details(at("a"), Links::followed).value();
    EXPECT_EQ(named.whole_mode, 0100600u);
    EXPECT_EQ(named.accessed_ns, 7);
    EXPECT_EQ(named.modified_ns, 9'000);
    EXPECT_EQ(named.number, open.number);
}

TEST_P(SystemCalls, tell_links_and_folders_apart) {
    FileCalls& calls = calls_of(*world);
    ASSERT_TRUE(tree_of(*world).make_folder(at("d"), 0755));
    ASSERT_TRUE(tree_of(*world).symbolic_link("d", at("link")));
    EXPECT_EQ(calls.details(at("link"), Links::themselves)->whole_mode & kind_bits, 0120000u);
    EXPECT_EQ(calls.details(at("link"), Links::followed)->whole_mode & kind_bits, 0040000u);
    EXPECT_EQ(calls.open(at("link"), {}, Links::themselves),
              std::unexpected(Error(std::errc::too_many_symbolic_link_levels)));
    EXPECT_TRUE(calls.check_access(at("d"), 7));
    EXPECT_EQ(calls.check_access(at("none"), 0),
              std::unexpected(Error(std::errc::no_such_file_or_directory)));
}

TEST_P(SystemCalls, remove_what_they_say_and_make_no_folders) {
    FileCalls& calls = calls_of(*world);
    const auto is = [](std::errc code) { return std::unexpected(Error(code)); };
    EXPECT_EQ(calls.open(at("none/x"), {.write = true, .create = true}),
              is(std::errc::no_such_file_or_directory));
    tree_of(*world).close(calls.open(at("f"), {.write = true, .create = true}).value());
    ASSERT_TRUE(tree_of(*world).make_folder(at("d"), 0755));
    EXPECT_EQ(calls.remove_file(at("d")), is(std::errc::is_a_directory));
    EXPECT_EQ(calls.remove_folder(at("f")), is(std::errc::not_a_directory));
    EXPECT_TRUE(calls.remove_file(at("f")));
    EXPECT_TRUE(calls.remove_folder(at("d")));
    EXPECT_FALSE(calls.details(at("d"), Links::followed));
}

}  // namespace
}  // namespace gyre::fs
