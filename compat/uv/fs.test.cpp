// SPDX-License-Identifier: Apache-2.0
// Files: each call as a request without a callback, and some with one; and what is watched.
#include <fcntl.h>
#include <sys/stat.h>

#include <cmath>
#include <fstream>

#include "compat/uv/support.test.hpp"

namespace gyre::uv::test {
namespace {

class UvFs : public UvLoop {
protected:
    ~UvFs() override { uv_fs_req_cleanup(&req); }
    // Calls a function of files without a callback.
    template <class Function, class... Args>
    int call(Function function, Args... args) {
        uv_fs_req_cleanup(&req);
        return function(&loop, &req, args..., nullptr);
    }
    int make_file(const std::string& path, const std::string& text) {
        std::ofstream(path) << text;
        return 0;
    }

    uv_fs_t req{};
    TemporaryFolder folder;
};

TEST_F(UvFs, opens_writes_reads_and_closes) {
    const std::string path = folder / "file";
    const int fd = call(uv_fs_open, path.c_str(), O_RDWR | O_CREAT, 0644);
    ASSERT_GE(fd, 0);
    EXPECT_EQ(uv_fs_get_type(&req), UV_FS_OPEN);
    EXPECT_EQ(uv_fs_get_result(&req), fd);
    char first[] = "hello ";
    char second[] = "world";
    uv_buf_t parts[] = {uv_buf_init(first, 6), uv_buf_init(second, 5)};
    EXPECT_EQ(call(uv_fs_write, fd, parts, 2u, -1), 11);
    EXPECT_EQ(call(uv_fs_write, fd, parts, 0u, -1), UV_EINVAL);
    char text[16] = {};
    uv_buf_t room = uv_buf_init(text, sizeof text);
    EXPECT_EQ(call(uv_fs_read, fd, &room, 1u, 6), 5);
    EXPECT_STREQ(text, "world");
    EXPECT_EQ(call(uv_fs_ftruncate, fd, 5), 0);
    EXPECT_EQ(call(uv_fs_fsync, fd), 0);
    EXPECT_EQ(call(uv_fs_fdatasync, fd), 0);
    EXPECT_EQ(call(uv_fs_fstat, fd), 0);
    EXPECT_EQ(uv_fs_get_statbuf(&req)->st_size, 5u);
    EXPECT_EQ(uv_fs_get_ptr(&req), &req.statbuf);
    EXPECT_EQ(call(uv_fs_fchmod, fd, 0600), 0);
    EXPECT_EQ(call(uv_fs_fchown, fd, ::getuid(), ::getgid()), 0);
    EXPECT_EQ(call(uv_fs_futime, fd, 100.0, 200.5), 0);
    EXPECT_EQ(call(uv_fs_close, fd), 0);
    EXPECT_EQ(call(uv_fs_close, fd), UV_EBADF);
    EXPECT_EQ(uv_fs_get_system_error(&req), EBADF);
    EXPECT_EQ(call(uv_fs_stat, path.c_str()), 0);
    EXPECT_EQ(req.statbuf.st_mtim.tv_sec, 200);
    EXPECT_EQ(req.statbuf.st_mtim.tv_nsec, 500'000'000);
    EXPECT_EQ(req.statbuf.st_mode & 0777u, 0600u);
}

TEST_F(UvFs, tells_errors) {
    EXPECT_EQ(call(uv_fs_open, "/no/such/file", O_RDONLY, 0), UV_ENOENT);
    EXPECT_STREQ(uv_fs_get_path(&req), "/no/such/file");
    EXPECT_EQ(call(uv_fs_stat, "/no/such/file"), UV_ENOENT);
    EXPECT_EQ(call(uv_fs_mkdtemp, "no pattern"), UV_EINVAL);
    EXPECT_EQ(uv_fs_stat(&loop, nullptr, "/", nullptr), UV_EINVAL);
}

TEST_F(UvFs, changes_names_and_attributes) {
    const std::string a = folder / "a";
    const std::string b = folder / "b";
    make_file(a, "a");
    EXPECT_EQ(call(uv_fs_access, a.c_str(), F_OK), 0);
    EXPECT_EQ(call(uv_fs_rename, a.c_str(), b.c_str()), 0);
    EXPECT_EQ(call(uv_fs_access, a.c_str(), F_OK), UV_ENOENT);
    EXPECT_EQ(call(uv_fs_link, b.c_str(), a.c_str()), 0);
    EXPECT_EQ(call(uv_fs_unlink, a.c_str()), 0);
    EXPECT_EQ(call(uv_fs_symlink, b.c_str(), a.c_str(), 0), 0);
    EXPECT_EQ(call(uv_fs_readlink, a.c_str()), 0);
    EXPECT_STREQ(static_cast<char*>(uv_fs_get_ptr(&req)), b.c_str());
    EXPECT_EQ(call(uv_fs_realpath, a.c_str()), 0);
    EXPECT_STREQ(static_cast<char*>(req.ptr), b.c_str());
    EXPECT_EQ(call(uv_fs_lstat, a.c_str()), 0);
    EXPECT_TRUE(S_ISLNK(req.statbuf.st_mode));
    EXPECT_EQ(call(uv_fs_lutime, a.c_str(), 5.0, 6.0), 0);
    EXPECT_EQ(call(uv_fs_lstat, a.c_str()), 0);
    EXPECT_EQ(req.statbuf.st_mtim.tv_sec, 6);
    EXPECT_EQ(call(uv_fs_utime, b.c_str(), 7.0, NAN), 0);
    EXPECT_EQ(call(uv_fs_stat, b.c_str()), 0);
    EXPECT_EQ(req.statbuf.st_atim.tv_sec, 7);
    EXPECT_GT(req.statbuf.st_mtim.tv_sec, 1'000'000) << "it was to stay as it is";
    EXPECT_EQ(call(uv_fs_chmod, b.c_str(), 0640), 0);
    EXPECT_EQ(call(uv_fs_chown, b.c_str(), ::getuid(), ::getgid()), 0);
    EXPECT_EQ(call(uv_fs_lchown, a.c_str(), ::getuid(), ::getgid()), 0);
    EXPECT_EQ(call(uv_fs_statfs, folder.path().c_str()), 0);
    EXPECT_GT(static_cast<uv_statfs_t*>(req.ptr)->f_bsize, 0u);
}

TEST_F(UvFs, lists_folders_in_order) {
    EXPECT_EQ(call(uv_fs_mkdir, (folder / "sub").c_str(), 0755), 0);
    make_file(folder / "b", "");
    make_file(folder / "a", "");
    ASSERT_EQ(call(uv_fs_scandir, folder.path().c_str(), 0), 3);
    uv_dirent_t entry{};
    std::string names;
    while (uv_fs_scandir_next(&req, &entry) == 0) {
        names += entry.name + std::string(entry.type == UV_DIRENT_DIR ? "/ " : " ");
    }
    EXPECT_EQ(names, "a b sub/ ");
    EXPECT_EQ(uv_fs_scandir_next(&req, &entry), UV_EOF);

    ASSERT_EQ(call(uv_fs_opendir, folder.path().c_str()), 0);
    auto* dir = static_cast<uv_dir_t*>(req.ptr);
    uv_dirent_t entries[2];
    dir->dirents = entries;
    dir->nentries = 2;
    EXPECT_EQ(call(uv_fs_readdir, dir), 2);
    EXPECT_EQ(call(uv_fs_readdir, dir), 1);
    EXPECT_EQ(call(uv_fs_readdir, dir), 0);
    EXPECT_EQ(call(uv_fs_readdir, static_cast<uv_dir_t*>(nullptr)), UV_EINVAL);
    EXPECT_EQ(call(uv_fs_closedir, dir), 0);
    EXPECT_EQ(call(uv_fs_rmdir, (folder / "sub").c_str()), 0);
}

TEST_F(UvFs, makes_names_of_its_own) {
    ASSERT_EQ(call(uv_fs_mkdtemp, (folder / "dXXXXXX").c_str()), 0);
    EXPECT_EQ(::access(req.path, F_OK), 0);
    const int fd = call(uv_fs_mkstemp, (folder / "fXXXXXX").c_str());
    ASSERT_GE(fd, 0);
    EXPECT_EQ(::access(req.path, F_OK), 0);
    ::close(fd);
}

TEST_F(UvFs, copies) {
    const std::string from = folder / "from";
    const std::string to = folder / "to";
    make_file(from, std::string(100'000, 'x'));
    EXPECT_EQ(call(uv_fs_copyfile, from.c_str(), to.c_str(), 0), 0);
    EXPECT_EQ(call(uv_fs_stat, to.c_str()), 0);
    EXPECT_EQ(req.statbuf.st_size, 100'000u);
    EXPECT_EQ(call(uv_fs_copyfile, from.c_str(), to.c_str(), UV_FS_COPYFILE_EXCL), UV_EEXIST);
    EXPECT_EQ(call(uv_fs_copyfile, from.c_str(), to.c_str(), 1000), UV_EINVAL);
    const int in = ::open(from.c_str(), O_RDONLY);
    const int out = ::open(to.c_str(), O_WRONLY | O_TRUNC);
    EXPECT_EQ(call(uv_fs_sendfile, out, in, 99'990, std::size_t{100}), 10);
    ::close(in);
    ::close(out);
    EXPECT_EQ(call(uv_fs_stat, to.c_str()), 0);
    EXPECT_EQ(req.statbuf.st_size, 10u);
}

TEST_F(UvFs, with_a_callback_work_on_the_pool) {
    std::string path = folder / "file";
    make_file(path, "text");
    std::uint64_t size = 0;
    req.data = &size;
    ASSERT_EQ(uv_fs_stat(&loop, &req, path.c_str(),
                         [](uv_fs_t* request) {
                             EXPECT_EQ(request->result, 0);
                             *static_cast<std::uint64_t*>(request->data) = request->statbuf.st_size;
                         }),
              0);
    path.assign("the request has a copy of the path");
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(size, 4u);
}

struct Seen {
    std::string name;
    int events = 0;
};

TEST_F(UvFs, events_tell_the_name_in_a_folder) {
    uv_fs_event_t event;
    ASSERT_EQ(uv_fs_event_init(&loop, &event), 0);
    Seen seen;
    event.data = &seen;
    const auto tell = [](uv_fs_event_t* handle, const char* name, int events, int status) {
        EXPECT_EQ(status, 0);
        *static_cast<Seen*>(handle->data) = {name, events};
        uv_fs_event_stop(handle);
    };
    EXPECT_EQ(uv_fs_event_start(&event, tell, "/no/such/folder", 0), UV_ENOENT);
    ASSERT_EQ(uv_fs_event_start(&event, tell, folder.path().c_str(), 0), 0);
    EXPECT_EQ(uv_fs_event_start(&event, tell, folder.path().c_str(), 0), UV_EINVAL);
    char path[256];
    std::size_t size = sizeof path;
    EXPECT_EQ(uv_fs_event_getpath(&event, path, &size), 0);
    EXPECT_EQ(std::string(path), folder.path());
    make_file(folder / "new", "");
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(seen.name, "new");
    EXPECT_EQ(seen.events, UV_RENAME);
    EXPECT_EQ(uv_fs_event_getpath(&event, path, &size), UV_EINVAL);
    close(event);
    run();
}

TEST_F(UvFs, polls_tell_a_change) {
    const std::string path = folder / "file";
    make_file(path, "1");
    uv_fs_poll_t poll;
    uv_timer_t timer;
    ASSERT_EQ(uv_fs_poll_init(&loop, &poll), 0);
    ASSERT_EQ(uv_timer_init(&loop, &timer), 0);
    std::string changing = path;
    timer.data = &changing;
    poll.data = &timer;
    const auto tell = [](uv_fs_poll_t* handle, int status, const uv_stat_t* before,
                         const uv_stat_t* now) {
        EXPECT_EQ(status, 0);
        EXPECT_GT(before->st_size, 0u);
        EXPECT_GT(now->st_size, before->st_size);
        EXPECT_EQ(uv_fs_poll_stop(handle), 0);
        uv_timer_stop(static_cast<uv_timer_t*>(handle->data));
    };
    ASSERT_EQ(uv_fs_poll_start(&poll, tell, path.c_str(), 20), 0);
    char told[256];
    std::size_t size = sizeof told;
    EXPECT_EQ(uv_fs_poll_getpath(&poll, told, &size), 0);
    EXPECT_EQ(path, told);
    // It grows until a change is told: the first look at it may come late.
    const auto change = [](uv_timer_t* handle) {
        std::ofstream(*static_cast<std::string*>(handle->data), std::ios::app) << "2";
    };
    ASSERT_EQ(uv_timer_start(&timer, change, 50, 50), 0);
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(uv_fs_poll_getpath(&poll, told, &size), UV_EINVAL);
    close(poll);
    close(timer);
    run();
}

}  // namespace
}  // namespace gyre::uv::test
