// SPDX-License-Identifier: Apache-2.0
// Node: one file, folder or symbolic link of a simulated disk, whatever names it has; Name: one of
// those names. A node lives as long as something has it: a name in a folder, or an open file. Those
// who watch it hear what becomes of it, and when it goes. One thread; part of a Host.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/file_tree.hpp"
#include "gyre/sim/file_data.hpp"

namespace gyre::sim {

class ChangeQueue;
struct Node;

// An open file keeps the name by which it was opened: it goes with a rename, and is the last one
// known where it was removed.
struct Name {
    std::weak_ptr<Node> folder;
    std::string text;
    std::shared_ptr<Node> node;

    // To those who watch the folder, and those who watch the thing itself.
    void tell(RawChange::Kind kind) const;
};

// One node that one queue of changes is told about.
struct Watch {
    ChangeQueue& queue;
    std::int32_t id;
    Node& node;
};

struct Node {
    Node(FileKind of, std::uint64_t unique_number, std::uint32_t permissions,
         DiskSpace& space) noexcept
        : kind(of), number(unique_number), mode(permissions), data(space) {}
    ~Node();
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    [[nodiscard]] bool is_folder() const noexcept { return kind == FileKind::folder; }
    [[nodiscard]] bool is_link() const noexcept { return kind == FileKind::link; }
    [[nodiscard]] FileStat stat() const noexcept;

    // About the node itself, or about a name in the folder that it is.
    void tell(RawChange::Kind what) const { tell({.kind = what, .is_folder = is_folder()}); }
    void tell(RawChange change) const;

    const FileKind kind;
    const std::uint64_t number;
    std::uint32_t mode;
    std::uint64_t name_count = 0;
    Instant modified_at;
    FileData data;                                         // of a file
    std::string target;                                    // of a link
    std::map<std::string, std::shared_ptr<Name>> entries;  // of a folder
    std::weak_ptr<Name> own_name;                          // of a folder that is not the root
    std::vector<Watch*> watches;
};

}  // namespace gyre::sim
