// SPDX-License-Identifier: Apache-2.0
// Directories as requests, as libuv's test-fs.c and test-fs-readdir.c pin them. Each test names the
// one it restates.
#include <algorithm>

#include "gyre/handle/folder.hpp"
#include "gyre/io/file_tree.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

// A directory with two files and a directory in it.
class UvFolders : public testing::TestWithParam<std::string> {
protected:
    UvFolders() {
        path = tree.make_unique_folder(tree.temporary_folder(), "gyre-folders-").value();
        for (const char* name : {"b", "a"}) {
            const Fd fd = tree.make_file(path, name, 0600).value().fd;
            tree.close(fd);
        }
        EXPECT_TRUE(tree.make_folder(path + "/in", 0700));
    }
    ~UvFolders() override { EXPECT_TRUE(tree.remove_some(path, 100).value()); }

    // The names without the ends that make_file added.
    static std::vector<std::string> beginnings(const Folder::Entries& entries) {
        std::vector<std::string> names;
        for (const FolderEntry& entry : entries) {
            names.push_back(entry.kind == FileKind::folder ? entry.name : entry.name.substr(0, 1));
        }
        return names;
    }
    // Runs the request to its end.
    Result<Folder::Entries> open(Folder& folder, const std::string& at) {
        return ended([&](auto on_done) { return folder.open(at, on_done); });
    }
    Result<Folder::Entries> read(Folder& folder, std::size_t count_max) {
        return ended([&](auto on_done) { return folder.read(count_max, on_done); });
    }
    template <class Start>
    Result<Folder::Entries> ended(Start start) {
        Result<Folder::Entries> result;
        int count = 0;
        EXPECT_TRUE(start([&](auto&, Result<Folder::Entries>& got) {
                        result = std::move(got);
                        ++count;
                    }).get());
        EXPECT_EQ(count, 0);  // never inside the call
        loop.run();
        EXPECT_EQ(count, 1);
        return result;
    }

    test::HandleWorld world{GetParam()};
    PhasedLoop& loop = world.loop();
    FileTree& tree = *loop.platform().environment()->file_tree();
    std::string path;
};
INSTANTIATE_TEST_SUITE_P(platforms, UvFolders, testing::ValuesIn(test::every_platform_here()),
                         [](const auto& test) { return test.param; });

// test-fs.c: fs_scandir_sort
// clause: L29
TEST_P(UvFolders, are_listed_in_order) {
    FolderList list(loop);
    const auto all = ended([&](auto on_done) { return list.start(path, on_done); });
    EXPECT_EQ(beginnings(all.value()), (std::vector<std::string>{"a", "b", "in"}));
    EXPECT_EQ((*all)[0].kind, FileKind::file);
    EXPECT_EQ((*all)[2].kind, FileKind::folder);
}

TEST_P(UvFolders, are_listed_up_to_a_limit) {
    FolderList list(loop);
    EXPECT_EQ(ended([&](auto on_done) { return list.start(path, on_done, 3); })->size(), 3u);
    EXPECT_EQ(ended([&](auto on_done) { return list.start(path, on_done, 2); }).error().code(),
              std::errc::value_too_large);
}

// test-fs.c: fs_scandir_non_existent_dir, fs_scandir_file
TEST_P(UvFolders, that_are_none_are_an_error) {
    FolderList list(loop);
    const std::string missing = path + "/missing";
    EXPECT_EQ(ended([&](auto on_done) { return list.start(missing, on_done); }).error().code(),
              std::errc::no_such_file_or_directory);
    Folder folder(loop);
    EXPECT_EQ(open(folder, missing).error().code(), std::errc::no_such_file_or_directory);
    const std::string file =
        path + "/" + ended([&](auto on_done) { return list.start(path, on_done); }).value()[0].name;
    EXPECT_EQ(open(folder, file).error().code(), std::errc::not_a_directory);
}

// test-fs-readdir.c: fs_readdir_non_empty_dir
// clause: L29
TEST_P(UvFolders, are_read_a_part_at_a_time) {
    Folder folder(loop);
    EXPECT_TRUE(open(folder, path).value().empty());
    Folder::Entries all = read(folder, 2).value();
    EXPECT_EQ(all.size(), 2u);
    const auto rest = read(folder, 2).value();
    ASSERT_EQ(rest.size(), 1u);
    all.push_back(rest[0]);
    EXPECT_TRUE(read(folder, 2).value().empty());
    auto names = beginnings(all);
    std::ranges::sort(names);
    EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "in"}));
}

// test-fs-readdir.c: fs_readdir_empty_dir
TEST_P(UvFolders, without_entries_are_read_to_their_end_at_once) {
    Folder folder(loop);
    EXPECT_TRUE(open(folder, path + "/in").has_value());
    EXPECT_TRUE(read(folder, 2).value().empty());
}

TEST_P(UvFolders, are_read_from_the_begin_after_another_open) {
    Folder folder(loop);
    EXPECT_TRUE(open(folder, path).has_value());
    EXPECT_EQ(read(folder, 10)->size(), 3u);
    EXPECT_TRUE(open(folder, path).has_value());
    EXPECT_EQ(read(folder, 10)->size(), 3u);
}

// clause: L29
TEST_P(UvFolders, that_are_not_open_cannot_be_read) {
    Folder folder(loop);
    EXPECT_EQ(read(folder, 1).error().code(), std::errc::bad_file_descriptor);
    EXPECT_TRUE(open(folder, path).has_value());
    folder.close();
    folder.close();
    EXPECT_EQ(read(folder, 1).error().code(), std::errc::bad_file_descriptor);
    // An open that fails leaves none behind.
    EXPECT_TRUE(open(folder, path).has_value());
    EXPECT_FALSE(open(folder, path + "/missing").has_value());
    EXPECT_EQ(read(folder, 1).error().code(), std::errc::bad_file_descriptor);
}

}  // namespace
}  // namespace gyre::handle
