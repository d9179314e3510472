// SPDX-License-Identifier: Apache-2.0
// uv_fs_*: requests of files. Without a callback they are done in the call, otherwise on a thread of
// the pool.
#include <cstring>

#include "compat/uv/internal/fs_calls.hpp"
#include "compat/uv/internal/memory.hpp"
#include "compat/uv/internal/pool_request.hpp"

namespace gyre::uv {
namespace {

void begin(uv_fs_t* request, uv_fs_type type, uv_loop_t* loop, uv_fs_cb callback) noexcept {
    request->type = UV_FS;
    request->reserved[0] = nullptr;
    request->fs_type = type;
    request->result = 0;
    request->ptr = nullptr;
    request->loop = loop;
    request->path = nullptr;
    request->new_path = nullptr;
    request->bufs = nullptr;
    request->nbufs = 0;
    request->cb = callback;
}

// A path belongs to the caller; a request with a callback keeps a copy, which ends with it.
int set_paths(uv_fs_t* request, const char* path, const char* new_path = nullptr) noexcept {
    request->path = path;
    request->new_path = new_path;
    if (request->cb == nullptr) return 0;
    const std::size_t size = std::strlen(path) + 1;
    const std::size_t new_size = new_path == nullptr ? 0 : std::strlen(new_path) + 1;
    auto* block = static_cast<char*>(allocate(size + new_size));
    if (block == nullptr) {
        request->path = nullptr;
        return UV_ENOMEM;
    }
    request->path = static_cast<char*>(std::memcpy(block, path, size));
    if (new_path != nullptr) {
        request->new_path = static_cast<char*>(std::memcpy(block + size, new_path, new_size));
    }
    return 0;
}

// A template is written to, so every request copies it.
int set_template(uv_fs_t* request, const char* text) noexcept {
    request->path = copy_text(text);
    return request->path == nullptr ? UV_ENOMEM : 0;
}

int set_buffers(uv_fs_t* request, const uv_buf_t* buffers, unsigned count) noexcept {
    request->nbufs = count;
    request->bufs = request->bufsml;
    if (count > std::size(request->bufsml)) {
        request->bufs = static_cast<uv_buf_t*>(allocate(count * sizeof *buffers));
    }
    if (request->bufs == nullptr) return UV_ENOMEM;
    std::memcpy(request->bufs, buffers, count * sizeof *buffers);
    return 0;
}

void free_buffers(uv_fs_t* request) noexcept {
    if (request->bufs != nullptr && request->bufs != request->bufsml) release(request->bufs);
    request->bufs = nullptr;
}

void perform(uv_fs_t* request) noexcept {
    request->result = fs_call_of(request->fs_type)(*request);
    free_buffers(request);
}

int run(uv_fs_t* request) noexcept {
    if (request->cb == nullptr) {
        perform(request);
        return static_cast<int>(request->result);
    }
    return PoolRequest::start(
        request->loop, reinterpret_cast<uv_req_t*>(request),
        [](uv_req_t* req) { perform(reinterpret_cast<uv_fs_t*>(req)); },
        [](uv_req_t* req, int status) {
            auto* done = reinterpret_cast<uv_fs_t*>(req);
            if (status < 0) {
                done->result = status;
                free_buffers(done);
            }
            done->cb(done);
        });
}

// A request of one path, with what `set` adds.
template <class Set>
int with_path(uv_loop_t* loop, uv_fs_t* request, uv_fs_type type, const char* path, uv_fs_cb cb,
              Set set) noexcept {
    if (request == nullptr) return UV_EINVAL;
    begin(request, type, loop, cb);
    if (path == nullptr) return UV_EINVAL;
    if (const int status = set_paths(request, path); status < 0) return status;
    set();
    return run(request);
}

int with_path(uv_loop_t* loop, uv_fs_t* request, uv_fs_type type, const char* path,
              uv_fs_cb cb) noexcept {
    return with_path(loop, request, type, path, cb, [] {});
}

int with_paths(uv_loop_t* loop, uv_fs_t* request, uv_fs_type type, const char* path,
               const char* new_path, int flags, uv_fs_cb cb) noexcept {
    if (request == nullptr) return UV_EINVAL;
    begin(request, type, loop, cb);
    if (path == nullptr || new_path == nullptr) return UV_EINVAL;
    if (const int status = set_paths(request, path, new_path); status < 0) return status;
    request->flags = flags;
    return run(request);
}

// Settings of requests that come with a path, a link and an open file.
auto times(uv_fs_t* request, double accessed, double modified) noexcept {
    return [=] {
        request->atime = accessed;
        request->mtime = modified;
    };
}
auto owner(uv_fs_t* request, uv_uid_t user, uv_gid_t group) noexcept {
    return [=] {
        request->uid = user;
        request->gid = group;
    };
}

template <class Set>
int with_file(uv_loop_t* loop, uv_fs_t* request, uv_fs_type type, uv_file file, uv_fs_cb cb,
              Set set) noexcept {
    if (request == nullptr) return UV_EINVAL;
    begin(request, type, loop, cb);
    request->file = file;
    set();
    return run(request);
}

int with_file(uv_loop_t* loop, uv_fs_t* request, uv_fs_type type, uv_file file,
              uv_fs_cb cb) noexcept {
    return with_file(loop, request, type, file, cb, [] {});
}

int with_buffers(uv_loop_t* loop, uv_fs_t* request, uv_fs_type type, uv_file file,
                 const uv_buf_t* buffers, unsigned count, std::int64_t offset,
                 uv_fs_cb cb) noexcept {
    if (request == nullptr) return UV_EINVAL;
    begin(request, type, loop, cb);
    if (buffers == nullptr || count == 0) return UV_EINVAL;
    request->file = file;
    request->off = offset;
    if (const int status = set_buffers(request, buffers, count); status < 0) return status;
    return run(request);
}

int with_template(uv_loop_t* loop, uv_fs_t* request, uv_fs_type type, const char* text,
                  uv_fs_cb cb) noexcept {
    if (request == nullptr) return UV_EINVAL;
    begin(request, type, loop, cb);
    if (text == nullptr) return UV_EINVAL;
    if (const int status = set_template(request, text); status < 0) return status;
    return run(request);
}

int with_folder(uv_loop_t* loop, uv_fs_t* request, uv_fs_type type, uv_dir_t* folder,
                uv_fs_cb cb) noexcept {
    if (request == nullptr) return UV_EINVAL;
    begin(request, type, loop, cb);
    if (folder == nullptr) return UV_EINVAL;
    request->ptr = folder;
    return run(request);
}

}  // namespace
}  // namespace gyre::uv

