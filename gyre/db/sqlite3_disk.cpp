// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/sqlite3_disk.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "gyre/db/internal/sqlite3_shared.hpp"
#include "gyre/io/detail/file_calls.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/io/file_tree.hpp"
#include "gyre/io/host_calls.hpp"
#include "gyre/kernel/platform.hpp"

namespace gyre::db {

namespace {

// As sim::WallClock begins: 2026-01-01, in milliseconds since 1970; and 1970 in those of the Julian day.
constexpr std::int64_t clock_starts_ms = 1'767'225'600'000;
constexpr std::int64_t julian_1970_ms = 210'866'760'000'000;
constexpr int path_bytes_max = 4000;
constexpr int sector_bytes = 512;  // that a crash tears no further

struct Disk : sqlite3_vfs {
    FileTree* tree;
    FileCalls* calls;
    Platform* platform;  // of a loop that lives: the last one that opened a file
    std::uint64_t temporary_count;
    std::array<char, 32> name;
};

Disk& disk_of(sqlite3_vfs* vfs) noexcept {
    return *static_cast<Disk*>(vfs);
}

// SQLite is C: an allocation that fails is a code.
template <class F>
int guarded(F work) noexcept {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return SQLITE_NOMEM;
    }
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

// ---- An open file

struct File : sqlite3_file {
    File(Disk& on, std::string at, Fd descriptor) noexcept
        : sqlite3_file{}, disk(on), path(std::move(at)), fd(descriptor) {}

