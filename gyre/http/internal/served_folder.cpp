// SPDX-License-Identifier: Apache-2.0
// How a name is looked at, part by part.
#include "gyre/http/internal/served_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace gyre::http {
namespace fs = std::filesystem;

ServedFolder::ServedFolder(const std::string& folder) : folder_(fs::canonical(folder).string()) {
    if (!fs::is_directory(folder_)) {
        throw std::system_error(std::make_error_code(std::errc::not_a_directory), folder);
    }
}

std::string ServedFolder::path_of(std::string_view name) const {
    std::string path = folder_ == "/" ? "" : folder_;
    return path.append("/").append(name);
}

// Most names have no link in them: one look at each part is then enough, for the folder's own name
// has none either.
std::optional<ServedFolder::Place> ServedFolder::find(FileTree& tree, std::string_view name) const {
    Place place{.name = {}, .stat = {.kind = FileKind::folder}};
    for (std::string_view rest = name; !rest.empty();) {
        const std::size_t end = std::min(rest.find('/'), rest.size());
        place.name.append(place.name.empty() ? "" : "/").append(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const Result<FileStat> stat = tree.stat(path_of(place.name), Links::themselves);
        if (!stat) return std::nullopt;
        if (stat->is_link()) return follow(tree, name);
        place.stat = *stat;
    }
    return place;
}

std::optional<ServedFolder::Place> ServedFolder::follow(FileTree& tree,
                                                        std::string_view name) const {
    std::error_code error;
    const std::string real = fs::canonical(path_of(name), error).string();
    if (error) return std::nullopt;
    if (real == folder_) return Place{.name = {}, .stat = {.kind = FileKind::folder}};
    const std::string inside = path_of("");
    if (!real.starts_with(inside)) return std::nullopt;
    const Result<FileStat> stat = tree.stat(real, Links::themselves);
    if (!stat) return std::nullopt;
    return Place{.name = real.substr(inside.size()), .stat = *stat};
}

}  // namespace gyre::http
