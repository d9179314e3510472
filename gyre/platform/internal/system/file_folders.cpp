// SPDX-License-Identifier: Apache-2.0
// The part of SystemFileTree and SystemFileCalls for directories. A tree is removed by descriptors of its directories,
// not by paths: a name that is replaced by a symbolic link meanwhile is not followed.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "gyre/platform/internal/system/file_kinds.hpp"
#include "gyre/platform/internal/system/open_without_links.hpp"
#include "gyre/platform/internal/system/own_fd.hpp"
#include "gyre/platform/internal/system/path_call.hpp"
#include "gyre/platform/internal/system/system_file_calls.hpp"
#include "gyre/platform/internal/system/system_file_tree.hpp"

namespace gyre::platform {
namespace {

struct CloseFolder {
    void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

// Takes the descriptor.
Result<Folder> folder_of(int fd) {
    Folder folder(::fdopendir(fd));
    if (folder != nullptr) return folder;
    const auto error = last_error();
    ::close(fd);
    return error;
}

Result<Folder> open_folder_at(int parent, const char* name, int extra_flags) {
    const int fd = without_interruption(
        [&] { return ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | extra_flags); });
    if (fd < 0) return last_error();
    return folder_of(fd);
}

Result<Folder> open_listed(const std::string& path, Links links) {
    if (links != Links::refused) return open_folder_at(AT_FDCWD, path.c_str(), 0);
    const Result<Fd> fd = open_without_links(path, O_RDONLY | O_DIRECTORY);
    if (!fd) return std::unexpected(fd.error());
    return folder_of(*fd);
}

// Null without an error: there are no more entries.
Result<const dirent*> next_entry(DIR& folder) {
    for (;;) {
        errno = 0;
        const dirent* entry = ::readdir(&folder);  // one thread reads it: NOLINT
        if (entry == nullptr && errno == EINTR) continue;
        if (entry == nullptr && errno != 0) return last_error();
        if (entry == nullptr) return nullptr;
        const char* name = entry->d_name;
        if (std::strcmp(name, ".") != 0 && std::strcmp(name, "..") != 0) return entry;
    }
}

Result<FileKind> kind_of_entry(int folder, const dirent& entry) {
    switch (entry.d_type) {
        case DT_REG:
            return FileKind::file;
        case DT_DIR:
            return FileKind::folder;
        case DT_LNK:
            return FileKind::link;
        case DT_UNKNOWN:
            break;  // Some file systems leave the type to stat.
        default:
            return FileKind::other;
    }
    struct stat found{};
    const int status = without_interruption(
        [&] { return ::fstatat(folder, entry.d_name, &found, AT_SYMLINK_NOFOLLOW); });
    if (status < 0) return last_error();
    return kind_of(found.st_mode);
}

// One entry with its kind; of no name at the end.
Result<FolderEntry> read_entry(DIR& folder) {
    for (;;) {
        const Result<const dirent*> entry = next_entry(folder);
        if (!entry) return std::unexpected(entry.error());
        if (*entry == nullptr) return FolderEntry();
        const Result<FileKind> kind = kind_of_entry(::dirfd(&folder), **entry);
        // Removed since it was read.
        if (!kind && kind.error() == Error(std::errc::no_such_file_or_directory)) continue;
        if (!kind) return std::unexpected(kind.error());
        return FolderEntry{(*entry)->d_name, *kind};
    }
}

class SystemFolderReader final : public FolderReader {
public:
    explicit SystemFolderReader(Folder folder) noexcept : folder_(std::move(folder)) {}

    [[nodiscard]] Result<std::vector<FolderEntry>> next(std::size_t count_max) override {
        std::vector<FolderEntry> entries;
        while (entries.size() < count_max) {
            Result<FolderEntry> entry = read_entry(*folder_);
            if (!entry) return std::unexpected(entry.error());
            if (entry->name.empty()) break;
            entries.push_back(std::move(*entry));
        }
        return entries;
    }

private:
    Folder folder_;
};

// Removes trees, name by name, until `left` is used up.
class Removal {
public:
    explicit Removal(std::size_t count_max) noexcept : left_(count_max) {}

