// SPDX-License-Identifier: Apache-2.0
// ServedFolder: looks up names below a folder. A symbolic link that leaves the folder is not
// found. Immutable; its calls block, so make them on a thread of the Offload, with the
// FileTree that it was opened with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gyre/io/file_tree.hpp"

namespace gyre::http {

class ServedFolder {
public:
    // An error if it cannot be accessed, or is not a folder.
    [[nodiscard]] static Result<ServedFolder> open(FileTree& tree, const std::string& folder);

    // Without links in its name.
    struct Place {
        std::string name;  // below the folder; empty: itself
        FileStat stat;
    };
    // `name` has neither `..` nor empty parts; a slash at its end means nothing.
    [[nodiscard]] std::optional<Place> find(FileTree& tree, std::string_view name) const;
    [[nodiscard]] std::string path_of(std::string_view name) const;

private:
    explicit ServedFolder(std::string real_path) noexcept : folder_(std::move(real_path)) {}
    [[nodiscard]] std::optional<Place> follow(FileTree& tree, std::string_view name) const;

    std::string folder_;  // as it is without links
};

}  // namespace gyre::http
