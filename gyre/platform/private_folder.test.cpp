// SPDX-License-Identifier: Apache-2.0
// What a private directory refuses: other owners, permissions of others, links, and names outside of it.
#include "gyre/platform/private_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace gyre::platform {
namespace {

class PrivateFolders : public testing::Test {
protected:
    PrivateFolders() {
        std::string name = testing::TempDir() + "gyre-private-XXXXXX";
        above_ = ::mkdtemp(name.data());
        path_ = above_ + "/a/b";
    }
    ~PrivateFolders() override { std::filesystem::remove_all(above_); }

    [[nodiscard]] PrivateFolder opened() const { return std::move(*PrivateFolder::open(path_)); }
    [[nodiscard]] std::string inside(const std::string& name) const { return path_ + "/" + name; }
    [[nodiscard]] std::errc error_of(const std::string& name) const {
        const auto read = opened().read(name, 1'000);
        return read ? std::errc{} : read.error().code();
    }

    std::string above_;
    std::string path_;
};

TEST_F(PrivateFolders, are_made_with_their_parents_for_this_user_alone) {
    const PrivateFolder folder = opened();
    ASSERT_TRUE(folder.write("x", "one"));
    ASSERT_TRUE(folder.write("x", "two"));
    EXPECT_EQ(folder.read("x", 3).value(), "two");
    struct stat found{};
    ASSERT_EQ(::stat(path_.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777u, 0700u);
    ASSERT_EQ(::stat(inside("x").c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777u, 0600u);
    EXPECT_EQ(folder.list(10).value().size(), 1u);  // no temporary file is left
}

TEST_F(PrivateFolders, that_others_may_write_or_own_are_refused) {
    static_cast<void>(opened());
    for (const mode_t mode : {0720u, 0702u, 0777u, 01777u}) {
        ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
        const auto found = PrivateFolder::open(path_);
        ASSERT_FALSE(found);
        EXPECT_EQ(found.error().code(), std::errc::permission_denied) << std::oct << mode;
    }
    ASSERT_EQ(::chmod(path_.c_str(), 0755), 0);  // others may read
    EXPECT_TRUE(PrivateFolder::open(path_));
    if (::geteuid() == 0) {
        ASSERT_EQ(::chown(path_.c_str(), 12'345, static_cast<gid_t>(-1)), 0);
        EXPECT_EQ(PrivateFolder::open(path_).error().code(), std::errc::permission_denied);
    }
}

TEST_F(PrivateFolders, behind_a_link_or_below_a_file_are_refused) {
    static_cast<void>(opened());
    ASSERT_EQ(::symlink(path_.c_str(), (above_ + "/link").c_str()), 0);
    EXPECT_FALSE(PrivateFolder::open(above_ + "/link"));
    ASSERT_TRUE(opened().write("file", ""));
    EXPECT_FALSE(PrivateFolder::open(inside("file")));
    EXPECT_FALSE(PrivateFolder::open(inside("file") + "/below"));
    EXPECT_FALSE(PrivateFolder::open(""));
    EXPECT_FALSE(PrivateFolder::open(std::string("a\0b", 3)));
}

TEST_F(PrivateFolders, refuse_files_that_another_user_may_have_written) {
    const PrivateFolder folder = opened();
    ASSERT_TRUE(folder.write("x", "text"));
    EXPECT_EQ(error_of("x"), std::errc{});
    ASSERT_EQ(::chmod(inside("x").c_str(), 0620), 0);
    EXPECT_EQ(error_of("x"), std::errc::permission_denied);
    ASSERT_EQ(::chmod(inside("x").c_str(), 0602), 0);
    EXPECT_EQ(error_of("x"), std::errc::permission_denied);
    ASSERT_EQ(::chmod(inside("x").c_str(), 0644), 0);
    EXPECT_EQ(error_of("x"), std::errc{});
    if (::geteuid() == 0) {
        ASSERT_EQ(::chown(inside("x").c_str(), 12'345, static_cast<gid_t>(-1)), 0);
        EXPECT_EQ(error_of("x"), std::errc::permission_denied);
        EXPECT_TRUE(folder.list(10).value().empty());
    }
}

TEST_F(PrivateFolders, refuse_links_pipes_directories_and_names_outside) {
    const PrivateFolder folder = opened();
    ASSERT_TRUE(folder.write("x", "text"));
    ASSERT_EQ(::symlink("x", inside("link").c_str()), 0);
    EXPECT_NE(error_of("link"), std::errc{});
    ASSERT_EQ(::mkfifo(inside("pipe").c_str(), 0600), 0);  // does not block the reader
    EXPECT_EQ(error_of("pipe"), std::errc::permission_denied);
    ASSERT_EQ(::mkdir(inside("folder").c_str(), 0700), 0);
    EXPECT_NE(error_of("folder"), std::errc{});
    for (const char* name : {"", ".", "..", "../x", "/etc/passwd", "a/b"}) {
        EXPECT_EQ(error_of(name), std::errc::invalid_argument) << name;
        EXPECT_FALSE(folder.write(name, "text")) << name;
        EXPECT_FALSE(folder.remove(name)) << name;
    }
    EXPECT_EQ(folder.list(10).value().size(), 1u);
}

TEST_F(PrivateFolders, bound_what_they_read_and_list) {
    const PrivateFolder folder = opened();
    ASSERT_TRUE(folder.write("x", "12345"));
    ASSERT_TRUE(folder.write("y", ""));
    EXPECT_EQ(folder.read("x", 5).value(), "12345");
    EXPECT_EQ(folder.read("x", 4).error().code(), std::errc::value_too_large);
    EXPECT_EQ(folder.read("y", 0).value(), "");
    EXPECT_EQ(folder.list(2).value().size(), 2u);
    EXPECT_EQ(folder.list(1).error().code(), std::errc::value_too_large);
    EXPECT_EQ(folder.read("z", 1).error().code(), std::errc::no_such_file_or_directory);
}

TEST_F(PrivateFolders, list_the_least_recently_used_first) {
    const PrivateFolder folder = opened();
    for (const char* name : {"b", "a", "c"}) ASSERT_TRUE(folder.write(name, name));
    const auto age = [this](const char* name, time_t seconds) {
        const timespec times[2] = {{.tv_sec = seconds, .tv_nsec = 0},
                                   {.tv_sec = seconds, .tv_nsec = 0}};
        ASSERT_EQ(::utimensat(AT_FDCWD, inside(name).c_str(), times, 0), 0);
    };
    age("b", 1);
    age("a", 2);
    age("c", 3);
    const auto names = [&folder] {
        std::string all;
        const auto files = folder.list(10);
        for (const PrivateFolder::File& file : *files) all += file.name;
        return all;
    };
    EXPECT_EQ(names(), "bac");
    EXPECT_TRUE(folder.read("b", 10));  // used now
    EXPECT_EQ(names(), "acb");
    EXPECT_TRUE(folder.remove("a"));
    EXPECT_EQ(names(), "cb");
}

TEST_F(PrivateFolders, keep_the_old_file_if_a_new_one_does_not_fit_on_the_disk) {
    const PrivateFolder folder = opened();
    ASSERT_TRUE(folder.write("x", "old"));
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small{.rlim_cur = 4, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const Result<void> written = folder.write("x", "longer");
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_FALSE(written);
    EXPECT_EQ(folder.read("x", 10).value(), "old");
    EXPECT_EQ(folder.list(10).value().size(), 1u);  // what was written is removed
}

}  // namespace
}  // namespace gyre::platform