using namespace gyre::uv;

int uv_fs_open(uv_loop_t* loop, uv_fs_t* req, const char* path, int flags, int mode, uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_OPEN, path, cb, [&] {
        req->flags = flags;
        req->mode = static_cast<mode_t>(mode);
    });
}

int uv_fs_close(uv_loop_t* loop, uv_fs_t* req, uv_file file, uv_fs_cb cb) {
    return with_file(loop, req, UV_FS_CLOSE, file, cb);
}

int uv_fs_read(uv_loop_t* loop, uv_fs_t* req, uv_file file, const uv_buf_t bufs[],
               unsigned int nbufs, int64_t offset, uv_fs_cb cb) {
    return with_buffers(loop, req, UV_FS_READ, file, bufs, nbufs, offset, cb);
}

int uv_fs_write(uv_loop_t* loop, uv_fs_t* req, uv_file file, const uv_buf_t bufs[],
                unsigned int nbufs, int64_t offset, uv_fs_cb cb) {
    return with_buffers(loop, req, UV_FS_WRITE, file, bufs, nbufs, offset, cb);
}

int uv_fs_unlink(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_UNLINK, path, cb);
}

int uv_fs_copyfile(uv_loop_t* loop, uv_fs_t* req, const char* path, const char* new_path, int flags,
                   uv_fs_cb cb) {
    constexpr int known =
        UV_FS_COPYFILE_EXCL | UV_FS_COPYFILE_FICLONE | UV_FS_COPYFILE_FICLONE_FORCE;
    if (req != nullptr) begin(req, UV_FS_COPYFILE, loop, cb);
    if ((flags & ~known) != 0) return UV_EINVAL;
    return with_paths(loop, req, UV_FS_COPYFILE, path, new_path, flags, cb);
}

