// SPDX-License-Identifier: Apache-2.0
// FileTree: the calls of a file system that are not ops on open files: names, directories, links,
// sizes, changes. A path with a 0 byte in it is the error `invalid_argument`, because the system
// would take the part before it for the path.
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
    std::uint32_t mode = 0;  // the permissions
    std::uint64_t link_count = 0;
    std::uint64_t device = 0;  // with `number`: what file it is, whatever its name
    std::uint64_t number = 0;
    std::int64_t modified_ns = 0;  // since 1970

    [[nodiscard]] bool is_file() const noexcept { return kind == FileKind::file; }
    [[nodiscard]] bool is_folder() const noexcept { return kind == FileKind::folder; }
    [[nodiscard]] bool is_link() const noexcept { return kind == FileKind::link; }
};

// Whether a path that ends in a symbolic link means what that leads to, or the link itself.
enum class Links : std::uint8_t { followed, themselves };

struct FolderEntry {
    std::string name;
    FileKind kind = FileKind::other;
};

// A file that has just been made under a name that nobody had.
struct NewFile {
    Fd fd = -1;
    std::string path;
};

// One change as the system tells it.
struct RawChange {
    enum class Kind : std::uint8_t {
        created,
        modified,
        attributes,
        removed,
        moved_from,
        moved_to,
        lost,       // changes came faster than they were read
        ended,      // what is watched is gone
        forgotten,  // nothing more is told about it, and its number may be given to another
    };
    Kind kind = Kind::modified;
    bool is_folder = false;
    std::uint32_t move_id = 0;   // the same in both halves of a move; 0: none
    std::string name = {};       // in the folder; empty for what is watched itself
    std::int32_t watch_id = -1;  // which of the watches of the descriptor tells it; -1: none
};

// A descriptor that tells of changes, and the number of its first watch.
struct FileWatch {
    Fd fd = -1;
    std::int32_t id = -1;
};

class FileTree {
public:
    virtual ~FileTree() = default;

    // ---- Open files ----

    // For code without a loop; with one, use ReadOp, WriteOp and CloseOp. They return the number of
    // bytes, which may be less than asked for; read_at returns 0 at the end of the file.
    [[nodiscard]] virtual Result<std::size_t> read_at(Fd fd, Bytes into, std::uint64_t offset) = 0;
    [[nodiscard]] virtual Result<std::size_t> write_at(Fd fd, ConstBytes from,
                                                       std::uint64_t offset) = 0;
    // Only for a descriptor that no op was given: a platform keeps a record of those.
    virtual void close(Fd fd) noexcept = 0;
    [[nodiscard]] virtual Result<FileStat> stat_open(Fd fd) = 0;
    [[nodiscard]] virtual Result<void> resize(Fd fd, std::uint64_t size_bytes) = 0;
    [[nodiscard]] virtual Result<void> set_mode(Fd fd, std::uint32_t mode) = 0;
    // Whether to read this part would wait for no disk, as far as the system tells at once. Does
    // not block.
    [[nodiscard]] virtual bool is_in_memory(Fd fd, std::uint64_t offset, std::size_t size) = 0;
    // Brings it there, for whoever reads it next on a thread that must not wait.
    virtual void load(Fd fd, std::uint64_t offset, std::size_t size) = 0;

    // ---- Names ----

    [[nodiscard]] virtual Result<FileStat> stat(const std::string& path, Links links) = 0;
    // The absolute path of an existing file or folder, with links, `.` and `..` resolved.
    [[nodiscard]] virtual Result<std::string> real_path(const std::string& path) = 0;
    // A descriptor, which its caller closes: on the loop's thread, or by `close`.
    [[nodiscard]] virtual Result<Fd> open_to_read(const std::string& path) = 0;
    // What is there under the new name is replaced, at once.
    [[nodiscard]] virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
    [[nodiscard]] virtual Result<void> link(const std::string& existing,
                                            const std::string& name) = 0;
    [[nodiscard]] virtual Result<void> symbolic_link(const std::string& target,
                                                     const std::string& name) = 0;
    [[nodiscard]] virtual Result<std::string> read_link(const std::string& path) = 0;
    // A file, a link or an empty folder.
    [[nodiscard]] virtual Result<void> remove(const std::string& path) = 0;

    // ---- Folders ----

    [[nodiscard]] virtual Result<void> make_folder(const std::string& path, std::uint32_t mode) = 0;
    // In order of their names, without `.` and `..`. The error `value_too_large` over the limit.
    [[nodiscard]] virtual Result<std::vector<FolderEntry>> list(const std::string& path,
                                                                std::size_t count_max) = 0;
    // Removes what is there and all below it, so many names at most; true when nothing is left. A
    // link is removed, never followed. The error `value_too_large` where folders are deeper.
    static constexpr int removed_depth_max = 512;
    [[nodiscard]] virtual Result<bool> remove_some(const std::string& path,
                                                   std::size_t count_max) = 0;
    // When it is done, the names in the folder are on the disk.
    [[nodiscard]] virtual Result<void> sync_folder(const std::string& path) = 0;

    // ---- Temporary files ----

    // Where the system wants them.
    [[nodiscard]] virtual std::string temporary_folder() = 0;
    // In this folder, under a name that begins like that. For reading and writing.
    [[nodiscard]] virtual Result<NewFile> make_file(const std::string& folder,
                                                    const std::string& prefix,
                                                    std::uint32_t mode) = 0;
    [[nodiscard]] virtual Result<std::string> make_unique_folder(const std::string& folder,
                                                                 const std::string& prefix) = 0;

    // ---- Changes ----

    // A descriptor that tells of changes to a file, or to what is in a folder, from now on: what
    // a ReceiveOp brings, decode_changes understands. The buffer must be `changes_size_min_bytes`.
    [[nodiscard]] virtual Result<FileWatch> watch(const std::string& path) = 0;
    // A folder more, on the same descriptor: its number, the same where it is watched already. A
    // link is not followed: the error `not_a_directory`.
    [[nodiscard]] virtual Result<std::int32_t> watch_also(Fd watched,
                                                          const std::string& folder) = 0;
    // A watch less, which is told as `forgotten`. Does not block.
    virtual void watch_no_more(Fd watched, std::int32_t watch_id) = 0;
    virtual void decode_changes(ConstBytes data, std::vector<RawChange>& into) = 0;

    static constexpr std::size_t changes_size_min_bytes = 4096;
};

// At most the first `size_max_bytes` of a file.
[[nodiscard]] Result<std::string> read_beginning(FileTree& tree, const std::string& path,
                                                 std::size_t size_max_bytes);

}  // namespace gyre
