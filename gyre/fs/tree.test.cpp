// SPDX-License-Identifier: Apache-2.0
// Names, folders, walks and watches.
#include "gyre/fs/tree.hpp"

#include <array>
#include <fstream>

#include "gyre/fs/file.hpp"
#include "gyre/fs/fs_world.test.hpp"
#include "gyre/fs/internal/rename_pairs.hpp"
#include "gyre/fs/walk.hpp"
#include "gyre/fs/watch.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::fs {
namespace {

using namespace std::chrono_literals;

GYRE_ON_EACH_PLATFORM(Folders);
GYRE_ON_EACH_PLATFORM(Watch);

// On io_uring a tree is removed by the same calls as on epoll, and to make a deep one takes time.
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
        co_await rename(at("one"), at("two"));  // Both stay.
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

Future<std::string> walked(std::string folder, WalkOptions options) {
    std::string text;
    auto entries = walk(folder, std::move(options));
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
        const WalkOptions all_of_it;
        EXPECT_EQ(co_await walked(folder, all_of_it), "/a /b/ /b/c /b/d/ /b/d/e ");
        WalkOptions not_d;
        not_d.enters = [](const WalkEntry& entry) { return !entry.path.ends_with("d"); };
        EXPECT_EQ(co_await walked(folder, not_d), "/a /b/ /b/c /b/d/ ");
    });
    const auto too_deep = [&] { return walked(folder, {.depth_max = 1}); };
    EXPECT_THROW((void)world->run(too_deep), LimitError);
    const auto too_many = [&] { return walked(folder, {.entry_count_max = 1}); };
    EXPECT_THROW((void)world->run(too_many), LimitError);
    const auto nowhere = [&] { return walked(at("none"), {}); };
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
        const WalkOptions all_of_it;
        EXPECT_EQ(co_await walked(at("tree"), all_of_it), "/dangling /link ");
        EXPECT_TRUE(co_await remove_tree(at("tree")));
        EXPECT_EQ(co_await read_file(at("outside/precious")), "x");
        // Also where the link is all there is.
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
        // One that leads nowhere yet: the file is made where it leads.
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

// ---- Watching ----

std::string told(const FileChange& change, const std::string& folder) {
    std::string text = name_of(change.kind);
    if (!change.from.empty()) text.append(" ").append(change.from.substr(folder.size()));
    return text + " " + change.path.substr(folder.size());
}

Future<std::string> next_of(Stream<FileChange>& changes, const std::string& folder) {
    const auto change = co_await changes.next();
    co_return change ? told(*change, folder) : std::string("end");
}

TEST_P(Watch, tells_what_happens_in_a_folder_in_order) {
    world->run([&]() -> Future<void> {
        auto changes = co_await watch(folder);
        co_await write_file(at("a"), "x");
        co_await rename(at("a"), at("b"));
        co_await remove(at("b"));
        co_await make_folder(at("c"));
        EXPECT_EQ(co_await next_of(changes, folder), "created /a");
        EXPECT_EQ(co_await next_of(changes, folder), "modified /a");
        EXPECT_EQ(co_await next_of(changes, folder), "renamed /a /b");
        EXPECT_EQ(co_await next_of(changes, folder), "removed /b");
        EXPECT_EQ(co_await next_of(changes, folder), "created /c");
    });
}

TEST_P(Watch, a_file_that_leaves_is_removed_and_one_that_comes_is_created) {
    world->run([&]() -> Future<void> {
        co_await make_folder(at("in"));
        co_await write_file(at("out"), "x");
        auto changes = co_await watch(at("in"));
        co_await rename(at("out"), at("in/a"));
        co_await rename(at("in/a"), at("out"));
        EXPECT_EQ(co_await next_of(changes, at("in")), "created /a");
        EXPECT_EQ(co_await next_of(changes, at("in")), "removed /a");
    });
}

