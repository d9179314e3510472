// SPDX-License-Identifier: Apache-2.0
// Folders: scandir, which reads one at once, sorted, and opendir, readdir, closedir.
#include <dirent.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "compat/uv/internal/fs_calls.hpp"
#include "compat/uv/internal/memory.hpp"

namespace gyre::uv {
namespace {

struct Entry {
    std::string name;
    uv_dirent_type_t type;
};

// The result of a scandir: uv_fs_t::ptr.
struct Listing {
    std::vector<Entry> entries;
    std::size_t next = 0;
};

uv_dirent_type_t type_of(const dirent& entry) noexcept {
    switch (entry.d_type) {
        case DT_REG:
            return UV_DIRENT_FILE;
        case DT_DIR:
            return UV_DIRENT_DIR;
        case DT_LNK:
            return UV_DIRENT_LINK;
        case DT_FIFO:
            return UV_DIRENT_FIFO;
        case DT_SOCK:
            return UV_DIRENT_SOCKET;
        case DT_CHR:
            return UV_DIRENT_CHAR;
        case DT_BLK:
            return UV_DIRENT_BLOCK;
        default:
            return UV_DIRENT_UNKNOWN;
    }
}

// The next entry that is neither "." nor "..". Null at the end, with the error.
const dirent* next_entry(DIR* folder, int& error) noexcept {
    for (;;) {
        errno = 0;
        const dirent* entry = ::readdir(folder);
        error = errno;
        if (entry == nullptr) return nullptr;
        const std::string_view name(entry->d_name);
        if (name != "." && name != "..") return entry;
    }
}

void free_names(uv_dir_t& folder, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        release(const_cast<char*>(folder.dirents[i].name));
        folder.dirents[i].name = nullptr;
    }
}

}  // namespace

ssize_t fs_scandir(uv_fs_t& request) noexcept {
    DIR* folder = ::opendir(request.path);
    if (folder == nullptr) return -errno;
    try {
        std::vector<Entry> entries;
        int error = 0;
        while (const dirent* entry = next_entry(folder, error)) {
            entries.push_back({entry->d_name, type_of(*entry)});
        }
        ::closedir(folder);
        if (error != 0) return -error;
        std::ranges::sort(entries, {}, &Entry::name);
        const auto count = static_cast<ssize_t>(entries.size());
        request.ptr = entries.empty() ? nullptr : new Listing{std::move(entries)};
        return count;
    } catch (const std::bad_alloc&) {
        ::closedir(folder);
        return UV_ENOMEM;
    }
}

ssize_t fs_opendir(uv_fs_t& request) noexcept {
    auto* folder = static_cast<uv_dir_t*>(allocate(sizeof(uv_dir_t)));
    if (folder == nullptr) return UV_ENOMEM;
    std::memset(folder, 0, sizeof *folder);
    folder->dir = ::opendir(request.path);
    if (folder->dir == nullptr) {
        const int error = errno;
        release(folder);
        return -error;
    }
    request.ptr = folder;
    return 0;
}

ssize_t fs_readdir(uv_fs_t& request) noexcept {
    auto& folder = *static_cast<uv_dir_t*>(request.ptr);
    std::size_t count = 0;
    while (count < folder.nentries) {
        int error = 0;
        const dirent* entry = next_entry(folder.dir, error);
        if (entry == nullptr && error == 0) break;
        char* name = entry == nullptr ? nullptr : copy_text(entry->d_name);
        if (name == nullptr) {
            free_names(folder, count);
            return error != 0 ? -error : UV_ENOMEM;
        }
        folder.dirents[count].name = name;
        folder.dirents[count].type = type_of(*entry);
        ++count;
    }
    return static_cast<ssize_t>(count);
}

ssize_t fs_closedir(uv_fs_t& request) noexcept {
    auto* folder = static_cast<uv_dir_t*>(request.ptr);
    if (folder->dir != nullptr) ::closedir(folder->dir);
    release(folder);
    request.ptr = nullptr;
    return 0;
}

void free_folder_result(uv_fs_t& request) noexcept {
    if (request.ptr == nullptr) return;
    if (request.fs_type == UV_FS_SCANDIR) {
        delete static_cast<Listing*>(request.ptr);
        request.ptr = nullptr;
    } else if (request.fs_type == UV_FS_READDIR) {
        auto& folder = *static_cast<uv_dir_t*>(request.ptr);
        if (request.result > 0) free_names(folder, static_cast<std::size_t>(request.result));
        request.ptr = nullptr;
    }
}

}  // namespace gyre::uv

int uv_fs_scandir_next(uv_fs_t* req, uv_dirent_t* ent) {
    if (req->result < 0) return static_cast<int>(req->result);
    auto* listing = static_cast<gyre::uv::Listing*>(req->ptr);
    if (listing == nullptr || listing->next == listing->entries.size()) return UV_EOF;
    const auto& entry = listing->entries[listing->next++];
    ent->name = entry.name.c_str();
    ent->type = entry.type;
    return 0;
}
