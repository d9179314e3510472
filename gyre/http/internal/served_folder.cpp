// SPDX-License-Identifier: Apache-2.0
// Looks up a name part by part.
#include "gyre/http/internal/served_folder.hpp"

#include <algorithm>

namespace gyre::http {

Result<std::string> ServedFolder::real_path_of(FileTree& tree, const std::string& folder) {
    Result<std::string> real = tree.real_path(folder);
    if (!real) return std::unexpected(real.error());
    const Result<FileStat> stat = tree.stat(*real, Links::themselves);
    if (!stat) return std::unexpected(stat.error());
    if (!stat->is_folder()) return std::unexpected(Error(std::errc::not_a_directory));
    return real;
}

std::string ServedFolder::path_of(std::string_view name) const {
    std::string path(folder_ == "/" ? std::string_view() : folder_);
    return path.append("/").append(name);
}

// Most names have no symbolic link in them: one stat of each part is then enough, since the path
// of the folder has none either.
Result<ServedFolder::Place> ServedFolder::find(FileTree& tree, std::string_view name) const {
    Place place{.name = {}, .stat = {.kind = FileKind::folder}};
    for (std::string_view rest = name; !rest.empty();) {
        const std::size_t end = std::min(rest.find('/'), rest.size());
        place.name.append(place.name.empty() ? "" : "/").append(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const Result<FileStat> stat = tree.stat(path_of(place.name), Links::themselves);
        if (!stat) return std::unexpected(stat.error());
        if (stat->is_link()) return follow(tree, name);
        place.stat = *stat;
    }
    return place;
}

Result<ServedFolder::Place> ServedFolder::follow(FileTree& tree, std::string_view name) const {
    const Result<std::string> real = tree.real_path(path_of(name));
    if (!real) return std::unexpected(real.error());
    if (*real == folder_) return Place{.name = {}, .stat = {.kind = FileKind::folder}};
    const std::string inside = path_of("");
    if (!real->starts_with(inside)) {
        return std::unexpected(Error(std::errc::no_such_file_or_directory));
    }
    const Result<FileStat> stat = tree.stat(*real, Links::themselves);
    if (!stat) return std::unexpected(stat.error());
    return Place{.name = real->substr(inside.size()), .stat = *stat};
}

}  // namespace gyre::http
