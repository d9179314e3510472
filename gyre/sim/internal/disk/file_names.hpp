// SPDX-License-Identifier: Apache-2.0
// FileNames: the directory tree of a simulated disk: resolves paths to inodes, adds, moves and
// removes entries, and reports each change to the watches. Errors are those of Linux. A relative
// path starts at the root. One thread; part of a SimHost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "gyre/sim/internal/disk/inode.hpp"
#include "gyre/sim/internal/sim_context.hpp"

namespace gyre::sim {

// The result of a path lookup.
struct ResolvedPath {
    std::shared_ptr<Inode> folder;
    std::string text;                      // the last component; empty: the directory itself
    std::shared_ptr<DirectoryEntry> name;  // null when the entry does not exist
    bool is_for_folder = false;            // the path ends with a slash

    [[nodiscard]] std::shared_ptr<Inode> node() const noexcept {
        if (text.empty()) return folder;
        return name == nullptr ? nullptr : name->node;
    }
};

enum class Missing : std::uint8_t { refused, made };

class FileNames {
public:
    static constexpr std::size_t path_bytes_max = 4095;

    explicit FileNames(SimContext& context);

    // Creates missing directories on the path if `folders` says so.
    [[nodiscard]] Result<ResolvedPath> find(std::string_view path, Links links,
                                            Missing folders = Missing::refused);
    // Like `find`; an error if the entry does not exist.
    [[nodiscard]] Result<ResolvedPath> find_present(std::string_view path, Links links);

    // For a new entry: an error if it exists.
    [[nodiscard]] Result<ResolvedPath> find_free(std::string_view path, FileKind wanted);

    // Creates an inode with its first entry.
    std::shared_ptr<DirectoryEntry> make(const ResolvedPath& at, FileKind kind, std::uint32_t mode);
    // Adds an entry for an existing inode (a hard link).
    std::shared_ptr<DirectoryEntry> enter(const ResolvedPath& at, std::shared_ptr<Inode> node);
    // The caller has checked that a directory is empty.
    void remove(std::shared_ptr<DirectoryEntry> name);
    // Replaces the entry at `to`, if there is one.
    void move(const std::shared_ptr<DirectoryEntry>& name, const ResolvedPath& to);

    // The content or the size has changed.
    void note_written(const DirectoryEntry& name);
    // ---- On a disk that can crash ----

    // The names in this directory become safe.
    void sync_folder(Inode& folder);
    // Everything becomes safe.
    void sync_all() { sync_tree(*root_); }
    // What was not synced may be lost. No file is open.
    void crash();

    [[nodiscard]] SimContext& context() noexcept { return context_; }
    [[nodiscard]] DiskSpace& space() noexcept { return space_; }

private:
    [[nodiscard]] std::shared_ptr<Inode> make_node(FileKind kind, std::uint32_t mode);
    void note_change(Inode& folder, const std::string& text, std::shared_ptr<Inode> node,
                     std::string renamed_from = {});
    void sync_tree(Inode& folder);
    void restore_tree(const std::shared_ptr<Inode>& folder);

    SimContext& context_;
    DiskSpace space_;
    std::uint64_t last_number_ = 0;   // of the inodes
    std::uint32_t last_move_id_ = 0;  // pairs moved_from with moved_to
    std::shared_ptr<Inode> root_;
    std::set<const Inode*> restored_;  // by the crash that is going on; only for lookup
};

}  // namespace gyre::sim
