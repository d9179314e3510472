// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/disk/sim_file_tree.hpp"

#include <utility>

#include "gyre/sim/host_memory.hpp"
#include "gyre/sim/internal/disk/change_queue.hpp"
#include "gyre/sim/internal/disk/files.hpp"
#include "gyre/sim/internal/limits.hpp"

namespace gyre::sim {
namespace {

constexpr std::uint32_t link_mode = 0777;
constexpr std::uint32_t owner_only_mode = 0700;

bool is_at_or_below(const Inode& node, const Inode& folder) noexcept {
    if (&node == &folder) return true;
    const std::shared_ptr<DirectoryEntry> own = node.own_name.lock();
    return own != nullptr && is_at_or_below(*own->folder.lock(), folder);
}

Result<std::size_t> count_of(std::int32_t result) {
    if (result < 0) return std::unexpected(Error::of_result(result));
    return static_cast<std::size_t>(result);
}

// The absolute path of an entry.
std::string path_of(const DirectoryEntry& name) {
    const std::shared_ptr<DirectoryEntry> above = name.folder.lock()->own_name.lock();
    return (above == nullptr ? "" : path_of(*above)) + "/" + name.text;
}

// The error of a rename, or no error.
std::errc why_not_moved(const ResolvedPath& from, const ResolvedPath& to) noexcept {
    if (from.name == nullptr || to.text.empty()) return std::errc::device_or_resource_busy;
    const Inode& node = *from.name->node;
    const std::shared_ptr<Inode> there = to.node();
    if (!node.is_folder()) {
        if (there != nullptr && there->is_folder()) return std::errc::is_a_directory;
        return to.is_for_folder ? std::errc::not_a_directory : std::errc{};
    }
    if (is_at_or_below(*to.folder, node)) return std::errc::invalid_argument;
    if (there != nullptr && !there->is_folder()) return std::errc::not_a_directory;
    if (there != nullptr && !there->entries.empty()) return std::errc::directory_not_empty;
    return {};
}

// Removes at most `left` entries, deepest first. True when the whole tree is removed.
Result<bool> remove_all(FileNames& names, std::shared_ptr<DirectoryEntry> name, std::size_t& left,
                        int depth) {
    const Inode& node = *name->node;
    if (node.is_folder() && depth == FileTree::removed_depth_max) {
        return error(std::errc::value_too_large);
    }
    while (!node.entries.empty()) {
        const Result<bool> removed =
            remove_all(names, node.entries.begin()->second, left, depth + 1);
        if (!removed || !*removed) return removed;
    }
    if (left == 0) return false;
    --left;
    names.remove(std::move(name));
    return true;
}

}  // namespace

Result<DirectoryEntry*> SimFileTree::open_file(Fd fd) const {
    Descriptor* descriptor = files_.context().descriptors.find(fd);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    DirectoryEntry* name = descriptor->as_file();
    if (name == nullptr) return error(std::errc::invalid_argument);
    return name;
}

Result<ChangeQueue*> SimFileTree::open_changes(Fd fd) const {
    Descriptor* descriptor = files_.context().descriptors.find(fd);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    ChangeQueue* changes = descriptor->as_changes();
    if (changes == nullptr) return error(std::errc::invalid_argument);
    return changes;
}

// ---- Open files ----

Result<std::size_t> SimFileTree::read_at(Fd fd, Bytes into, std::uint64_t offset) {
    const OutsideHost outside;
    Descriptor* descriptor = files_.context().descriptors.find(fd);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    const std::size_t size = files_.context().draw_transfer(into.size());
    return count_of(descriptor->read(into.first(size), offset));
}

Result<std::size_t> SimFileTree::write_at(Fd fd, ConstBytes from, std::uint64_t offset) {
    const OutsideHost outside;
    Descriptor* descriptor = files_.context().descriptors.find(fd);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    const std::size_t size = files_.context().draw_transfer(from.size());
    return count_of(descriptor->write(from.first(size), offset));
}

void SimFileTree::close(Fd fd) noexcept {
    const OutsideHost outside;
    files_.context().descriptors.close(fd);
}

Result<FileStat> SimFileTree::stat_open(Fd fd) {
    const Result<DirectoryEntry*> name = open_file(fd);
    if (!name) return std::unexpected(name.error());
    return (*name)->node->stat();
}

Result<void> SimFileTree::resize(Fd fd, std::uint64_t size_bytes) {
    const OutsideHost outside;
    Descriptor* descriptor = files_.context().descriptors.find(fd);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    const std::int32_t result = descriptor->resize(size_bytes);
    if (result < 0) return std::unexpected(Error::of_result(result));
    return {};
}

Result<void> SimFileTree::set_mode(Fd fd, std::uint32_t mode) {
    const OutsideHost outside;
    const Result<DirectoryEntry*> name = open_file(fd);
    if (!name) return std::unexpected(name.error());
    (*name)->node->mode = mode & permissions;
    (*name)->tell(RawChange::Kind::attributes);
    return {};
}

// A page is missing from the cache as often as a transfer is short.
bool SimFileTree::is_in_memory(Fd /*fd*/, std::uint64_t /*offset*/, std::size_t /*size*/) {
    const std::uint64_t odds = files_.context().options.short_transfer_one_in;
    return odds == 0 || !files_.context().random.one_in(odds);
}

void SimFileTree::load(Fd /*fd*/, std::uint64_t /*offset*/, std::size_t /*size*/) {}

// ---- Names ----

Result<std::string> SimFileTree::real_path(const std::string& path) {
    const OutsideHost outside;
    const Result<ResolvedPath> found = files_.names().find_present(path, Links::followed);
    if (!found) return std::unexpected(found.error());
    if (found->name != nullptr) return path_of(*found->name);
    // The path ends in `..` or is the root.
    const std::shared_ptr<DirectoryEntry> own = found->folder->own_name.lock();
    return own == nullptr ? "/" : path_of(*own);
}

// With links refused, a path must be the one that real_path gives.
Result<void> SimFileTree::check_links(const std::string& path, Links links) {
    if (links != Links::refused) return {};
    const Result<std::string> real = real_path(path);
    if (!real) return std::unexpected(real.error());
    const std::size_t end = path.find_last_not_of('/');  // A slash at the end is no link.
    if (*real != (end == path.npos ? "/" : path.substr(0, end + 1))) {
        return error(std::errc::too_many_symbolic_link_levels);
    }
    return {};
}

Result<Fd> SimFileTree::open_to_read(const std::string& path, Links links) {
    const OutsideHost outside;
    const Result<void> checked = check_links(path, links);
    if (!checked) return std::unexpected(checked.error());
    const std::int32_t fd = files_.open(path, {});
    if (fd < 0) return std::unexpected(Error::of_result(fd));
    return fd;
}

Result<FileStat> SimFileTree::stat(const std::string& path, Links links) {
    const OutsideHost outside;
    const Result<ResolvedPath> place = files_.names().find_present(path, links);
    if (!place) return std::unexpected(place.error());
    return place->node()->stat();
}

Result<void> SimFileTree::rename(const std::string& from, const std::string& to) {
    const OutsideHost outside;
    const Result<ResolvedPath> old_place = files_.names().find_present(from, Links::themselves);
    if (!old_place) return std::unexpected(old_place.error());
    const Result<ResolvedPath> new_place = files_.names().find(to, Links::themselves);
    if (!new_place) return std::unexpected(new_place.error());
    // As on Linux, renaming one hard link to another of the same inode does nothing.
    if (old_place->node() == new_place->node()) return {};
    const std::errc why = why_not_moved(*old_place, *new_place);
    if (why != std::errc{}) return error(why);
    if (!files_.context().take_change()) return error(std::errc::io_error);
    files_.names().move(old_place->name, *new_place);
    return {};
}

Result<void> SimFileTree::link(const std::string& existing, const std::string& name) {
    const OutsideHost outside;
    const Result<ResolvedPath> old_place = files_.names().find_present(existing, Links::themselves);
    if (!old_place) return std::unexpected(old_place.error());
    const Result<ResolvedPath> place = files_.names().find_free(name, FileKind::file);
    if (!place) return std::unexpected(place.error());
    if (old_place->node()->is_folder()) return error(std::errc::operation_not_permitted);
    if (!files_.context().take_change()) return error(std::errc::io_error);
    files_.names().enter(*place, old_place->node());
    return {};
}

Result<void> SimFileTree::symbolic_link(const std::string& target, const std::string& name) {
    const OutsideHost outside;
    if (target.find('\0') != std::string::npos) return error(std::errc::invalid_argument);
    if (target.empty()) return error(std::errc::no_such_file_or_directory);
    if (target.size() > FileNames::path_bytes_max) return error(std::errc::filename_too_long);
    const Result<ResolvedPath> place = files_.names().find_free(name, FileKind::link);
    if (!place) return std::unexpected(place.error());
    if (!files_.context().take_change()) return error(std::errc::io_error);
    files_.names().make(*place, FileKind::link, link_mode)->node->target = target;
    return {};
}

Result<std::string> SimFileTree::read_link(const std::string& path) {
    const OutsideHost outside;
    const Result<ResolvedPath> place = files_.names().find_present(path, Links::themselves);
    if (!place) return std::unexpected(place.error());
    if (!place->node()->is_link()) return error(std::errc::invalid_argument);
    return place->node()->target;
}

Result<void> SimFileTree::remove(const std::string& path) {
    const OutsideHost outside;
    Result<ResolvedPath> place = files_.names().find_present(path, Links::themselves);
    if (!place) return std::unexpected(place.error());
    if (place->name == nullptr) return error(std::errc::device_or_resource_busy);
    if (!place->node()->entries.empty()) return error(std::errc::directory_not_empty);
    if (!files_.context().take_change()) return error(std::errc::io_error);
    files_.names().remove(std::move(place->name));
    return {};
}

// ---- Directories ----

Result<void> SimFileTree::make_folder(const std::string& path, std::uint32_t mode) {
    const OutsideHost outside;
    const Result<ResolvedPath> place = files_.names().find_free(path, FileKind::folder);
    if (!place) return std::unexpected(place.error());
    if (!files_.context().take_change()) return error(std::errc::io_error);
    files_.names().make(*place, FileKind::folder, mode & permissions);
    return {};
}

Result<std::vector<FolderEntry>> SimFileTree::list(const std::string& path, std::size_t count_max,
                                                   Links links) {
    const OutsideHost outside;
    const Result<void> checked = check_links(path, links);
    if (!checked) return std::unexpected(checked.error());
    const Result<ResolvedPath> place = files_.names().find_present(path, Links::followed);
    if (!place) return std::unexpected(place.error());
    const std::shared_ptr<Inode> folder = place->node();
    if (!folder->is_folder()) return error(std::errc::not_a_directory);
    if (folder->entries.size() > count_max) return error(std::errc::value_too_large);
    std::vector<FolderEntry> entries;
    for (const auto& [text, name] : folder->entries) entries.push_back({text, name->node->kind});
    return entries;
}

Result<bool> SimFileTree::remove_some(const std::string& path, std::size_t count_max) {
    const OutsideHost outside;
    Result<ResolvedPath> place = files_.names().find_present(path, Links::themselves);
    if (!place) return std::unexpected(place.error());
    if (place->name == nullptr) return error(std::errc::device_or_resource_busy);
    if (!files_.context().take_change()) return error(std::errc::io_error);
    return remove_all(files_.names(), std::move(place->name), count_max, 0);
}

Result<void> SimFileTree::sync_folder(const std::string& path) {
    const OutsideHost outside;
    const Result<ResolvedPath> place = files_.names().find_present(path, Links::followed);
    if (!place) return std::unexpected(place.error());
    if (!place->node()->is_folder()) return error(std::errc::not_a_directory);
    if (!files_.context().take_change()) return error(std::errc::io_error);
    if (files_.context().strikes(files_.context().disk.sync_error_one_in)) {
        return error(std::errc::io_error);
    }
    files_.names().sync_folder(*place->node());
    return {};
}

// ---- Temporary files ----

Result<std::string> SimFileTree::unused_path(const std::string& folder, const std::string& prefix) {
    const Result<ResolvedPath> in = files_.names().find_present(folder, Links::followed);
    if (!in) return std::unexpected(in.error());
    for (;;) {
        std::string path = folder + "/" + prefix + std::to_string(++last_number_);
        const Result<ResolvedPath> place = files_.names().find(path, Links::themselves);
        if (!place) return std::unexpected(place.error());
        if (place->node() == nullptr) return path;
    }
}

Result<NewFile> SimFileTree::make_file(const std::string& folder, const std::string& prefix,
                                       std::uint32_t mode) {
    const OutsideHost outside;
    Result<std::string> path = unused_path(folder, prefix);
    if (!path) return std::unexpected(path.error());
    const std::int32_t fd =
        files_.open(*path, {.write = true, .create = true, .exclusive = true, .mode = mode});
    if (fd < 0) return std::unexpected(Error::of_result(fd));
    return NewFile{fd, std::move(*path)};
}

Result<std::string> SimFileTree::make_unique_folder(const std::string& folder,
                                                    const std::string& prefix) {
    const OutsideHost outside;
    Result<std::string> path = unused_path(folder, prefix);
    if (!path) return path;
    if (const Result<void> made = make_folder(*path, owner_only_mode); !made) {
        return std::unexpected(made.error());
    }
    return path;
}

// ---- Change events ----

Result<FileWatch> SimFileTree::watch(const std::string& path) {
    const OutsideHost outside;
    const Result<ResolvedPath> place = files_.names().find_present(path, Links::followed);
    if (!place) return std::unexpected(place.error());
    auto changes = std::make_unique<ChangeQueue>(files_.context());
    const std::int32_t id = changes->watch(*place->node());
    const Result<Fd> fd = files_.context().descriptors.add(std::move(changes));
    if (!fd) return std::unexpected(fd.error());
    return FileWatch{*fd, id};
}

Result<std::int32_t> SimFileTree::watch_also(Fd watched, const std::string& folder) {
    const OutsideHost outside;
    const Result<ChangeQueue*> changes = open_changes(watched);
    if (!changes) return std::unexpected(changes.error());
    const Result<ResolvedPath> place = files_.names().find_present(folder, Links::themselves);
    if (!place) return std::unexpected(place.error());
    if (!place->node()->is_folder()) return error(std::errc::not_a_directory);
    return (*changes)->watch(*place->node());
}

void SimFileTree::watch_no_more(Fd watched, std::int32_t watch_id) {
    const OutsideHost outside;
    const Result<ChangeQueue*> changes = open_changes(watched);
    if (changes) (*changes)->forget(watch_id);
}

void SimFileTree::decode_changes(ConstBytes data, std::vector<RawChange>& into) {
    ChangeQueue::decode(data, into);
}

}  // namespace gyre::sim