TEST_P(Watch, of_a_file_ends_with_it) {
    world->run([&]() -> Future<void> {
        co_await write_file(at("file"), "");
        auto changes = co_await watch(at("file"));
        co_await append_file(at("file"), "x");
        EXPECT_EQ(co_await next_of(changes, folder), "modified /file");
        co_await rename(at("file"), at("other"));
        EXPECT_EQ(co_await next_of(changes, folder), "ended /file");
        EXPECT_EQ(co_await next_of(changes, folder), "end");
    });
    const auto nothing = [&]() -> Future<void> { (void)co_await watch(at("none")); };
    EXPECT_EQ(error_of(*world, nothing), std::errc::no_such_file_or_directory);
}

TEST_P(Watch, of_a_file_hears_of_its_names_and_of_its_end) {
    world->run([&]() -> Future<void> {
        co_await write_file(at("file"), "");
        auto changes = co_await watch(at("file"));
        co_await link(at("file"), at("other"));
        EXPECT_EQ(co_await next_of(changes, folder), "attributes /file");
        File file = co_await open(at("other"), {.write = true});
        co_await file.truncate(5);
        EXPECT_EQ(co_await next_of(changes, folder), "modified /file");
        co_await remove(at("file"));
        EXPECT_EQ(co_await next_of(changes, folder), "attributes /file");
        co_await file.set_mode(0600);
        co_await remove(at("other"));
        EXPECT_EQ(co_await next_of(changes, folder), "attributes /file");
        co_await file.aclose();  // The last that had it.
        EXPECT_EQ(co_await next_of(changes, folder), "ended /file");
        EXPECT_EQ(co_await next_of(changes, folder), "end");
    });
}

TEST_P(Watch, tells_what_is_replaced_linked_and_written_under_another_name) {
    world->run([&]() -> Future<void> {
        co_await write_file(at("a"), "1");
        co_await write_file(at("b"), "2");
        File file = co_await open(at("a"), {.write = true});
        auto changes = co_await watch(folder);
        co_await rename(at("a"), at("b"));
        EXPECT_EQ(co_await next_of(changes, folder), "renamed /a /b");
        co_await file.write_all_at(bytes_of("x"), 0);
        EXPECT_EQ(co_await next_of(changes, folder), "modified /b");
        co_await link(at("b"), at("c"));
        EXPECT_EQ(co_await next_of(changes, folder), "created /c");
        co_await symbolic_link("b", at("d"));
        EXPECT_EQ(co_await next_of(changes, folder), "created /d");
        co_await file.set_mode(0640);
        EXPECT_EQ(co_await next_of(changes, folder), "attributes /b");
        co_await write_file(at("d"), "through the link");
        EXPECT_EQ(co_await next_of(changes, folder), "modified /b");
        co_await remove(at("d"));
        EXPECT_EQ(co_await next_of(changes, folder), "removed /d");
        co_await file.aclose();
    });
}

TEST_P(Watch, that_is_cancelled_while_it_waits_is_over) {
    world->run([&]() -> Future<void> {
        auto changes = co_await watch(folder);
        const auto waited = co_await try_(timeout(next_of(changes, folder), 2ms));
        EXPECT_EQ(waited, std::unexpected(Error(std::errc::timed_out)));
        EXPECT_EQ(co_await next_of(changes, folder), "end");
        auto unused = co_await watch(folder);
    });
}

TEST_P(Watch, waits_for_a_change_of_another_task) {
    world->run([&]() -> Future<void> {
        auto changes = co_await watch(folder);
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([&]() -> Future<void> {
                co_await sleep(1ms);
                co_await make_folder(at("late"));
            });
            EXPECT_EQ(co_await next_of(changes, folder), "created /late");
        });
    });
}

// Attributes that change in turns are told each by itself.
void change_often(World& world, const std::array<File, 2>& files, int count) {
    FileTree& tree = *world.platform().environment()->file_tree();
    for (int i = 0; i < count; ++i) {
        ASSERT_TRUE(tree.set_mode(files[i % 2 == 0 ? 0 : 1].fd(), 0600).has_value());
    }
}