int uv_fs_mkdir(uv_loop_t* loop, uv_fs_t* req, const char* path, int mode, uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_MKDIR, path, cb,
                     [&] { req->mode = static_cast<mode_t>(mode); });
}

int uv_fs_mkdtemp(uv_loop_t* loop, uv_fs_t* req, const char* tpl, uv_fs_cb cb) {
    return with_template(loop, req, UV_FS_MKDTEMP, tpl, cb);
}

int uv_fs_mkstemp(uv_loop_t* loop, uv_fs_t* req, const char* tpl, uv_fs_cb cb) {
    return with_template(loop, req, UV_FS_MKSTEMP, tpl, cb);
}

int uv_fs_rmdir(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_RMDIR, path, cb);
}

int uv_fs_scandir(uv_loop_t* loop, uv_fs_t* req, const char* path, int flags, uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_SCANDIR, path, cb, [&] { req->flags = flags; });
}

int uv_fs_opendir(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_OPENDIR, path, cb);
}

int uv_fs_readdir(uv_loop_t* loop, uv_fs_t* req, uv_dir_t* dir, uv_fs_cb cb) {
    if (req != nullptr) begin(req, UV_FS_READDIR, loop, cb);
    if (dir == nullptr || dir->dir == nullptr || dir->dirents == nullptr) return UV_EINVAL;
    return with_folder(loop, req, UV_FS_READDIR, dir, cb);
}

int uv_fs_closedir(uv_loop_t* loop, uv_fs_t* req, uv_dir_t* dir, uv_fs_cb cb) {
    return with_folder(loop, req, UV_FS_CLOSEDIR, dir, cb);
}

int uv_fs_stat(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_STAT, path, cb);
}

int uv_fs_lstat(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_LSTAT, path, cb);
}

int uv_fs_fstat(uv_loop_t* loop, uv_fs_t* req, uv_file file, uv_fs_cb cb) {
    return with_file(loop, req, UV_FS_FSTAT, file, cb);
}

int uv_fs_statfs(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_STATFS, path, cb);
}

int uv_fs_rename(uv_loop_t* loop, uv_fs_t* req, const char* path, const char* new_path,
                 uv_fs_cb cb) {
    return with_paths(loop, req, UV_FS_RENAME, path, new_path, 0, cb);
}

int uv_fs_link(uv_loop_t* loop, uv_fs_t* req, const char* path, const char* new_path, uv_fs_cb cb) {
    return with_paths(loop, req, UV_FS_LINK, path, new_path, 0, cb);
}

int uv_fs_symlink(uv_loop_t* loop, uv_fs_t* req, const char* path, const char* new_path, int flags,
                  uv_fs_cb cb) {
    return with_paths(loop, req, UV_FS_SYMLINK, path, new_path, flags, cb);
}

int uv_fs_fsync(uv_loop_t* loop, uv_fs_t* req, uv_file file, uv_fs_cb cb) {
    return with_file(loop, req, UV_FS_FSYNC, file, cb);
}

int uv_fs_fdatasync(uv_loop_t* loop, uv_fs_t* req, uv_file file, uv_fs_cb cb) {
    return with_file(loop, req, UV_FS_FDATASYNC, file, cb);
}

int uv_fs_ftruncate(uv_loop_t* loop, uv_fs_t* req, uv_file file, int64_t offset, uv_fs_cb cb) {
    return with_file(loop, req, UV_FS_FTRUNCATE, file, cb, [&] { req->off = offset; });
}

