// SPDX-License-Identifier: Apache-2.0
// The part of SystemFileTree for open files and for paths.
#include "gyre/platform/internal/system/system_file_tree.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "gyre/platform/internal/system/file_kinds.hpp"
#include "gyre/platform/internal/system/open_without_links.hpp"
#include "gyre/platform/internal/system/path_call.hpp"
#include "gyre/platform/internal/system/system_call.hpp"

namespace gyre::platform {
namespace {

// How many names are tried before `file_exists` is returned.
constexpr int name_attempts_max = 100;
constexpr std::size_t link_size_max = 64 * 1024;
constexpr std::size_t load_size_max = 64 * 1024;  // in one call

FileStat of_system(const struct stat& from) noexcept {
    return {.kind = kind_of(from.st_mode),
            .size_bytes = static_cast<std::uint64_t>(from.st_size),
            .mode = from.st_mode & permissions,
            .link_count = from.st_nlink,
            .device = from.st_dev,
            .number = from.st_ino,
            .modified_ns = from.st_mtim.tv_sec * 1'000'000'000 + from.st_mtim.tv_nsec};
}

// Unpredictable letters, so that in a world-writable directory no other user can have created the
// name.
Result<std::string> with_random_end(const std::string& folder, const std::string& prefix) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz234567";
    std::array<unsigned char, 12> random{};
    const ssize_t size =
        without_interruption([&] { return ::getrandom(random.data(), random.size(), 0); });
    if (size != static_cast<ssize_t>(random.size())) return last_error();
    std::string path = folder.empty() ? prefix : folder + "/" + prefix;
    for (const unsigned char byte : random) path += letters[byte % letters.size()];
    return path;
}

// Tries random names until one does not exist.
template <class Make>
Result<std::string> make_unique(const std::string& folder, const std::string& prefix, Make make) {
    if (!is_path(folder) || !is_path(prefix)) return no_path();
    for (int attempt = 0; attempt < name_attempts_max; ++attempt) {
        Result<std::string> path = with_random_end(folder, prefix);
        if (!path) return path;
        if (without_interruption([&] { return make(path->c_str()); }) >= 0) return path;
        if (errno != EEXIST) return last_error();
    }
    return std::unexpected(Error(std::errc::file_exists));
}

}  // namespace

Result<std::size_t> SystemFileTree::read_at(Fd fd, Bytes into, std::uint64_t offset) {
    if (!is_offset(offset)) return no_path();
    const ssize_t count = without_interruption(
        [&] { return ::pread(fd, into.data(), into.size(), static_cast<off_t>(offset)); });
    if (count < 0) return last_error();
    return static_cast<std::size_t>(count);
}

Result<std::size_t> SystemFileTree::write_at(Fd fd, ConstBytes from, std::uint64_t offset) {
    if (!is_offset(offset)) return no_path();
    const ssize_t count = without_interruption(
        [&] { return ::pwrite(fd, from.data(), from.size(), static_cast<off_t>(offset)); });
    if (count < 0) return last_error();
    return static_cast<std::size_t>(count);
}

void SystemFileTree::close(Fd fd) noexcept {
    ::close(fd);
}

Result<FileStat> SystemFileTree::stat_open(Fd fd) {
    struct stat found{};
    if (without_interruption([&] { return ::fstat(fd, &found); }) < 0) return last_error();
    return of_system(found);
}

Result<void> SystemFileTree::resize(Fd fd, std::uint64_t size_bytes) {
    if (!is_offset(size_bytes)) return no_path();
    return outcome_of([&] { return ::ftruncate(fd, static_cast<off_t>(size_bytes)); });
}

Result<void> SystemFileTree::set_mode(Fd fd, std::uint32_t mode) {
    return outcome_of([&] { return ::fchmod(fd, mode & permissions); });
}

// The last byte stands for those before it: files are read ahead. If the file system cannot tell,
// returns true.
bool SystemFileTree::is_in_memory(Fd fd, std::uint64_t offset, std::size_t size) {
    if (size == 0 || !is_offset(offset) || !is_offset(offset + size)) return true;
    std::byte last{};
    const iovec into{.iov_base = &last, .iov_len = 1};
    const auto at = static_cast<off_t>(offset + size - 1);
    const ssize_t count =
        without_interruption([&] { return ::preadv2(fd, &into, 1, at, RWF_NOWAIT); });
    return count >= 0 || !would_block(errno);
}

void SystemFileTree::load(Fd fd, std::uint64_t offset, std::size_t size) {
    const auto scratch = std::make_unique_for_overwrite<std::byte[]>(load_size_max);
    while (size > 0 && is_offset(offset)) {
        const std::size_t wanted = std::min(size, load_size_max);
        const ssize_t count = without_interruption(
            [&] { return ::pread(fd, scratch.get(), wanted, static_cast<off_t>(offset)); });
        if (count <= 0) return;  // The later read reports the error.
        offset += static_cast<std::uint64_t>(count);
        size -= static_cast<std::size_t>(count);
    }
}

Result<std::string> SystemFileTree::real_path(const std::string& path) {
    if (!is_path(path)) return no_path();
    struct Free {
        void operator()(char* text) const noexcept { std::free(text); }
    };
    const std::unique_ptr<char, Free> real(::realpath(path.c_str(), nullptr));
    if (real == nullptr) return last_error();
    return std::string(real.get());
}

Result<Fd> SystemFileTree::open_to_read(const std::string& path, Links links) {
    if (!is_path(path)) return no_path();
    if (links == Links::refused) return open_without_links(path, O_RDONLY | O_NONBLOCK);
    const Fd fd = without_interruption([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
    if (fd < 0) return last_error();
    return fd;
}

Result<FileStat> SystemFileTree::stat(const std::string& path, Links links) {
    if (!is_path(path)) return no_path();
    const int flags = links == Links::followed ? 0 : AT_SYMLINK_NOFOLLOW;
    struct stat found{};
    const int status =
        without_interruption([&] { return ::fstatat(AT_FDCWD, path.c_str(), &found, flags); });
    if (status < 0) return last_error();
    return of_system(found);
}

Result<void> SystemFileTree::rename(const std::string& from, const std::string& to) {
    if (!is_path(from) || !is_path(to)) return no_path();
    return outcome_of([&] { return std::rename(from.c_str(), to.c_str()); });
}

Result<void> SystemFileTree::link(const std::string& existing, const std::string& name) {
    if (!is_path(existing) || !is_path(name)) return no_path();
    return outcome_of([&] { return ::link(existing.c_str(), name.c_str()); });
}

Result<void> SystemFileTree::symbolic_link(const std::string& target, const std::string& name) {
    if (!is_path(target) || !is_path(name)) return no_path();
    return outcome_of([&] { return ::symlink(target.c_str(), name.c_str()); });
}

Result<std::string> SystemFileTree::read_link(const std::string& path) {
    if (!is_path(path)) return no_path();
    std::string target(256, '\0');
    for (;;) {
        const ssize_t size = without_interruption(
            [&] { return ::readlink(path.c_str(), target.data(), target.size()); });
        if (size < 0) return last_error();
        const auto used = static_cast<std::size_t>(size);
        const bool is_whole = used < target.size() || target.size() >= link_size_max;
        target.resize(is_whole ? used : 2 * target.size());
        if (is_whole) return target;
    }
}

Result<void> SystemFileTree::remove(const std::string& path) {
    if (!is_path(path)) return no_path();
    const Result<void> unlinked = outcome_of([&] { return ::unlink(path.c_str()); });
    if (unlinked || unlinked.error() != Error(std::errc::is_a_directory)) return unlinked;
    return outcome_of([&] { return ::rmdir(path.c_str()); });
}

std::string SystemFileTree::temporary_folder() {
    // The environment is not changed while the program runs.
    const char* named = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
    return named == nullptr || *named == '\0' ? "/tmp" : named;
}

Result<NewFile> SystemFileTree::make_file(const std::string& folder, const std::string& prefix,
                                          std::uint32_t mode) {
    NewFile made;
    Result<std::string> path = make_unique(folder, prefix, [&](const char* name) {
        return made.fd = ::open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode & permissions);
    });
    if (!path) return std::unexpected(path.error());
    made.path = std::move(*path);
    return made;
}

Result<std::string> SystemFileTree::make_unique_folder(const std::string& folder,
                                                       const std::string& prefix) {
    constexpr mode_t for_its_owner = 0700;
    return make_unique(folder, prefix,
                       [](const char* name) { return ::mkdir(name, for_its_owner); });
}

}  // namespace gyre::platform