Future<std::array<File, 2>> make_two(std::string a, std::string b) {
    const OpenOptions how{.write = true, .create = true};
    std::array<File, 2> files;
    files[0] = co_await open(a, how);
    files[1] = co_await open(b, how);
    co_return files;
}

// How many changes the system keeps for a watch; 0 where that is very much.
int kept_max_of(const World& world) {
    if (world.sim != nullptr) return static_cast<int>(sim::SimOptions().change_count_max);
    int kept_max = 0;
    std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> kept_max;
    return kept_max > 200'000 ? 0 : kept_max;
}

// ---- Watching all that is below ----

constexpr WatchOptions all_below{.recursive = true};

// Reads changes until one says this; false where the stream ends before.
Future<bool> comes(Stream<FileChange>& changes, const std::string& folder, std::string text) {
    for (;;) {
        const std::string next = co_await next_of(changes, folder);
        if (next == text) co_return true;
        if (next == "end") co_return false;
    }
}

TEST_P(Watch, of_a_tree_tells_what_happens_below_its_folders) {
    world->run([&]() -> Future<void> {
        co_await make_folders(at("a/b"));
        auto changes = co_await watch(folder, all_below);
        co_await write_file(at("a/b/file"), "x");
        EXPECT_EQ(co_await next_of(changes, folder), "created /a/b/file");
        EXPECT_EQ(co_await next_of(changes, folder), "modified /a/b/file");
        co_await rename(at("a/b/file"), at("a/file"));
        EXPECT_EQ(co_await next_of(changes, folder), "renamed /a/b/file /a/file");
        co_await remove(at("a/file"));
        EXPECT_EQ(co_await next_of(changes, folder), "removed /a/file");
        co_await remove(at("a/b"));
        EXPECT_EQ(co_await next_of(changes, folder), "removed /a/b");
    });
}

TEST_P(Watch, of_a_tree_goes_on_in_new_folders) {
    world->run([&]() -> Future<void> {
        auto changes = co_await watch(folder, all_below);
        co_await make_folder(at("new"));
        EXPECT_EQ(co_await next_of(changes, folder), "created /new");
        co_await write_file(at("new/file"), "x");
        EXPECT_EQ(co_await next_of(changes, folder), "created /new/file");
        // What is in it before it is looked at is found there.
        co_await make_folders(at("deep/deeper"));
        co_await write_file(at("deep/deeper/file"), "x");
        EXPECT_TRUE(co_await comes(changes, folder, "created /deep"));
        EXPECT_TRUE(co_await comes(changes, folder, "created /deep/deeper"));
        EXPECT_TRUE(co_await comes(changes, folder, "created /deep/deeper/file"));
        co_await write_file(at("deep/deeper/other"), "x");
        EXPECT_TRUE(co_await comes(changes, folder, "created /deep/deeper/other"));
    });
}

TEST_P(Watch, of_a_tree_follows_folders_that_are_renamed_leave_and_come) {
    world->run([&]() -> Future<void> {
        co_await make_folders(at("root/a/b"));
        auto changes = co_await watch(at("root"), all_below);
        co_await rename(at("root/a"), at("root/c"));
        co_await write_file(at("root/c/b/one"), "");
        EXPECT_TRUE(co_await comes(changes, at("root"), "renamed /a /c"));
        EXPECT_TRUE(co_await comes(changes, at("root"), "created /c/b/one"));
        co_await rename(at("root/c"), at("outside"));
        EXPECT_TRUE(co_await comes(changes, at("root"), "removed /c"));
        co_await write_file(at("outside/b/unseen"), "");
        co_await write_file(at("root/seen"), "");
        EXPECT_EQ(co_await next_of(changes, at("root")), "created /seen");
        co_await rename(at("outside"), at("root/back"));
        EXPECT_TRUE(co_await comes(changes, at("root"), "created /back"));
        EXPECT_TRUE(co_await comes(changes, at("root"), "created /back/b"));
        EXPECT_TRUE(co_await comes(changes, at("root"), "created /back/b/unseen"));
        EXPECT_TRUE(co_await remove_tree(at("root")));
        EXPECT_TRUE(co_await comes(changes, at("root"), "ended "));
    });
}

