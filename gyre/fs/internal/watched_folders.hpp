// SPDX-License-Identifier: Apache-2.0
// WatchedFolders: maps the watch numbers of an inotify descriptor to directories. A watch follows
// its directory when that is renamed. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/fs/tree.hpp"

namespace gyre::fs {

class WatchedFolders {
public:
    WatchedFolders(std::int32_t root_id, std::string root)
        : root_(std::move(root)), root_id_(root_id), paths_{{root_id, root_}} {}

    [[nodiscard]] const std::string& root() const noexcept { return root_; }
    [[nodiscard]] bool is_root(std::int32_t id) const noexcept { return id == root_id_; }
    [[nodiscard]] std::size_t count() const noexcept { return paths_.size(); }
    // Null if the number is not watched any more.
    [[nodiscard]] const std::string* find(std::int32_t id) const noexcept {
        const auto found = paths_.find(id);
        return found == paths_.end() ? nullptr : &found->second;
    }

    // False if the directory was known under this path already.
    bool add(std::int32_t id, const std::string& path) {
        const auto [place, is_new] = paths_.try_emplace(id, path);
        if (is_new) return true;
        const bool has_moved = place->second != path;
        place->second = path;
        return has_moved;
    }
    void remove(std::int32_t id) noexcept { paths_.erase(id); }
    // The directory and everything below it.
    void rename(const std::string& from, const std::string& to) {
        for (auto& [id, path] : paths_) {
            if (is_at_or_below(path, from)) path = to + path.substr(from.size());
        }
    }
    // Removes the directory and everything below it.
    [[nodiscard]] std::vector<std::int32_t> take(const std::string& folder) {
        std::vector<std::int32_t> taken;
        std::erase_if(paths_, [&](const auto& each) {
            const bool is_in = is_at_or_below(each.second, folder);
            if (is_in) taken.push_back(each.first);
            return is_in;
        });
        return taken;
    }

private:
    static bool is_at_or_below(std::string_view path, std::string_view folder) noexcept {
        return path.starts_with(folder) &&
               (path.size() == folder.size() || path[folder.size()] == '/');
    }

    std::string root_;
    std::int32_t root_id_;
    std::map<std::int32_t, std::string> paths_;
};

}  // namespace gyre::fs
