// SPDX-License-Identifier: Apache-2.0
// The part of the table (see rows.cpp) for files, on the simulated disk. No descriptor may be left
// open: the kit counts them.
#include <gtest/gtest.h>

#include <array>

#include "gyre/fs/confined.hpp"
#include "gyre/fs/file.hpp"
#include "gyre/fs/temporary.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/watch.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/io/environment.hpp"
#include "tests/task_cancel/kit.hpp"

namespace gyre::task_cancel {
namespace {

constexpr OpenOptions for_writing{.write = true, .create = true};

// What is on the disk when all is over.
std::string disk(Stage& stage, const char* path) {
    return stage.platform.file_content(path).value_or("none");
}

Future<void> writes_and_reads_a_file(Stage& stage) {
    std::size_t& written = stage.make<std::size_t>(0u);
    stage.afterwards([&] {
        const std::string content = disk(stage, "file");
        // A write did all that it gives, or nothing.
        EXPECT_TRUE(content == "none" || content.size() >= written) << content;
    });
    fs::File file = co_await fs::open("file", for_writing);
    written = co_await file.write_at(bytes_of("hello"), 0);
    co_await file.sync();
    std::array<std::byte, 8> buffer{};
    EXPECT_EQ(co_await file.read_at(buffer, 1), 4u);
    co_await file.aclose();
}

Future<void> uses_an_open_file(Stage& /*stage*/) {
    fs::File file = co_await fs::open("file", for_writing);
    const std::array<ConstBytes, 2> parts{bytes_of("ab"), bytes_of("cd")};
    EXPECT_EQ(co_await file.write_pieces_at(parts, 0), 4u);
    co_await file.truncate(3);
    EXPECT_EQ((co_await file.stat()).size_bytes, 3u);
}

Future<void> reads_and_writes_whole_files(Stage& /*stage*/) {
    co_await fs::write_file("file", "one");
    co_await fs::append_file("file", " two");
    EXPECT_EQ(co_await fs::read_file("file"), "one two");
}

// The old content or the new one, and nothing beside it.
Future<void> replaces_a_file(Stage& stage) {
    stage.platform.put_file("/d/file", "old");
    stage.afterwards([&] {
        const std::string content = disk(stage, "/d/file");
        EXPECT_TRUE(content == "old" || content == "new") << content;
        EXPECT_EQ(stage.platform.environment()->file_tree()->list("/d", 10)->size(), 1u);
    });
    co_await fs::replace("/d/file", "new");
    EXPECT_EQ(disk(stage, "/d/file"), "new");
}

Future<void> makes_folders(Stage& /*stage*/) {
    co_await fs::make_folders("a/b");
    co_await fs::make_folder("a/c");
    EXPECT_EQ((co_await fs::list("a")).size(), 2u);
    EXPECT_TRUE(co_await fs::remove_tree("a"));
    EXPECT_FALSE(co_await fs::exists("a"));
}

Future<void> moves_names(Stage& stage) {
    stage.platform.put_file("one", "1");
    EXPECT_EQ((co_await fs::stat("one")).size_bytes, 1u);
    co_await fs::link("one", "two");
    co_await fs::rename("one", "three");
    co_await fs::remove("two");
    co_await fs::sync_folder(".");
}

Future<void> asks_for_links_and_changes(Stage& stage) {
    stage.platform.put_file("/d/one", "1");
    co_await fs::symbolic_link("one", "/d/two");
    EXPECT_EQ(co_await fs::read_link("/d/two"), "one");
    EXPECT_EQ(co_await fs::real_path("/d/two"), "/d/one");
    Permissions permissions;
    permissions.folders.emplace_back("/d");
    EXPECT_EQ(co_await fs::confined(permissions, "one"), "/d/one");
    auto changes = co_await fs::watch("/d");
    co_await fs::remove("/d/two");
    const auto change = co_await changes.next();
    EXPECT_TRUE(change && change->path == "/d/two");
}

// Whatever way they are left, they are gone.
Future<void> has_temporary_files(Stage& stage) {
    stage.afterwards(
        [&] { EXPECT_TRUE(stage.platform.environment()->file_tree()->list("/tmp", 10)->empty()); });
    fs::TemporaryFolder folder = co_await fs::temporary_folder();
    fs::TemporaryOptions here;
    here.folder = folder.path();
    fs::TemporaryFile file = co_await fs::temporary_file(here);
    co_await file.aclose();
    co_await folder.aclose();
}

Future<void> drops_temporary_files(Stage& stage) {
    stage.afterwards(
        [&] { EXPECT_TRUE(stage.platform.environment()->file_tree()->list("/tmp", 10)->empty()); });
    fs::TemporaryFile file = co_await fs::temporary_file();
    fs::TemporaryFolder folder = co_await fs::temporary_folder();
}

Future<void> walks_a_tree(Stage& stage) {
    stage.platform.put_file("/d/a/b", "");
    stage.platform.put_file("/d/c", "");
    int count = 0;
    auto entries = fs::walk("/d");
    while (auto entry = co_await entries.next()) ++count;
    EXPECT_EQ(count, 3);
}

}  // namespace

std::vector<Program> file_rows() {
    return {
        {"writes_and_reads_a_file",
         {"File", "open", "Transfer", "OpenDescriptor"},
         writes_and_reads_a_file},
        {"uses_an_open_file", {"File"}, uses_an_open_file},
        {"reads_and_writes_whole_files",
         {"read_file", "write_file", "append_file"},
         reads_and_writes_whole_files},
        {"replaces_a_file", {"replace"}, replaces_a_file},
        {"makes_folders",
         {"make_folder", "make_folders", "list", "remove_tree", "exists"},
         makes_folders},
        {"moves_names", {"stat", "link", "rename", "remove", "sync_folder"}, moves_names},
        {"asks_for_links_and_changes",
         {"symbolic_link", "read_link", "real_path", "confined", "watch"},
         asks_for_links_and_changes},
        {"has_temporary_files",
         {"TemporaryFile", "TemporaryFolder", "temporary_file", "temporary_folder"},
         has_temporary_files},
        {"drops_temporary_files", {"TemporaryFile", "TemporaryFolder"}, drops_temporary_files},
        {"walks_a_tree", {"walk"}, walks_a_tree},
    };
}

}  // namespace gyre::task_cancel