// clause: K14
TEST_P(Watch, of_a_tree_with_more_folders_than_the_limit_is_an_error_that_names_it) {
    const auto watch_few = [&]() -> Future<void> {
        co_await make_folders(at("a/b/c"));
        const WatchOptions few{.recursive = true, .folder_count_max = 3};
        (void)co_await watch(folder, few);
    };
    EXPECT_EQ(error_of(*world, watch_few), std::errc::value_too_large);
    const auto watch_more = [&]() -> Future<void> {
        co_await make_folder(at("other"));
        const WatchOptions few{.recursive = true, .folder_count_max = 2};
        auto changes = co_await watch(at("other"), few);
        co_await make_folders(at("other/one/two"));
        (void)co_await comes(changes, at("other"), "end");
    };
    EXPECT_EQ(error_of(*world, watch_more), std::errc::value_too_large);
}

TEST_P(Watch, of_a_tree_looks_at_all_folders_again_when_changes_were_lost) {
    const int kept_max = kept_max_of(*world);
    if (kept_max == 0) GTEST_SKIP() << "skipped: the system keeps too many changes";
    world->run([&]() -> Future<void> {
        const auto files = co_await make_two(at("a"), at("b"));
        auto changes = co_await watch(folder, all_below);
        change_often(*world, files, kept_max + 10);
        co_await make_folder(at("unheard"));
        EXPECT_TRUE(co_await comes(changes, folder, "lost "));
        co_await write_file(at("unheard/file"), "");
        EXPECT_TRUE(co_await comes(changes, folder, "created /unheard/file"));
    });
}

// clause: K14
TEST_P(Watch, says_so_when_changes_came_faster_than_they_were_read) {
    const int kept_max = kept_max_of(*world);
    if (kept_max == 0) GTEST_SKIP() << "skipped: the system keeps too many changes";
    world->run([&]() -> Future<void> {
        const auto files = co_await make_two(at("a"), at("b"));
        auto changes = co_await watch(folder);
        change_often(*world, files, kept_max + 10);
        int count = 0;
        auto change = co_await changes.next();
        while (change->kind == FileChange::Kind::attributes) {
            ++count;
            change = co_await changes.next();
        }
        EXPECT_EQ(told(*change, folder), "lost ");
        EXPECT_EQ(count, kept_max);
        co_await make_folder(at("c"));
        EXPECT_EQ(co_await next_of(changes, folder), "created /c");
    });
}

TEST(RenamePairs, says_that_changes_were_lost_and_gives_halves_back) {
    RenamePairs pairs;
    std::vector<FileChange> changes;
    using Raw = RawChange::Kind;
    pairs.add({Raw::moved_from, false, 7, "a"}, "root/a", changes);
    EXPECT_TRUE(pairs.has_half());
    pairs.add({Raw::moved_to, false, 8, "b"}, "root/b", changes);  // of another rename
    pairs.add({Raw::lost, false, 0, ""}, "root", changes);
    pairs.add({Raw::moved_from, true, 9, "c"}, "root/c", changes);
    pairs.end_half(changes);
    ASSERT_EQ(changes.size(), 4u);
    EXPECT_EQ(told(changes[0], ""), "removed root/a");
    EXPECT_EQ(told(changes[1], ""), "created root/b");
    EXPECT_EQ(told(changes[2], ""), "lost root");
    EXPECT_EQ(told(changes[3], ""), "removed root/c");
    EXPECT_FALSE(pairs.has_half());
}

}  // namespace
}  // namespace gyre::fs