    // True if the name has been removed.
    Result<bool> remove(int parent, const char* name, int depth) {
        if (left_ == 0) return false;
        const Result<void> unlinked = outcome_of([&] { return ::unlinkat(parent, name, 0); });
        if (unlinked) return count();
        if (unlinked.error() != Error(std::errc::is_a_directory)) {
            return std::unexpected(unlinked.error());
        }
        // Each directory on the way down keeps a descriptor open.
        if (depth == FileTree::removed_depth_max)
            return std::unexpected(Error(std::errc::value_too_large));
        const Result<bool> emptied = remove_all_in(parent, name, depth);
        if (!emptied || !*emptied) return emptied;
        if (left_ == 0) return false;
        const Result<void> removed =
            outcome_of([&] { return ::unlinkat(parent, name, AT_REMOVEDIR); });
        if (!removed) return std::unexpected(removed.error());
        return count();
    }

private:
    Result<bool> remove_all_in(int parent, const char* name, int depth) {
        const Result<Folder> folder = open_folder_at(parent, name, O_NOFOLLOW);
        if (!folder) return std::unexpected(folder.error());
        for (;;) {
            const Result<const dirent*> entry = next_entry(**folder);
            if (!entry) return std::unexpected(entry.error());
            if (*entry == nullptr) return true;
            const Result<bool> removed =
                remove(::dirfd(folder->get()), (*entry)->d_name, depth + 1);
            // Another process may be removing the same tree.
            if (!removed && removed.error() == Error(std::errc::no_such_file_or_directory)) {
                continue;
            }
            if (!removed || !*removed) return removed;
        }
    }
    bool count() noexcept {
        --left_;
        return true;
    }

    std::size_t left_;
};

}  // namespace

Result<void> SystemFileTree::make_folder(const std::string& path, std::uint32_t mode) {
    if (!is_path(path)) return no_path();
    return outcome_of([&] { return ::mkdir(path.c_str(), mode); });
}

Result<std::vector<FolderEntry>> SystemFileTree::list(const std::string& path,
                                                      std::size_t count_max, Links links) {
    if (!is_path(path)) return no_path();
    const Result<Folder> folder = open_listed(path, links);
    if (!folder) return std::unexpected(folder.error());
    std::vector<FolderEntry> entries;
    for (;;) {
        Result<FolderEntry> entry = read_entry(**folder);
        if (!entry) return std::unexpected(entry.error());
        if (entry->name.empty()) break;
        if (entries.size() == count_max) return std::unexpected(Error(std::errc::value_too_large));
        entries.push_back(std::move(*entry));
    }
    std::sort(entries.begin(), entries.end(),
              [](const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; });
    return entries;
}

Result<std::unique_ptr<FolderReader>> SystemFileCalls::open_folder(const std::string& path) {
    if (!is_path(path)) return no_path();
    Result<Folder> folder = open_folder_at(AT_FDCWD, path.c_str(), 0);
    if (!folder) return std::unexpected(folder.error());
    return std::make_unique<SystemFolderReader>(std::move(*folder));
}

Result<bool> SystemFileTree::remove_some(const std::string& path, std::size_t count_max) {
    if (!is_path(path)) return no_path();
    return Removal(count_max).remove(AT_FDCWD, path.c_str(), 0);
}

Result<void> SystemFileTree::sync_folder(const std::string& path) {
    if (!is_path(path)) return no_path();
    const OwnFd folder(without_interruption(
        [&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
    if (folder.status() < 0) return std::unexpected(Error::of_result(folder.status()));
    return outcome_of([&] { return ::fsync(folder.get()); });
}

}  // namespace gyre::platform
