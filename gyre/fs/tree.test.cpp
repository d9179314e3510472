// SPDX-License-Identifier: Apache-2.0
// Paths, directories and walks.
#include "gyre/fs/tree.hpp"

#include <array>

#include "gyre/fs/file.hpp"
#include "gyre/fs/fs_world.test.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::fs {
namespace {

using namespace std::chrono_literals;

GYRE_ON_EACH_PLATFORM(Folders);

// Not on io_uring: it removes trees by the same calls as epoll, and making a deep one is slow.
class DeepFolders : public OnPlatform {};
INSTANTIATE_TEST_SUITE_P(, DeepFolders, testing::Values("epoll", "sim"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(Folders, are_made_listed_and_removed) {
    world->run([&]() -> Future<void> {
        co_await make_folders(at("a/b/c"));
        co_await make_folders(at("a/b"));
        co_await write_file(at("a/z"), "x");
        const auto entries = co_await list(at("a"));
        EXPECT_EQ(entries.size(), 2u);
        EXPECT_EQ(entries[0].name, "b");
        EXPECT_EQ(entries[0].kind, FileKind::folder);
        EXPECT_EQ(entries[1].name, "z");
        EXPECT_EQ(entries[1].kind, FileKind::file);
        EXPECT_TRUE((co_await stat(at("a"))).is_folder());
        co_await remove(at("a/z"));
        co_await remove(at("a/b/c"));
        EXPECT_FALSE(co_await exists(at("a/b/c")));
        EXPECT_TRUE(co_await remove_tree(at("a")));
        EXPECT_FALSE(co_await remove_tree(at("a")));
    });
}

TEST_P(Folders, errors_are_those_of_the_system) {
    world->run([&]() -> Future<void> {
        co_await make_folders(at("full/inner"));
        co_await write_file(at("file"), "x");
    });
    const auto error = [&](auto function) { return error_of(*world, function); };
    EXPECT_EQ(error([&] { return make_folder(at("full")); }), std::errc::file_exists);
    EXPECT_EQ(error([&] { return make_folder(at("none/a")); }),
              std::errc::no_such_file_or_directory);
    EXPECT_EQ(error([&] { return make_folders(at("file")); }), std::errc::not_a_directory);
    EXPECT_EQ(error([&] { return remove(at("full")); }), std::errc::directory_not_empty);
    EXPECT_EQ(error([&] { return remove(at("none")); }), std::errc::no_such_file_or_directory);
    EXPECT_EQ(error([&] { return list(at("file")); }), std::errc::not_a_directory);
    EXPECT_EQ(error([&] { return sync_folder(at("file")); }), std::errc::not_a_directory);
    EXPECT_EQ(error([&] { return sync_folder(at("full")); }), std::error_code());
    EXPECT_EQ(error([&] { return stat(at("none")); }), std::errc::no_such_file_or_directory);
    EXPECT_EQ(error([&] { return rename(at("none"), at("x")); }),
              std::errc::no_such_file_or_directory);
    EXPECT_EQ(error([&] { return rename(at("file"), at("full")); }), std::errc::is_a_directory);
    EXPECT_EQ(error([&] { return read_file(at("full")); }), std::errc::is_a_directory);
}

TEST_P(Folders, and_files_are_renamed_over_what_is_there) {
    world->run([&]() -> Future<void> {
        co_await write_file(at("one"), "1");
        co_await write_file(at("two"), "2");
        co_await rename(at("one"), at("two"));
        EXPECT_EQ(co_await read_file(at("two")), "1");
        EXPECT_FALSE(co_await exists(at("one")));
        co_await make_folder(at("a"));
        co_await write_file(at("a/file"), "x");
        co_await rename(at("a"), at("b"));
        EXPECT_EQ(co_await read_file(at("b/file")), "x");
        EXPECT_FALSE(co_await exists(at("a")));
    });
}

TEST_P(Folders, two_names_of_a_file_are_one_file) {
    world->run([&]() -> Future<void> {
        co_await write_file(at("one"), "1");
        co_await link(at("one"), at("two"));
        co_await append_file(at("two"), "2");
        EXPECT_EQ(co_await read_file(at("one")), "12");
        EXPECT_EQ((co_await stat(at("one"))).number, (co_await stat(at("two"))).number);
        EXPECT_EQ((co_await stat(at("one"))).link_count, 2u);
        co_await rename(at("one"), at("two"));  // Hard links to one file: rename does nothing.
        co_await remove(at("one"));
        EXPECT_EQ((co_await stat(at("two"))).link_count, 1u);
        EXPECT_EQ(co_await read_file(at("two")), "12");
    });
}

// clause: K14
TEST_P(Folders, with_more_than_the_limit_are_an_error_that_names_it) {
    try {
        world->run([&]() -> Future<void> {
            for (const char* name : {"a", "b", "c"}) co_await write_file(at(name), "");
            EXPECT_EQ((co_await list(folder, {.entry_count_max = 3})).size(), 3u);
            (void)co_await list(folder, {.entry_count_max = 2});
        });
        ADD_FAILURE();
    } catch (const LimitError& e) {
        EXPECT_EQ(e.what(), "list '" + folder + "': more than entry_count_max = 2");
    }
}

// clause: K14
TEST_P(DeepFolders, beyond_the_limit_are_not_removed_and_the_error_names_it) {
    FileTree& tree = *world->platform().environment()->file_tree();
    std::string deepest = at("deep");
    for (int depth = 0; depth <= FileTree::removed_depth_max; ++depth) {
        if (depth > 0) deepest += "/d";
        ASSERT_TRUE(tree.make_folder(deepest, 0755).has_value());
    }
    try {
        world->run([&] { return remove_tree(at("deep")); });
        ADD_FAILURE();
    } catch (const LimitError& e) {
        EXPECT_EQ(e.what(), "remove_tree '" + at("deep") + "': more than removed_depth_max = 512");
    }
    world->run([&]() -> Future<void> {
        EXPECT_TRUE(co_await exists(deepest));
        co_await rename(at("deep/d"), at("rest"));
        EXPECT_TRUE(co_await remove_tree(at("rest")));
    });
}

TEST_P(Folders, of_many_names_are_removed_in_steps) {
    world->run([&]() -> Future<void> {
        for (int i = 0; i < 150; ++i) {
            co_await make_folder(at(std::to_string(i)));
            co_await write_file(at(std::to_string(i) + "/file"), "");
        }
        EXPECT_TRUE(co_await remove_tree(folder));
        EXPECT_FALSE(co_await exists(folder));
    });
}

Future<std::string> walked(std::string folder, WalkOptions options = {}, Enters enters = {}) {
    std::string text;
    auto entries = walk(folder, options, std::move(enters));
    while (auto entry = co_await entries.next()) {
        text += entry->path.substr(folder.size()) + (entry->kind == FileKind::folder ? "/ " : " ");
    }
    co_return text;
}

TEST_P(Folders, are_walked_parents_first_in_order_of_names) {
    world->run([&]() -> Future<void> {
        co_await make_folders(at("b/d"));
        co_await write_file(at("b/c"), "");
        co_await write_file(at("b/d/e"), "");
        co_await write_file(at("a"), "");
        EXPECT_EQ(co_await walked(folder), "/a /b/ /b/c /b/d/ /b/d/e ");
        const auto not_d = [](const WalkEntry& entry) { return !entry.path.ends_with("d"); };
        EXPECT_EQ(co_await walked(folder, {}, not_d), "/a /b/ /b/c /b/d/ ");
    });
    const auto too_deep = [&] { return walked(folder, {.depth_max = 1}); };
    EXPECT_THROW((void)world->run(too_deep), LimitError);
    const auto too_many = [&] { return walked(folder, {.entry_count_max = 1}); };
    EXPECT_THROW((void)world->run(too_many), LimitError);
    const auto nowhere = [&] { return walked(at("none")); };
    EXPECT_EQ(error_of(*world, nowhere), std::errc::no_such_file_or_directory);
}

TEST_P(Folders, links_are_read_told_and_never_followed_by_a_removal) {
    world->run([&]() -> Future<void> {
        co_await make_folders(at("outside"));
        co_await write_file(at("outside/precious"), "x");
        co_await make_folder(at("tree"));
        co_await symbolic_link("../outside", at("tree/link"));
        co_await symbolic_link("nowhere", at("tree/dangling"));
        EXPECT_EQ(co_await read_link(at("tree/link")), "../outside");
        EXPECT_TRUE((co_await stat(at("tree/link"), Links::themselves)).is_link());
        EXPECT_TRUE((co_await stat(at("tree/link"))).is_folder());
        EXPECT_FALSE(co_await exists(at("tree/dangling")));
        EXPECT_EQ(co_await walked(at("tree")), "/dangling /link ");
        EXPECT_TRUE(co_await remove_tree(at("tree")));
        EXPECT_EQ(co_await read_file(at("outside/precious")), "x");
        // Also if the path itself is a link.
        co_await symbolic_link("outside", at("alone"));
        EXPECT_TRUE(co_await remove_tree(at("alone")));
        EXPECT_EQ(co_await read_file(at("outside/precious")), "x");
    });
}

TEST_P(Folders, links_lead_on_from_link_to_link) {
    world->run([&]() -> Future<void> {
        co_await make_folders(at("a/b"));
        co_await write_file(at("a/b/file"), "x");
        co_await symbolic_link("a/b", at("short"));
        co_await symbolic_link(at("short/file"), at("far"));
        EXPECT_EQ(co_await read_file(at("far")), "x");
        EXPECT_EQ(co_await read_file(at("short/../b/./file")), "x");
        const FileStat itself = co_await stat(at("far"), Links::themselves);
        EXPECT_EQ(itself.size_bytes, at("short/file").size());
        // A dangling link: the file is created at its target.
        co_await symbolic_link("a/new", at("later"));
        co_await write_file(at("later"), "y");
        EXPECT_EQ(co_await read_file(at("a/new")), "y");
        // A second name of a link is a link, and a rename moves the link itself.
        co_await link(at("later"), at("again"));
        EXPECT_EQ(co_await read_link(at("again")), "a/new");
        co_await rename(at("again"), at("a/again"));
        EXPECT_EQ(co_await read_link(at("a/again")), "a/new");
    });
}

TEST_P(Folders, a_real_path_has_no_links_and_no_dots_in_it) {
    const std::string base = world->run([&]() -> Future<std::string> { return real_path(folder); });
    world->run([&]() -> Future<void> {
        co_await make_folders(at("a/b"));
        co_await write_file(at("a/b/file"), "x");
        co_await symbolic_link("a/b", at("short"));
        co_await symbolic_link(at("short/file"), at("far"));
        co_await symbolic_link("none", at("dangling"));
        co_await symbolic_link("ring", at("ring"));
        EXPECT_EQ(co_await real_path(at("a/b/file")), base + "/a/b/file");
        EXPECT_EQ(co_await real_path(at("short")), base + "/a/b");
        EXPECT_EQ(co_await real_path(at("short/")), base + "/a/b");
        EXPECT_EQ(co_await real_path(at("short/..")), base + "/a");
        EXPECT_EQ(co_await real_path(at("./a//b/../../short/./file")), base + "/a/b/file");
        EXPECT_EQ(co_await real_path(at("far")), base + "/a/b/file");
        EXPECT_EQ(co_await real_path("/"), "/");
        EXPECT_EQ(co_await real_path("/.."), "/");
    });
    const auto error = [&](const std::string& path) {
        return error_of(*world, [&] { return real_path(path); });
    };
    EXPECT_EQ(error(at("none")), std::errc::no_such_file_or_directory);
    EXPECT_EQ(error(at("dangling")), std::errc::no_such_file_or_directory);
    EXPECT_EQ(error(""), std::errc::no_such_file_or_directory);
    EXPECT_EQ(error(at("ring")), std::errc::too_many_symbolic_link_levels);
    EXPECT_EQ(error(at("a/b/file/")), std::errc::not_a_directory);
    EXPECT_EQ(error(folder + std::string("/a\0b", 4)), std::errc::invalid_argument);
}

// Before a loop runs, or on a thread of its Offload.
TEST_P(Folders, files_are_written_and_read_without_a_loop) {
    FileTree& tree = *world->platform().environment()->file_tree();
    const NewFile made = tree.make_file(folder, "new-", 0600).value();
    const std::string text(200'000, 'x');
    for (std::size_t done = 0; done < text.size();) {
        const Result<std::size_t> count =
            tree.write_at(made.fd, bytes_of(text).subspan(done), done);
        ASSERT_TRUE(count);
        done += *count;
    }
    tree.close(made.fd);
    EXPECT_TRUE(read_beginning(tree, made.path, 1'000'000) == text);
    EXPECT_TRUE(read_beginning(tree, made.path, text.size()) == text);
    EXPECT_EQ(read_beginning(tree, made.path, 3), "xxx");
    EXPECT_EQ(read_beginning(tree, made.path, 0), "");
    const Fd fd = tree.open_to_read(made.path).value();
    std::array<std::byte, 4> into{};
    EXPECT_EQ(tree.read_at(fd, into, text.size() - 1), 1u);
    EXPECT_EQ(tree.read_at(fd, into, text.size()), 0u);
    const auto error = [](const auto& result) { return result.error().code(); };
    EXPECT_EQ(error(tree.read_at(fd, into, ~std::uint64_t{0})), std::errc::invalid_argument);
    EXPECT_EQ(error(tree.write_at(fd, into, 0)), std::errc::bad_file_descriptor);
    tree.close(fd);
    EXPECT_EQ(error(tree.read_at(fd, into, 0)), std::errc::bad_file_descriptor);
    EXPECT_EQ(error(read_beginning(tree, folder, 10)), std::errc::is_a_directory);
    EXPECT_EQ(error(read_beginning(tree, at("none"), 10)), std::errc::no_such_file_or_directory);
}

TEST_P(Folders, links_that_lead_nowhere_are_the_errors_of_the_system) {
    world->run([&]() -> Future<void> {
        co_await make_folders(at("a/b"));
        co_await write_file(at("file"), "x");
        co_await symbolic_link("ring", at("gnir"));
        co_await symbolic_link("gnir", at("ring"));
        co_await symbolic_link("none", at("dangling"));
    });
    const auto error = [&](auto function) { return error_of(*world, function); };
    const auto exclusively = [&]() -> Future<void> {
        const OpenOptions how{.write = true, .create = true, .exclusive = true};
        File file = co_await open(at("dangling"), how);
    };
    constexpr auto missing = std::errc::no_such_file_or_directory;
    constexpr auto too_many = std::errc::too_many_symbolic_link_levels;
    EXPECT_EQ(error(exclusively), std::errc::file_exists);
    EXPECT_EQ(error([&] { return stat(at("dangling")); }), missing);
    EXPECT_EQ(error([&] { return stat(at("ring")); }), too_many);
    EXPECT_EQ(error([&] { return stat(at("ring/x")); }), too_many);
    EXPECT_EQ(error([&] { return read_link(at("a")); }), std::errc::invalid_argument);
    EXPECT_EQ(error([&] { return read_link(at("none")); }), missing);
    EXPECT_EQ(error([&] { return symbolic_link("x", at("a")); }), std::errc::file_exists);
    EXPECT_EQ(error([&] { return symbolic_link("", at("x")); }), missing);
    EXPECT_EQ(error([&] { return symbolic_link("x", at("none/x")); }), missing);
    EXPECT_EQ(error([&] { return link(at("a"), at("x")); }), std::errc::operation_not_permitted);
    EXPECT_EQ(error([&] { return link(at("none"), at("x")); }), missing);
    EXPECT_EQ(error([&] { return link(at("file"), at("a")); }), std::errc::file_exists);
    EXPECT_EQ(error([&] { return stat(at("file/x")); }), std::errc::not_a_directory);
    EXPECT_EQ(error([&] { return rename(at("a"), at("a/b/c")); }), std::errc::invalid_argument);
    EXPECT_EQ(error([&] { return make_folder(at("dangling")); }), std::errc::file_exists);
}

TEST_P(Folders, a_path_with_a_zero_byte_names_nothing) {
    const std::string path = folder + std::string("/a\0b", 4);
    const auto error = [&](auto function) { return error_of(*world, function); };
    EXPECT_EQ(error([&] { return stat(path); }), std::errc::invalid_argument);
    EXPECT_EQ(error([&] { return make_folder(path); }), std::errc::invalid_argument);
    EXPECT_EQ(error([&] { return remove_tree(path); }), std::errc::invalid_argument);
    EXPECT_EQ(error([&] { return rename(folder, path); }), std::errc::invalid_argument);
    EXPECT_EQ(error([&] { return read_file(path); }), std::errc::invalid_argument);
}

}  // namespace
}  // namespace gyre::fs
