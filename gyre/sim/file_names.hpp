// SPDX-License-Identifier: Apache-2.0
// FileNames: which names lead to which nodes of a simulated disk, with the errors of Linux. Whoever
// watches is told of each change here. A relative path begins at the root. One thread; part of a
// Host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "gyre/sim/file_node.hpp"
#include "gyre/sim/medium.hpp"

namespace gyre::sim {

// Where a path leads.
struct Place {
    std::shared_ptr<Node> folder;
    std::string text;            // the name in it; none where the folder itself is meant
    std::shared_ptr<Name> name;  // null where nothing has that name
    bool is_for_folder = false;  // a slash stands behind it

    [[nodiscard]] std::shared_ptr<Node> node() const noexcept {
        if (text.empty()) return folder;
        return name == nullptr ? nullptr : name->node;
    }
};

enum class Missing : std::uint8_t { refused, made };

class FileNames {
public:
    static constexpr std::size_t path_bytes_max = 4095;

    explicit FileNames(Medium& medium);

    // Of the folders on the way, those that are missing are made where that is asked for.
    [[nodiscard]] Result<Place> find(std::string_view path, Links links,
                                     Missing folders = Missing::refused);
    // The same, and the error where nothing is there.
    [[nodiscard]] Result<Place> find_present(std::string_view path, Links links);

    // A place for a new name: the error where somebody has it.
    [[nodiscard]] Result<Place> find_free(std::string_view path, FileKind wanted);

    // A new node under a name that nobody has.
    std::shared_ptr<Name> make(const Place& at, FileKind kind, std::uint32_t mode);
    // One more name for the node.
    std::shared_ptr<Name> enter(const Place& at, std::shared_ptr<Node> node);
    // A name less; the caller has seen that a folder is empty.
    void remove(std::shared_ptr<Name> name);
    // Takes the place of what is there.
    void move(const std::shared_ptr<Name>& name, const Place& to);

    // The content or the size has changed.
    void note_written(const Name& name);
    [[nodiscard]] DiskSpace& space() noexcept { return space_; }

private:
    [[nodiscard]] std::shared_ptr<Node> make_node(FileKind kind, std::uint32_t mode);

    Medium& medium_;
    DiskSpace space_;
    std::uint64_t last_number_ = 0;   // of the nodes made so far
    std::uint32_t last_move_id_ = 0;  // the same for the two halves of one
    std::shared_ptr<Node> root_;
};

}  // namespace gyre::sim
