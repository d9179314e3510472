// SPDX-License-Identifier: Apache-2.0
#include "gyre/fs/watch.hpp"

#include <array>
#include <fstream>

#include "gyre/fs/file.hpp"
#include "gyre/fs/fs_world.test.hpp"
#include "gyre/fs/internal/rename_pairs.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::fs {
namespace {

using namespace std::chrono_literals;

GYRE_ON_EACH_PLATFORM(Watch);

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
        co_await file.aclose();  // The last open descriptor.
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

// Alternating changes of attributes are reported one by one.
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

// The length of the kernel's event queue; 0 if it is too long to overflow in a test.
int kept_max_of(const World& world) {
    if (world.sim != nullptr) return static_cast<int>(sim::SimOptions().change_count_max);
    int kept_max = 0;
    std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> kept_max;
    return kept_max > 200'000 ? 0 : kept_max;
}

// ---- Recursive watches ----

constexpr WatchOptions all_below{.recursive = true};

// Reads changes until this one; false if the stream ends first.
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
        // Entries that were created before the new directory is watched are reported too.
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
