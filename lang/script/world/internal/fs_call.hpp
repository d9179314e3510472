// SPDX-License-Identifier: Apache-2.0
// FsCall: one call of a script's module `fs`, with blocking calls of the platform: on the script's
// thread for the Sync functions, else on a thread of the Offload, which owns it meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "gyre/io/detail/file_calls.hpp"
#include "gyre/io/file_tree.hpp"
#include "gyre/io/permissions.hpp"

namespace gyre::script {

// In the order of `verbs` in library/lazy/fs_calls.js.
enum class FsVerb : std::uint8_t {
    open,
    close,
    read,
    write,
    stat,
    open_stat,
    access,
    chmod,
    open_chmod,
    chown,
    open_chown,
    utimes,
    open_utimes,
    mkdir,
    rmdir,
    unlink,
    rename,
    copy,
    symlink,
    link,
    readlink,
    realpath,
    readdir,
    mkdtemp,
    resize,
    sync,
    read_file,
    write_file,
    remove_tree,
};

// The bits of the flags of `open` and `write_file`.
enum FsFlag : unsigned {
    fs_read = 1,
    fs_write = 2,
    fs_create = 4,
    fs_exclusive = 8,
    fs_truncate = 16,
    fs_append = 32,
    fs_sync = 64,
    fs_no_link = 128,
};

// A file that a script has opened. The last user closes it, so that a number is not used again
// while a call is under way.
struct OpenFile {
    OpenFile(FileTree& of, Fd number, bool appending, bool syncing) noexcept
        : tree(of), fd(number), appends(appending), syncs(syncing) {}
    ~OpenFile() { tree.close(fd); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    FileTree& tree;
    const Fd fd;
    const bool appends;
    const bool syncs;
    std::mutex moving;  // held by a call that uses the position
    std::uint64_t position = 0;
};

struct FsCall {
    FsVerb verb = FsVerb::stat;
    std::string path;
    std::string other;  // the new name, or the target of a link
    double x = 0;
    double y = 0;
    double z = 0;
    std::shared_ptr<OpenFile> file;
    std::span<std::byte> bytes;  // to read into or to write: of the script, or of `own`
    std::vector<std::byte> own = {};
    const Permissions* permissions = nullptr;

    // A negative number is an error of the system; `refused`: a permission is missing, and `text`
    // says which.
    static constexpr std::int64_t refused = -1'000'000;
    std::int64_t number = 0;
    std::string text = {};
    std::shared_ptr<OpenFile> opened = {};

    void run(FileTree& tree, FileCalls& calls);
};

}  // namespace gyre::script