int uv_fs_sendfile(uv_loop_t* loop, uv_fs_t* req, uv_file out_fd, uv_file in_fd, int64_t in_offset,
                   size_t length, uv_fs_cb cb) {
    return with_file(loop, req, UV_FS_SENDFILE, out_fd, cb, [&] {
        req->flags = in_fd;
        req->off = in_offset;
        req->bufsml[0].len = length;
    });
}

int uv_fs_access(uv_loop_t* loop, uv_fs_t* req, const char* path, int mode, uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_ACCESS, path, cb, [&] { req->flags = mode; });
}

int uv_fs_chmod(uv_loop_t* loop, uv_fs_t* req, const char* path, int mode, uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_CHMOD, path, cb,
                     [&] { req->mode = static_cast<mode_t>(mode); });
}

int uv_fs_fchmod(uv_loop_t* loop, uv_fs_t* req, uv_file file, int mode, uv_fs_cb cb) {
    return with_file(loop, req, UV_FS_FCHMOD, file, cb,
                     [&] { req->mode = static_cast<mode_t>(mode); });
}

int uv_fs_utime(uv_loop_t* loop, uv_fs_t* req, const char* path, double atime, double mtime,
                uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_UTIME, path, cb, times(req, atime, mtime));
}

int uv_fs_lutime(uv_loop_t* loop, uv_fs_t* req, const char* path, double atime, double mtime,
                 uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_LUTIME, path, cb, times(req, atime, mtime));
}

int uv_fs_futime(uv_loop_t* loop, uv_fs_t* req, uv_file file, double atime, double mtime,
                 uv_fs_cb cb) {
    return with_file(loop, req, UV_FS_FUTIME, file, cb, times(req, atime, mtime));
}

int uv_fs_readlink(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_READLINK, path, cb);
}

int uv_fs_realpath(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_REALPATH, path, cb);
}

int uv_fs_chown(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_uid_t uid, uv_gid_t gid,
                uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_CHOWN, path, cb, owner(req, uid, gid));
}

int uv_fs_lchown(uv_loop_t* loop, uv_fs_t* req, const char* path, uv_uid_t uid, uv_gid_t gid,
                 uv_fs_cb cb) {
    return with_path(loop, req, UV_FS_LCHOWN, path, cb, owner(req, uid, gid));
}

int uv_fs_fchown(uv_loop_t* loop, uv_fs_t* req, uv_file file, uv_uid_t uid, uv_gid_t gid,
                 uv_fs_cb cb) {
    return with_file(loop, req, UV_FS_FCHOWN, file, cb, owner(req, uid, gid));
}

uv_fs_type uv_fs_get_type(const uv_fs_t* req) {
    return req->fs_type;
}

ssize_t uv_fs_get_result(const uv_fs_t* req) {
    return req->result;
}

int uv_fs_get_system_error(const uv_fs_t* req) {
    return static_cast<int>(-req->result);
}

void* uv_fs_get_ptr(const uv_fs_t* req) {
    return req->ptr;
}

const char* uv_fs_get_path(const uv_fs_t* req) {
    return req->path;
}

uv_stat_t* uv_fs_get_statbuf(uv_fs_t* req) {
    return &req->statbuf;
}

void uv_fs_req_cleanup(uv_fs_t* req) {
    if (req == nullptr) return;
    const bool has_copy =
        req->cb != nullptr || req->fs_type == UV_FS_MKDTEMP || req->fs_type == UV_FS_MKSTEMP;
    if (req->path != nullptr && has_copy) release(const_cast<char*>(req->path));
    req->path = nullptr;
    req->new_path = nullptr;
    free_folder_result(*req);
    free_buffers(req);
    // A folder stays open until uv_fs_closedir.
    if (req->fs_type != UV_FS_OPENDIR && req->ptr != &req->statbuf) release(req->ptr);
    req->ptr = nullptr;
}
