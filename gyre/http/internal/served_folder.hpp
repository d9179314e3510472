// SPDX-License-Identifier: Apache-2.0
// ServedFolder: looks up names below a folder. A symbolic link that leaves the folder is not
// found. A view of the folder's real path; its calls block, so make them on a thread of the
// Offload.
#pragma once

#include <string>
#include <string_view>

#include "gyre/io/file_tree.hpp"

namespace gyre::http {

class ServedFolder {
public:
    // The path of a folder without symbolic links; an error if it cannot be accessed, or is not a
    // folder.
    [[nodiscard]] static Result<std::string> real_path_of(FileTree& tree,
                                                          const std::string& folder);

    explicit ServedFolder(std::string_view real_path) noexcept : folder_(real_path) {}

    struct Place {
        std::string name;  // below the folder, without symbolic links; empty: the folder itself
        FileStat stat;
    };
    // `name` has neither `..` nor empty parts; a slash at its end is ignored.
    [[nodiscard]] Result<Place> find(FileTree& tree, std::string_view name) const;
    [[nodiscard]] std::string path_of(std::string_view name) const;

private:
    [[nodiscard]] Result<Place> follow(FileTree& tree, std::string_view name) const;

    std::string_view folder_;
};

}  // namespace gyre::http
