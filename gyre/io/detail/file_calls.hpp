// SPDX-License-Identifier: Apache-2.0
// FileCalls: the file calls of the operating system as programs of other runtimes expect them: all
// fields of stat, owners and times, removals that tell a file from a directory. FileTree is the
// interface for gyre's own modules.
//
//     FileCalls* calls = loop.platform().environment()->file_calls();
//     Result<FileDetails> found = calls->details("notes.txt", Links::followed);
//
// Thread: any. Each call may block: make it on a thread of the Offload (WorkKind::files).
// Lifetime: part of a Platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gyre/io/file_ops.hpp"
#include "gyre/io/file_tree.hpp"

namespace gyre {

// What the system's stat call tells.
struct FileDetails {
    std::uint32_t whole_mode = 0;  // st_mode, with the kind of the file
    std::uint64_t size_bytes = 0;
    std::uint64_t link_count = 0;
    std::uint64_t device = 0;
    std::uint64_t number = 0;
    std::uint32_t owner = 0;
    std::uint32_t group = 0;
    std::uint64_t special_device = 0;  // of a device file
    std::uint64_t block_bytes = 4096;
    std::uint64_t block_count = 0;  // of 512 bytes
    // Since 1970.
    std::int64_t accessed_ns = 0;
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;
    std::int64_t created_ns = 0;
};

struct FileTimes {
    std::int64_t accessed_ns = 0;
    std::int64_t modified_ns = 0;
};

struct FileOwner {
    std::uint32_t owner = 0;
    std::uint32_t group = 0;
};

// An open directory. One thread at a time; closed when it is destroyed.
class FolderReader {
public:
    virtual ~FolderReader() = default;
    // The next entries, at most so many, in the order of the file system and without `.` and `..`;
    // none at the end.
    [[nodiscard]] virtual Result<std::vector<FolderEntry>> next(std::size_t count_max) = 0;
};

class FileCalls {
public:
    // With Links::themselves, a link at the end of the path is the error too_many_symbolic_link_levels.
    // FileTree::close closes the descriptor.
    [[nodiscard]] virtual Result<Fd> open(const std::string& path, const OpenOptions& how,
                                          Links links = Links::followed) = 0;
    // Where the descriptor is now: for a FIFO or a terminal, which have no offsets.
    [[nodiscard]] virtual Result<std::size_t> read_next(Fd fd, Bytes into) = 0;
    [[nodiscard]] virtual Result<std::size_t> write_next(Fd fd, ConstBytes from) = 0;
    [[nodiscard]] virtual Result<void> sync(Fd fd) = 0;
    [[nodiscard]] virtual Result<FileDetails> details_of_open(Fd fd) = 0;
    [[nodiscard]] virtual Result<void> set_times_of_open(Fd fd, FileTimes times) = 0;
    [[nodiscard]] virtual Result<void> set_owner_of_open(Fd fd, FileOwner owner) = 0;

    // ---- For a library that has files of its own (SQLite) ----

    // Whether the disk is that of a simulated computer that can crash: then the library's files are on it,
    // by the calls of this class and of FileTree; else they are the system's.
    [[nodiscard]] virtual bool can_crash() const noexcept { return false; }
    // On such a disk: what those who have this file open share, in place of the system's locks and
    // shared memory. Made by the first who asks, gone with the last descriptor that was asked for, as
    // when the process is killed. Null elsewhere, and for a descriptor that is no file.
    using MakeShared = std::shared_ptr<void> (*)();
    [[nodiscard]] virtual void* shared_of_open(Fd /*fd*/, MakeShared /*make*/) { return nullptr; }

    [[nodiscard]] virtual Result<FileDetails> details(const std::string& path, Links links) = 0;
    // `mode`: a sum of 4 (read), 2 (write) and 1 (run); 0: whether it exists.
    [[nodiscard]] virtual Result<void> check_access(const std::string& path, unsigned mode) = 0;
    [[nodiscard]] virtual Result<void> set_mode(const std::string& path, std::uint32_t mode) = 0;
    [[nodiscard]] virtual Result<void> set_owner(const std::string& path, FileOwner owner,
                                                 Links links) = 0;
    [[nodiscard]] virtual Result<void> set_times(const std::string& path, FileTimes times,
                                                 Links links) = 0;
    // A directory is the error is_a_directory, and the other way round not_a_directory.
    [[nodiscard]] virtual Result<void> remove_file(const std::string& path) = 0;
    [[nodiscard]] virtual Result<void> remove_folder(const std::string& path) = 0;
    // An entry that comes or goes while the directory is read may be left out.
    [[nodiscard]] virtual Result<std::unique_ptr<FolderReader>> open_folder(
        const std::string& path) = 0;

protected:
    ~FileCalls() = default;
};

}  // namespace gyre
