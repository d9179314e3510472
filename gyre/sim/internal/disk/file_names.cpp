// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/disk/file_names.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "gyre/sim/internal/limits.hpp"

namespace gyre::sim {
namespace {

using Kind = RawChange::Kind;

constexpr std::size_t name_bytes_max = 255;
constexpr int links_on_the_way_max = 40;
constexpr std::uint32_t folder_mode = 0755;
constexpr std::uint32_t temporary_mode = 01777;

// The components of a path in reverse order: find pops them from the back.
std::vector<std::string> names_of(std::string_view path) {
    std::vector<std::string> names;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        if (end > 0 && path.substr(0, end) != ".") names.emplace_back(path.substr(0, end));
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    std::reverse(names.begin(), names.end());
    return names;
}

Result<void> check(std::string_view path) {
    if (path.find('\0') != std::string_view::npos) return error(std::errc::invalid_argument);
    if (path.empty()) return error(std::errc::no_such_file_or_directory);
    if (path.size() > FileNames::path_bytes_max) return error(std::errc::filename_too_long);
    return {};
}

}  // namespace

FileNames::FileNames(SimContext& context)
    : context_(context),
      space_{.free_bytes = context.options.files_size_max_bytes,
             .can_crash = context.memory != nullptr},
      root_(make_node(FileKind::folder, folder_mode)) {
    make({root_, "tmp", nullptr}, FileKind::folder, temporary_mode);
    sync_all();
}

std::shared_ptr<Inode> FileNames::make_node(FileKind kind, std::uint32_t mode) {
    auto node = std::make_shared<Inode>(kind, ++last_number_, mode, space_);
    node->modified_at = context_.now();
    return node;
}

// Resolves one component at a time; a symbolic link puts the components of its target before the
// rest.
Result<ResolvedPath> FileNames::find(std::string_view path, Links links, Missing folders) {
    if (const Result<void> is_path = check(path); !is_path) {
        return std::unexpected(is_path.error());
    }
    const bool is_for_folder = path.ends_with('/') || path.ends_with("/.");
    std::shared_ptr<Inode> folder = root_;
    std::vector<std::string> ahead = names_of(path);
    int link_count = 0;
    while (!ahead.empty()) {
        std::string text = std::move(ahead.back());
        ahead.pop_back();
        if (text.size() > name_bytes_max) return error(std::errc::filename_too_long);
        if (text == "..") {
            const std::shared_ptr<DirectoryEntry> above = folder->own_name.lock();
            if (above != nullptr) folder = above->folder.lock();
            continue;
        }
        const auto found = folder->entries.find(text);
        std::shared_ptr<DirectoryEntry> name =
            found == folder->entries.end() ? nullptr : found->second;
        const bool is_last = ahead.empty();
        const bool is_followed = !is_last || is_for_folder || links == Links::followed;
        if (name != nullptr && name->node->is_link() && is_followed) {
            if (++link_count > links_on_the_way_max) {
                return error(std::errc::too_many_symbolic_link_levels);
            }
            const std::string& target = name->node->target;
            if (target.starts_with('/')) folder = root_;
            const std::vector<std::string> names = names_of(target);
            ahead.insert(ahead.end(), names.begin(), names.end());
            continue;
        }
        if (is_last) {
            return ResolvedPath{std::move(folder), std::move(text), std::move(name), is_for_folder};
        }
        if (name == nullptr) {
            if (folders == Missing::refused) return error(std::errc::no_such_file_or_directory);
            name = make({folder, text, nullptr}, FileKind::folder, folder_mode);
        }
        if (!name->node->is_folder()) return error(std::errc::not_a_directory);
        folder = name->node;
    }
    return ResolvedPath{std::move(folder), {}, nullptr, is_for_folder};
}

Result<ResolvedPath> FileNames::find_present(std::string_view path, Links links) {
    Result<ResolvedPath> place = find(path, links);
    if (!place) return place;
    const std::shared_ptr<Inode> node = place->node();
    if (node == nullptr) return error(std::errc::no_such_file_or_directory);
    if (place->is_for_folder && !node->is_folder()) return error(std::errc::not_a_directory);
    return place;
}

Result<ResolvedPath> FileNames::find_free(std::string_view path, FileKind wanted) {
    Result<ResolvedPath> place = find(path, Links::themselves);
    if (!place) return place;
    if (place->node() != nullptr) return error(std::errc::file_exists);
    const bool is_for_other = place->is_for_folder && wanted != FileKind::folder;
    if (is_for_other) return error(std::errc::no_such_file_or_directory);
    return place;
}

std::shared_ptr<DirectoryEntry> FileNames::make(const ResolvedPath& at, FileKind kind,
                                                std::uint32_t mode) {
    return enter(at, make_node(kind, mode));
}

std::shared_ptr<DirectoryEntry> FileNames::enter(const ResolvedPath& at,
                                                 std::shared_ptr<Inode> node) {
    auto name = std::make_shared<DirectoryEntry>(at.folder, at.text, std::move(node));
    if (name->node->is_folder()) name->node->own_name = name;
    // The link count of an existing inode changes.
    if (name->node->name_count++ > 0) name->node->tell(Kind::attributes);
    at.folder->entries[at.text] = name;
    note_change(*at.folder, at.text, name->node);
    at.folder->modified_at = context_.now();
    at.folder->tell({.kind = Kind::created, .is_folder = name->node->is_folder(), .name = at.text});
    return name;
}

void FileNames::remove(std::shared_ptr<DirectoryEntry> name) {
    const std::shared_ptr<Inode> folder = name->folder.lock();
    const RawChange change{
        .kind = Kind::removed, .is_folder = name->node->is_folder(), .name = name->text};
    --name->node->name_count;
    if (!change.is_folder) name->node->tell(Kind::attributes);
    folder->entries.erase(change.name);
    note_change(*folder, change.name, nullptr);
    folder->modified_at = context_.now();
    name.reset();  // If the inode is freed with it, `ended` is reported before `removed`.
    folder->tell(change);
}

void FileNames::move(const std::shared_ptr<DirectoryEntry>& name, const ResolvedPath& to) {
    const std::shared_ptr<Inode> from = name->folder.lock();
    const bool is_folder = name->node->is_folder();
    const std::uint32_t move_id = ++last_move_id_;
    from->entries.erase(name->text);
    const std::shared_ptr<Inode> node = name->node;
    const bool is_within = from == to.folder;
    if (!is_within) note_change(*from, name->text, nullptr);
    note_change(*to.folder, to.text, node, is_within ? name->text : std::string());
    from->modified_at = context_.now();
    from->tell({Kind::moved_from, is_folder, move_id, name->text});
    name->folder = to.folder;
    name->text = to.text;
    const std::shared_ptr<DirectoryEntry> replaced =
        std::exchange(to.folder->entries[to.text], name);
    to.folder->modified_at = context_.now();
    to.folder->tell({Kind::moved_to, is_folder, move_id, name->text});
    if (replaced != nullptr) {
        --replaced->node->name_count;
        replaced->node->tell(Kind::attributes);
    }
    name->node->tell(Kind::ended);
}

void FileNames::note_written(const DirectoryEntry& name) {
    name.node->modified_at = context_.now();
    name.tell(Kind::modified);
}

// ---- On a disk that can crash ----

void FileNames::note_change(Inode& folder, const std::string& text, std::shared_ptr<Inode> node,
                            std::string renamed_from) {
    if (!space_.can_crash) return;
    folder.unsynced.push_back({text, std::move(node), std::move(renamed_from)});
}

namespace {

void apply(Inode& folder, const Inode::NameChange& change) {
    if (!change.renamed_from.empty()) folder.safe_entries.erase(change.renamed_from);
    if (change.node == nullptr) {
        folder.safe_entries.erase(change.text);
    } else {
        folder.safe_entries[change.text] = change.node;
    }
}

}  // namespace

void FileNames::sync_folder(Inode& folder) {
    for (const Inode::NameChange& change : folder.unsynced) apply(folder, change);
    folder.unsynced.clear();
}

void FileNames::sync_tree(Inode& folder) {
    sync_folder(folder);
    for (const auto& [text, name] : folder.entries) {
        if (name->node->is_folder()) sync_tree(*name->node);
        name->node->data.sync();
    }
}

void FileNames::crash() {
    restored_ = {root_.get()};
    restore_tree(root_);
    restored_.clear();
}

// The changes of a directory reach the disk in order: the first few of them are kept. A directory that
// two others have, after a crash within a rename, stays in the first.
void FileNames::restore_tree(const std::shared_ptr<Inode>& folder) {
    enum : std::uint64_t { all_lost, all_kept, drawn, fate_count };
    const std::uint64_t fate = context_.random.below(fate_count);
    const std::size_t count = folder->unsynced.size();
    const std::size_t kept = fate == all_lost   ? 0
                             : fate == all_kept ? count
                                                : context_.random.below(count + 1);
    for (const Inode::NameChange& change : std::span(folder->unsynced).first(kept)) {
        apply(*folder, change);
    }
    folder->unsynced.clear();
    folder->entries.clear();
    const auto safe = folder->safe_entries;
    for (const auto& [text, node] : safe) {
        const bool is_new = restored_.insert(node.get()).second;
        if (!is_new && node->is_folder()) {
            folder->safe_entries.erase(text);
            continue;
        }
        auto name = std::make_shared<DirectoryEntry>(folder, text, node);
        folder->entries[text] = name;
        node->name_count = is_new ? 1 : node->name_count + 1;
        if (!is_new) continue;
        if (!node->is_folder()) {
            node->data.crash(context_.random);
            continue;
        }
        node->own_name = name;
        restore_tree(node);
    }
}

}  // namespace gyre::sim