    Disk& disk;
    const std::string path;
    const Fd fd;
    SqliteShared* shared = nullptr;  // of the main file of a database
    SqliteShared::Holder holder = {};
    bool is_new = false;        // its name may be lost until its folder is synced
    bool is_temporary = false;  // removed when it is closed
};

File& file_of(sqlite3_file* file) noexcept {
    return *static_cast<File*>(file);
}

int close_file(sqlite3_file* raw) noexcept {
    File& file = file_of(raw);
    if (file.shared != nullptr) {
        file.shared->leave_index(file.holder);
        file.shared->unlock(file.holder, SQLITE_LOCK_NONE);
    }
    file.disk.tree->close(file.fd);
    if (file.is_temporary) {
        static_cast<void>(guarded([&] {
            static_cast<void>(file.disk.tree->remove(file.path));
            return SQLITE_OK;
        }));
    }
    file.~File();
    return SQLITE_OK;
}

int read_file(sqlite3_file* raw, void* into, int size, sqlite3_int64 offset) noexcept {
    File& file = file_of(raw);
    Bytes rest(static_cast<std::byte*>(into), static_cast<std::size_t>(size));
    auto at = static_cast<std::uint64_t>(offset);
    while (!rest.empty()) {
        const Result<std::size_t> count = file.disk.tree->read_at(file.fd, rest, at);
        if (!count) return SQLITE_IOERR_READ;
        if (*count == 0) break;
        rest = rest.subspan(*count);
        at += *count;
    }
    std::ranges::fill(rest, std::byte{0});
    return rest.empty() ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int write_file(sqlite3_file* raw, const void* from, int size, sqlite3_int64 offset) noexcept {
    File& file = file_of(raw);
    ConstBytes rest(static_cast<const std::byte*>(from), static_cast<std::size_t>(size));
    auto at = static_cast<std::uint64_t>(offset);
    while (!rest.empty()) {
        const Result<std::size_t> count = file.disk.tree->write_at(file.fd, rest, at);
        if (!count) {
            const bool is_full = count.error().code() == std::errc::no_space_on_device;
            return is_full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
        }
        rest = rest.subspan(*count);
        at += *count;
    }
    return SQLITE_OK;
}

int truncate_file(sqlite3_file* raw, sqlite3_int64 size) noexcept {
    File& file = file_of(raw);
    const auto done = file.disk.tree->resize(file.fd, static_cast<std::uint64_t>(size));
    return done ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

int sync_file(sqlite3_file* raw, int /*flags*/) noexcept {
    File& file = file_of(raw);
    if (!file.disk.calls->sync(file.fd)) return SQLITE_IOERR_FSYNC;
    if (!file.is_new) return SQLITE_OK;
    return guarded([&] {
        if (!file.disk.tree->sync_folder(folder_of(file.path))) return SQLITE_IOERR_DIR_FSYNC;
        file.is_new = false;
        return SQLITE_OK;
    });
}

int size_of_file(sqlite3_file* raw, sqlite3_int64* size) noexcept {
    File& file = file_of(raw);
    const Result<FileStat> found = file.disk.tree->stat_open(file.fd);
    if (!found) return SQLITE_IOERR_FSTAT;
    *size = static_cast<sqlite3_int64>(found->size_bytes);
    return SQLITE_OK;
}

int lock_file(sqlite3_file* raw, int level) noexcept {
    File& file = file_of(raw);
    return file.shared == nullptr ? SQLITE_OK : file.shared->lock(file.holder, level);
}

int unlock_file(sqlite3_file* raw, int level) noexcept {
    File& file = file_of(raw);
    if (file.shared != nullptr) file.shared->unlock(file.holder, level);
    return SQLITE_OK;
}

int check_reserved(sqlite3_file* raw, int* result) noexcept {
    const File& file = file_of(raw);
    *result = file.shared != nullptr && file.shared->is_reserved() ? 1 : 0;
    return SQLITE_OK;
}

int control_file(sqlite3_file* /*raw*/, int /*verb*/, void* /*argument*/) noexcept {
    return SQLITE_NOTFOUND;
}

int sector_size(sqlite3_file* /*raw*/) noexcept {
    return sector_bytes;
}

int characteristics(sqlite3_file* /*raw*/) noexcept {
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

int map_index(sqlite3_file* raw, int number, int size, int may_make,
              volatile void** found) noexcept {
    File& file = file_of(raw);
    *found = nullptr;
    if (file.shared == nullptr) return SQLITE_IOERR_SHMMAP;
    return file.shared->page_of_index(file.holder, number, static_cast<std::size_t>(size),
                                      may_make != 0, found);
}

int lock_index(sqlite3_file* raw, int first, int count, int flags) noexcept {
    File& file = file_of(raw);
    return file.shared->lock_index(file.holder, first, count, flags);
}

void order_index(sqlite3_file* /*raw*/) noexcept {}

int leave_index(sqlite3_file* raw, int /*is_deleted*/) noexcept {
    File& file = file_of(raw);
    if (file.shared != nullptr) file.shared->leave_index(file.holder);
    return SQLITE_OK;
}

constexpr sqlite3_io_methods file_methods = {.iVersion = 2,
                                             .xClose = close_file,
                                             .xRead = read_file,
                                             .xWrite = write_file,
                                             .xTruncate = truncate_file,
                                             .xSync = sync_file,
                                             .xFileSize = size_of_file,
                                             .xLock = lock_file,
                                             .xUnlock = unlock_file,
                                             .xCheckReservedLock = check_reserved,
                                             .xFileControl = control_file,
                                             .xSectorSize = sector_size,
                                             .xDeviceCharacteristics = characteristics,
                                             .xShmMap = map_index,
                                             .xShmLock = lock_index,
                                             .xShmBarrier = order_index,
                                             .xShmUnmap = leave_index,
                                             .xFetch = nullptr,
                                             .xUnfetch = nullptr};

// ---- Names

int open_named(Disk& disk, const char* name, void* room, int flags) {
    const std::string folder = name == nullptr ? disk.tree->temporary_folder() : "";
    // It need not be there on a simulated disk.
    if (name == nullptr) static_cast<void>(disk.tree->make_folder(folder, 0777));
    std::string path =
        name != nullptr ? name : folder + "/gyre-sqlite-" + std::to_string(++disk.temporary_count);
    const bool may_make = (flags & SQLITE_OPEN_CREATE) != 0 || name == nullptr;
    const Result<Fd> fd =
        disk.calls->open(path, {.write = (flags & SQLITE_OPEN_READWRITE) != 0,
                                .create = may_make,
                                .exclusive = (flags & SQLITE_OPEN_EXCLUSIVE) != 0});
    if (!fd) return SQLITE_CANTOPEN;
    auto* const file = new (room) File(disk, std::move(path), *fd);
    file->is_temporary = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0 || name == nullptr;
    // Also if it is there: who made it may have ended before its name was safe.
    file->is_new = may_make && !file->is_temporary;
    if ((flags & SQLITE_OPEN_MAIN_DB) != 0) {
        file->shared = static_cast<SqliteShared*>(disk.calls->shared_of_open(
            *fd, [] { return std::shared_ptr<void>(std::make_shared<SqliteShared>()); }));
    }
    file->pMethods = &file_methods;
    return SQLITE_OK;
}

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags,
              int* flags_used) noexcept {
    file->pMethods = nullptr;
    if (flags_used != nullptr) *flags_used = flags;
    return guarded([&] { return open_named(disk_of(vfs), name, file, flags); });
}

int remove_file(sqlite3_vfs* vfs, const char* name, int is_synced) noexcept {
    return guarded([&] {
        FileTree& tree = *disk_of(vfs).tree;
        const std::string path(name);
        if (const Result<void> removed = tree.remove(path); !removed) {
            const bool was_gone = removed.error().code() == std::errc::no_such_file_or_directory;
            return was_gone ? SQLITE_IOERR_DELETE_NOENT : SQLITE_IOERR_DELETE;
        }
        if (is_synced != 0 && !tree.sync_folder(folder_of(path))) return SQLITE_IOERR_DIR_FSYNC;
        return SQLITE_OK;
    });
}

int look_for_file(sqlite3_vfs* vfs, const char* name, int question, int* answer) noexcept {
    return guarded([&] {
        const Result<FileStat> found = disk_of(vfs).tree->stat(name, Links::followed);
        // An empty journal is none.
        const bool counts_when_empty = question != SQLITE_ACCESS_EXISTS;
        *answer = found && (counts_when_empty || !found->is_file() || found->size_bytes > 0);
        return SQLITE_OK;
    });
}

int full_path(sqlite3_vfs* /*vfs*/, const char* name, int room, char* into) noexcept {
    const int size = std::snprintf(into, static_cast<std::size_t>(room), "%s%s",
                                   name[0] == '/' ? "" : "/", name);
    return size < room ? SQLITE_OK : SQLITE_CANTOPEN;
}

// ---- The rest of a system

int fill_random(sqlite3_vfs* vfs, int size, char* into) noexcept {
    HostCalls* const calls = disk_of(vfs).platform->environment()->host_calls();
    const auto room = std::as_writable_bytes(std::span(into, static_cast<std::size_t>(size)));
    return calls != nullptr && calls->fill_random(room) ? size : 0;
}

// Nobody runs meanwhile.
int pass_time(sqlite3_vfs* /*vfs*/, int microseconds) noexcept {
    return microseconds;
}

int time_now(sqlite3_vfs* vfs, sqlite3_int64* julian_ms) noexcept {
    const std::uint64_t passed = disk_of(vfs).platform->now().nanoseconds() / 1'000'000;
    *julian_ms = julian_1970_ms + clock_starts_ms + static_cast<std::int64_t>(passed);
    return SQLITE_OK;
}

int days_now(sqlite3_vfs* vfs, double* julian_days) noexcept {
    sqlite3_int64 julian_ms = 0;
    static_cast<void>(time_now(vfs, &julian_ms));
    *julian_days = static_cast<double>(julian_ms) / 86'400'000.0;
    return SQLITE_OK;
}

int last_error(sqlite3_vfs* /*vfs*/, int /*size*/, char* /*into*/) noexcept {
    return 0;
}

Disk* make_disk(const char* name) {
    // Of malloc: it outlives the memory of a host.
    auto* const disk = static_cast<Disk*>(std::calloc(1, sizeof(Disk)));
    if (disk == nullptr) throw std::bad_alloc();
    std::snprintf(disk->name.data(), disk->name.size(), "%s", name);
    disk->iVersion = 2;
    disk->szOsFile = sizeof(File);
    disk->mxPathname = path_bytes_max;
    disk->zName = disk->name.data();
    disk->xOpen = open_file;
    disk->xDelete = remove_file;
    disk->xAccess = look_for_file;
    disk->xFullPathname = full_path;
    disk->xRandomness = fill_random;
    disk->xSleep = pass_time;
    disk->xCurrentTime = days_now;
    disk->xGetLastError = last_error;
    disk->xCurrentTimeInt64 = time_now;
    if (sqlite3_vfs_register(disk, 0) != SQLITE_OK) {
        std::free(disk);
        throw std::bad_alloc();
    }
    return disk;
}

}  // namespace

const char* simulated_vfs(Platform& platform) {
    Environment* const environment = platform.environment();
    if (environment == nullptr) return nullptr;
    FileTree* const tree = environment->file_tree();
    FileCalls* const calls = environment->file_calls();
    if (tree == nullptr || calls == nullptr || !calls->can_crash()) return nullptr;
    std::array<char, 32> name{};
    std::snprintf(name.data(), name.size(), "gyre-%p", static_cast<void*>(tree));
    sqlite3_vfs* const known = sqlite3_vfs_find(name.data());
    Disk& disk = known != nullptr ? disk_of(known) : *make_disk(name.data());
    disk.tree = tree;
    disk.calls = calls;
    disk.platform = &platform;
    int seed = 0;
    if (fill_random(&disk, sizeof(seed), reinterpret_cast<char*>(&seed)) != 0) {
        sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, seed | 1, nullptr);
    }
    return disk.zName;
}

}  // namespace gyre::db
