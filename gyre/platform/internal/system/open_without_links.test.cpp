// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/system/open_without_links.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace gyre::platform {
namespace {

using Open = Result<Fd> (*)(const std::string&, int);

// Both ways, on a folder with a file, a FIFO, and links to a file, to a folder and to outside.
struct OpenWithoutLinks : testing::TestWithParam<Open> {
    OpenWithoutLinks() {
        std::string made = std::filesystem::temp_directory_path().string() + "/gyre-links-XXXXXX";
        if (::mkdtemp(made.data()) == nullptr) std::abort();
        folder = std::filesystem::canonical(made);
        std::filesystem::create_directory(folder / "sub");
        std::ofstream(folder / "sub/file") << "text";
        std::filesystem::create_symlink("file", folder / "sub/link");
        std::filesystem::create_directory_symlink("sub", folder / "other");
        if (::mkfifo((folder / "fifo").c_str(), 0600) != 0) std::abort();
    }
    ~OpenWithoutLinks() override { std::filesystem::remove_all(folder); }

    [[nodiscard]] Result<Fd> open(const char* name) const {
        return GetParam()((folder / name).string(), O_RDONLY | O_NONBLOCK);
    }

    std::filesystem::path folder;
};
INSTANTIATE_TEST_SUITE_P(, OpenWithoutLinks, testing::Values(open_without_links, open_part_by_part),
                         [](const auto& test) { return test.index == 0 ? "whole" : "parts"; });

TEST_P(OpenWithoutLinks, opens_a_file_in_blocking_mode_closed_on_exec) {
    const Result<Fd> fd = open("sub/file");
    ASSERT_TRUE(fd) << fd.error().message();
    EXPECT_EQ(::fcntl(*fd, F_GETFL) & O_NONBLOCK, 0);
    EXPECT_NE(::fcntl(*fd, F_GETFD) & FD_CLOEXEC, 0);
    char text[8] = {};
    EXPECT_EQ(::read(*fd, text, sizeof(text)), 4);
    ::close(*fd);
}

TEST_P(OpenWithoutLinks, refuses_a_link_at_the_end_and_in_the_middle_of_a_path) {
    for (const char* name : {"sub/link", "other/file"}) {
        const Result<Fd> fd = open(name);
        ASSERT_FALSE(fd) << name;
        // Part by part, a link in the middle is no directory.
        const std::errc why = fd.error().code();
        EXPECT_TRUE(why == std::errc::too_many_symbolic_link_levels ||
                    why == std::errc::not_a_directory)
            << name;
    }
}

TEST_P(OpenWithoutLinks, opens_a_fifo_without_waiting_for_its_writer) {
    const Result<Fd> fd = open("fifo");
    ASSERT_TRUE(fd) << fd.error().message();
    ::close(*fd);
}

TEST_P(OpenWithoutLinks, takes_repeated_slashes_the_root_and_tells_what_is_missing) {
    const Result<Fd> file = open("sub//file");
    ASSERT_TRUE(file);
    ::close(*file);
    const Result<Fd> root = GetParam()("/", O_RDONLY | O_DIRECTORY);
    ASSERT_TRUE(root);
    ::close(*root);
    EXPECT_EQ(open("sub/none").error(), Error(std::errc::no_such_file_or_directory));
    EXPECT_EQ(open("none/file").error(), Error(std::errc::no_such_file_or_directory));
}

}  // namespace
}  // namespace gyre::platform
