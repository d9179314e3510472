// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/file_tree.hpp"

#include <algorithm>
#include <map>

#include "gyre/sim/files.hpp"

namespace gyre::sim {
namespace {

std::unexpected<Error> refuse(std::errc code) noexcept {
    return std::unexpected(Error(code));
}

// What all paths below the folder begin with.
std::string prefix_of(std::string_view folder) {
    std::string prefix(folder);
    if (prefix == ".") return "";
    if (prefix.empty() || prefix.back() != '/') prefix += '/';
    return prefix;
}

bool is_root(std::string_view path) noexcept {
    return path == "/" || path == ".";
}

std::string parent_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

template <class Paths>
bool has_below(const Paths& paths, const std::string& prefix) {
    const auto found = paths.lower_bound(prefix);
    if constexpr (requires { found->first; }) {
        return found != paths.end() && found->first.starts_with(prefix);
    } else {
        return found != paths.end() && found->starts_with(prefix);
    }
}

FileStat stat_of(const FileData& data) noexcept {
    return {.kind = FileKind::file,
            .size_bytes = data.size_bytes(),
            .mode = 0644,
            .link_count = 1,
            .device = 1,
            .number = data.number()};
}

}  // namespace

bool SimFileTree::is_file(std::string_view path) const {
    return files_.by_path_.find(path) != files_.by_path_.end();
}

bool SimFileTree::is_folder(std::string_view path) const {
    return is_root(path) || files_.folders_.contains(path) || !is_empty(path);
}

bool SimFileTree::is_empty(std::string_view path) const {
    const std::string prefix = prefix_of(path);
    return !has_below(files_.by_path_, prefix) && !has_below(files_.folders_, prefix);
}

Result<FileData*> SimFileTree::open_file(Fd fd) const {
    Descriptor* descriptor = files_.medium_.descriptors.find(fd);
    if (descriptor == nullptr) return refuse(std::errc::bad_file_descriptor);
    FileData* data = descriptor->as_file();
    if (data == nullptr) return refuse(std::errc::invalid_argument);
    return data;
}

// ---- Open files ----

Result<FileStat> SimFileTree::stat_open(Fd fd) {
    const Result<FileData*> data = open_file(fd);
    if (!data) return std::unexpected(data.error());
    return stat_of(**data);
}

Result<void> SimFileTree::resize(Fd fd, std::uint64_t size_bytes) {
    const Result<FileData*> data = open_file(fd);
    if (!data) return std::unexpected(data.error());
    (*data)->resize(size_bytes);
    return {};
}

Result<void> SimFileTree::set_mode(Fd fd, std::uint32_t /*mode*/) {
    const Result<FileData*> data = open_file(fd);
    if (!data) return std::unexpected(data.error());
    return {};
}

// As often as transfers are short here, it lies on the disk.
bool SimFileTree::is_in_memory(Fd /*fd*/, std::uint64_t /*offset*/, std::size_t /*size*/) {
    const std::uint64_t odds = files_.medium_.options.short_transfer_one_in;
    return odds == 0 || !files_.medium_.random.one_in(odds);
}

void SimFileTree::load(Fd /*fd*/, std::uint64_t /*offset*/, std::size_t /*size*/) {}

// ---- Names ----

Result<Fd> SimFileTree::open_to_read(const std::string& path) {
    const std::int32_t fd = files_.open(path, {});
    if (fd < 0) return std::unexpected(Error::of_result(fd));
    return fd;
}

Result<FileStat> SimFileTree::stat(const std::string& path, Links /*links*/) {
    const auto found = files_.by_path_.find(path);
    if (found != files_.by_path_.end()) return stat_of(*found->second);
    if (!is_folder(path)) return refuse(std::errc::no_such_file_or_directory);
    return FileStat{.kind = FileKind::folder, .mode = 0755, .link_count = 2, .device = 1};
}

Result<void> SimFileTree::rename(const std::string& from, const std::string& to) {
    const auto found = files_.by_path_.find(from);
    if (found != files_.by_path_.end()) {
        if (is_folder(to)) return refuse(std::errc::is_a_directory);
        auto data = found->second;
        files_.by_path_.erase(found);
        files_.by_path_.insert_or_assign(to, std::move(data));
        return {};
    }
    if (is_root(from) || !is_folder(from)) return refuse(std::errc::no_such_file_or_directory);
    if (is_file(to)) return refuse(std::errc::not_a_directory);
    if (is_folder(to) && !is_empty(to)) return refuse(std::errc::directory_not_empty);
    if (to.starts_with(prefix_of(from))) return refuse(std::errc::invalid_argument);
    move_folder(from, to);
    return {};
}

void SimFileTree::move_folder(const std::string& from, const std::string& to) {
    const std::string prefix = prefix_of(from);
    files_.folders_.erase(from);
    files_.folders_.insert(to);
    const auto moved = [&](const std::string& path) {
        return prefix_of(to) + path.substr(prefix.size());
    };
    for (auto each = files_.folders_.lower_bound(prefix);
         each != files_.folders_.end() && each->starts_with(prefix);) {
        files_.folders_.insert(moved(*each));
        each = files_.folders_.erase(each);
    }
    for (auto each = files_.by_path_.lower_bound(prefix);
         each != files_.by_path_.end() && each->first.starts_with(prefix);) {
        files_.by_path_.insert_or_assign(moved(each->first), each->second);
        each = files_.by_path_.erase(each);
    }
}

Result<void> SimFileTree::link(const std::string& existing, const std::string& name) {
    const auto found = files_.by_path_.find(existing);
    if (found == files_.by_path_.end()) {
        return refuse(is_folder(existing) ? std::errc::operation_not_permitted
                                          : std::errc::no_such_file_or_directory);
    }
    if (is_file(name) || is_folder(name)) return refuse(std::errc::file_exists);
    files_.by_path_.emplace(name, found->second);
    return {};
}

Result<void> SimFileTree::symbolic_link(const std::string& /*target*/,
                                        const std::string& /*name*/) {
    return refuse(std::errc::operation_not_supported);
}

Result<std::string> SimFileTree::read_link(const std::string& path) {
    if (!is_file(path) && !is_folder(path)) return refuse(std::errc::no_such_file_or_directory);
    return refuse(std::errc::invalid_argument);  // No path names a link here.
}

Result<void> SimFileTree::remove(const std::string& path) {
    if (files_.remove(path)) return {};
    if (is_root(path)) return refuse(std::errc::device_or_resource_busy);
    if (!is_folder(path)) return refuse(std::errc::no_such_file_or_directory);
    if (!is_empty(path)) return refuse(std::errc::directory_not_empty);
    files_.folders_.erase(path);
    return {};
}

// ---- Folders ----

Result<void> SimFileTree::make_folder(const std::string& path, std::uint32_t /*mode*/) {
    if (path.empty()) return refuse(std::errc::no_such_file_or_directory);
    if (is_file(path) || is_folder(path)) return refuse(std::errc::file_exists);
    if (is_file(parent_of(path))) return refuse(std::errc::not_a_directory);
    if (!is_folder(parent_of(path))) return refuse(std::errc::no_such_file_or_directory);
    files_.folders_.insert(path);
    return {};
}

Result<std::vector<FolderEntry>> SimFileTree::list(const std::string& path, std::size_t count_max) {
    if (is_file(path)) return refuse(std::errc::not_a_directory);
    if (!is_folder(path)) return refuse(std::errc::no_such_file_or_directory);
    const std::string prefix = prefix_of(path);
    std::map<std::string, FileKind> found;
    const auto add = [&](const std::string& below, FileKind kind) {
        if (!below.starts_with(prefix)) return false;
        const std::size_t slash = below.find('/', prefix.size());
        const bool is_deeper = slash != std::string::npos;
        const std::string name = below.substr(prefix.size(), slash - prefix.size());
        if (!name.empty()) found[name] = is_deeper ? FileKind::folder : kind;
        return true;
    };
    for (auto each = files_.by_path_.lower_bound(prefix);
         each != files_.by_path_.end() && add(each->first, FileKind::file); ++each) {
    }
    for (auto each = files_.folders_.lower_bound(prefix);
         each != files_.folders_.end() && add(*each, FileKind::folder); ++each) {
    }
    if (found.size() > count_max) return refuse(std::errc::value_too_large);
    std::vector<FolderEntry> entries;
    for (const auto& [name, kind] : found) entries.push_back({name, kind});
    return entries;
}

Result<bool> SimFileTree::remove_some(const std::string& path, std::size_t count_max) {
    if (!is_file(path) && !is_folder(path)) return refuse(std::errc::no_such_file_or_directory);
    const std::string prefix = prefix_of(path);
    for (; count_max > 0; --count_max) {
        const auto file = files_.by_path_.lower_bound(prefix);
        const auto folder = files_.folders_.lower_bound(prefix);
        if (file != files_.by_path_.end() && file->first.starts_with(prefix)) {
            files_.by_path_.erase(file);
        } else if (folder != files_.folders_.end() && folder->starts_with(prefix)) {
            files_.folders_.erase(folder);
        } else {
            files_.by_path_.erase(path);
            files_.folders_.erase(path);
            return true;
        }
    }
    return false;
}

Result<void> SimFileTree::sync_folder(const std::string& path) {
    if (!is_folder(path)) return refuse(std::errc::no_such_file_or_directory);
    return {};
}

// ---- Temporary files ----

std::string SimFileTree::unused_path(const std::string& folder, const std::string& prefix) {
    for (;;) {
        std::string path = prefix_of(folder) + prefix + std::to_string(++last_number_);
        if (!is_file(path) && !is_folder(path)) return path;
    }
}

Result<NewFile> SimFileTree::make_file(const std::string& folder, const std::string& prefix,
                                       std::uint32_t mode) {
    if (!is_folder(folder)) return refuse(std::errc::no_such_file_or_directory);
    NewFile made;
    made.path = unused_path(folder, prefix);
    const std::int32_t fd =
        files_.open(made.path, {.write = true, .create = true, .exclusive = true, .mode = mode});
    if (fd < 0) return std::unexpected(Error::of_result(fd));
    made.fd = fd;
    return made;
}

Result<std::string> SimFileTree::make_unique_folder(const std::string& folder,
                                                    const std::string& prefix) {
    if (!is_folder(folder)) return refuse(std::errc::no_such_file_or_directory);
    std::string path = unused_path(folder, prefix);
    files_.folders_.insert(path);
    return path;
}

Result<FileWatch> SimFileTree::watch(const std::string& path) {
    if (!is_file(path) && !is_folder(path)) return refuse(std::errc::no_such_file_or_directory);
    return refuse(std::errc::operation_not_supported);
}

// Nobody has a descriptor for these.
Result<std::int32_t> SimFileTree::watch_also(Fd /*watched*/, const std::string& /*folder*/) {
    return refuse(std::errc::bad_file_descriptor);
}
void SimFileTree::watch_no_more(Fd /*watched*/, std::int32_t /*watch_id*/) {}

}  // namespace gyre::sim
