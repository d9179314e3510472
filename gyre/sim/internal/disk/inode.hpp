// SPDX-License-Identifier: Apache-2.0
// Inode: a file, directory or symbolic link of a simulated disk. DirectoryEntry: one name of an
// inode. An inode lives as long as an entry or an open file refers to it. Its changes and its
// removal are reported to its watches. One thread; part of a SimHost.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gyre/io/file_tree.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/sim/internal/disk/file_data.hpp"

namespace gyre::sim {

class ChangeQueue;
struct Inode;

// An open file keeps the entry by which it was opened, also after a rename or a removal.
struct DirectoryEntry {
    std::weak_ptr<Inode> folder;
    std::string text;
    std::shared_ptr<Inode> node;

    // Reports a change to the watches of the directory and of the inode.
    void tell(RawChange::Kind kind) const;
};

// A watch: changes of an inode are reported to a queue.
struct Watch {
    ChangeQueue& queue;
    std::int32_t id;
    Inode& node;
};

struct Inode {
    Inode(FileKind of, std::uint64_t unique_number, std::uint32_t permissions,
          DiskSpace& space) noexcept
        : kind(of), number(unique_number), mode(permissions), data(space) {}
    ~Inode();
    Inode(const Inode&) = delete;
    Inode& operator=(const Inode&) = delete;

    [[nodiscard]] bool is_folder() const noexcept { return kind == FileKind::folder; }
    [[nodiscard]] bool is_link() const noexcept { return kind == FileKind::link; }
    [[nodiscard]] FileStat stat() const noexcept;

    // Reports a change of the inode, or of an entry in it.
    void tell(RawChange::Kind what) const { tell({.kind = what, .is_folder = is_folder()}); }
    void tell(RawChange change) const;

    const FileKind kind;
    const std::uint64_t number;
    std::uint32_t mode;
    std::uint64_t name_count = 0;
    Instant modified_at;
    std::optional<std::int64_t> accessed_ns;  // as it was set
    std::uint32_t owner = 0;
    std::uint32_t group = 0;
    FileData data;                                                   // of a file
    std::string target;                                              // of a link
    std::map<std::string, std::shared_ptr<DirectoryEntry>> entries;  // of a directory
    // Of a directory on a disk that can crash: what a crash leaves, and the changes since then, in
    // order. A null inode is a removal; a rename within the directory is one change.
    struct NameChange {
        std::string text;
        std::shared_ptr<Inode> node;
        std::string renamed_from;
    };
    std::map<std::string, std::shared_ptr<Inode>> safe_entries;
    std::vector<NameChange> unsynced;
    std::weak_ptr<DirectoryEntry> own_name;  // of a directory that is not the root
    std::vector<Watch*> watches;
    std::weak_ptr<void> shared;  // kept by the descriptors that asked for it
};

}  // namespace gyre::sim
