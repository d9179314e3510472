// SPDX-License-Identifier: Apache-2.0
// FileTree: the calls of a file system that are not ops on open files: names, directories, links,
// sizes, change events. A path that contains a NUL byte gives the error `invalid_argument`: the
// system would take the part before the NUL for the path.
//
//     FileTree* files = loop.platform().environment()->file_tree();
//
// Thread: any. Each call may block: make it on a thread of the Offload (WorkKind::files).
// Lifetime: part of a Platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gyre/base/bytes.hpp"
#include "gyre/base/result.hpp"
#include "gyre/io/sockets.hpp"

namespace gyre {

enum class FileKind : std::uint8_t { file, folder, link, other };

struct FileStat {
    FileKind kind = FileKind::other;
    std::uint64_t size_bytes = 0;
    std::uint32_t mode = 0;  // permission bits
    std::uint64_t link_count = 0;
    std::uint64_t device = 0;  // with `number`: identifies the file, independent of its name
    std::uint64_t number = 0;
    std::int64_t modified_ns = 0;  // since 1970

    [[nodiscard]] bool is_file() const noexcept { return kind == FileKind::file; }
    [[nodiscard]] bool is_folder() const noexcept { return kind == FileKind::folder; }
    [[nodiscard]] bool is_link() const noexcept { return kind == FileKind::link; }
};

// Whether a path that ends in a symbolic link means the link's target or the link itself.
// `refused`: a link in any part of the path is the error `too_many_symbolic_link_levels`; for a
// path of `real_path`, on which a link may have been put since.
enum class Links : std::uint8_t { followed, themselves, refused };

struct FolderEntry {
    std::string name;
    FileKind kind = FileKind::other;
};

// A newly created file with a unique name.
struct NewFile {
    Fd fd = -1;
    std::string path;
};

// One change event of the system.
struct RawChange {
    enum class Kind : std::uint8_t {
        created,
        modified,
        attributes,
        removed,
        moved_from,
        moved_to,
        lost,       // the queue of events overflowed
        ended,      // the watched file or directory was removed
        forgotten,  // the watch was removed; its number may be reused
    };
    Kind kind = Kind::modified;
    bool is_folder = false;
    std::uint32_t move_id = 0;   // pairs the two events of a move; 0: none
    std::string name = {};       // in the directory; empty for the watched path itself
    std::int32_t watch_id = -1;  // the watch of the descriptor that it is from; -1: none
};

// A descriptor that delivers change events, and the number of its first watch.
struct FileWatch {
    Fd fd = -1;
    std::int32_t id = -1;
};

class FileTree {
public:
    virtual ~FileTree() = default;

    // ---- Open files ----

    // For code without a loop; with a loop, use ReadOp, WriteOp and CloseOp. They return the number
    // of bytes, possibly fewer than requested; read_at returns 0 at the end of the file.
    [[nodiscard]] virtual Result<std::size_t> read_at(Fd fd, Bytes into, std::uint64_t offset) = 0;
    [[nodiscard]] virtual Result<std::size_t> write_at(Fd fd, ConstBytes from,
                                                       std::uint64_t offset) = 0;
    // Only for a descriptor that was never used in an op: a platform keeps a record of those.
    virtual void close(Fd fd) noexcept = 0;
    [[nodiscard]] virtual Result<FileStat> stat_open(Fd fd) = 0;
    [[nodiscard]] virtual Result<void> resize(Fd fd, std::uint64_t size_bytes) = 0;
    [[nodiscard]] virtual Result<void> set_mode(Fd fd, std::uint32_t mode) = 0;
    // Whether this range can be read from the page cache, without waiting for a disk, as far as the
    // system can tell at once. Does not block.
    [[nodiscard]] virtual bool is_in_memory(Fd fd, std::uint64_t offset, std::size_t size) = 0;
    // Reads the range into the page cache, for a later read on a thread that must not block.
    virtual void load(Fd fd, std::uint64_t offset, std::size_t size) = 0;

    // ---- Names ----

    [[nodiscard]] virtual Result<FileStat> stat(const std::string& path, Links links) = 0;
    // The absolute path of an existing file or directory, with links, `.` and `..` resolved.
    [[nodiscard]] virtual Result<std::string> real_path(const std::string& path) = 0;
    // A descriptor that the caller closes: on the loop's thread, or by `close`. With links refused
    // it does not wait for the writer of a FIFO either.
    [[nodiscard]] virtual Result<Fd> open_to_read(const std::string& path,
                                                  Links links = Links::followed) = 0;
    // An existing file of the new name is replaced atomically.
    [[nodiscard]] virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
    [[nodiscard]] virtual Result<void> link(const std::string& existing,
                                            const std::string& name) = 0;
    [[nodiscard]] virtual Result<void> symbolic_link(const std::string& target,
                                                     const std::string& name) = 0;
    [[nodiscard]] virtual Result<std::string> read_link(const std::string& path) = 0;
    // Removes a file, a link or an empty directory.
    [[nodiscard]] virtual Result<void> remove(const std::string& path) = 0;

    // ---- Directories ----

    [[nodiscard]] virtual Result<void> make_folder(const std::string& path, std::uint32_t mode) = 0;
    // Sorted by name, without `.` and `..`. The error `value_too_large` if there are more than
    // `count_max`.
    [[nodiscard]] virtual Result<std::vector<FolderEntry>> list(const std::string& path,
                                                                std::size_t count_max,
                                                                Links links = Links::followed) = 0;
    // Removes a file or a whole directory tree, at most a given number of names in one call; true
    // if nothing is left. A link is removed, never followed. The error `value_too_large` if the
    // tree is deeper than removed_depth_max.
    static constexpr int removed_depth_max = 512;
    [[nodiscard]] virtual Result<bool> remove_some(const std::string& path,
                                                   std::size_t count_max) = 0;
    // Returns once the names in the directory are on the disk (fsync of the directory).
    [[nodiscard]] virtual Result<void> sync_folder(const std::string& path) = 0;

    // ---- Temporary files ----

    // The system's directory for temporary files.
    [[nodiscard]] virtual std::string temporary_folder() = 0;
    // Creates a file in this directory with a unique name that starts with the prefix. Opened for
    // reading and writing.
    [[nodiscard]] virtual Result<NewFile> make_file(const std::string& folder,
                                                    const std::string& prefix,
                                                    std::uint32_t mode) = 0;
    [[nodiscard]] virtual Result<std::string> make_unique_folder(const std::string& folder,
                                                                 const std::string& prefix) = 0;

    // ---- Change events ----

    // A descriptor that delivers events of changes to a file, or to the entries of a directory,
    // from now on. Read it with a ReceiveOp and decode the bytes with decode_changes; the buffer
    // must have at least `changes_size_min_bytes`.
    [[nodiscard]] virtual Result<FileWatch> watch(const std::string& path) = 0;
    // Adds a directory to the same descriptor and returns the number of its watch; the same number
    // if it is watched already. A symbolic link is not followed: the error `not_a_directory`.
    [[nodiscard]] virtual Result<std::int32_t> watch_also(Fd watched,
                                                          const std::string& folder) = 0;
    // Removes a watch, which is reported as `forgotten`. Does not block.
    virtual void watch_no_more(Fd watched, std::int32_t watch_id) = 0;
    virtual void decode_changes(ConstBytes data, std::vector<RawChange>& into) = 0;

    static constexpr std::size_t changes_size_min_bytes = 4096;
};

// Reads at most the first `size_max_bytes` of a file.
[[nodiscard]] Result<std::string> read_beginning(FileTree& tree, const std::string& path,
                                                 std::size_t size_max_bytes);

}  // namespace gyre
