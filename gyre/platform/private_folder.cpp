// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/private_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <tuple>

#include "gyre/platform/internal/system/own_fd.hpp"
#include "gyre/platform/internal/system/path_call.hpp"

namespace gyre::platform {
namespace {

std::unexpected<Error> refused(std::errc why) noexcept {
    return std::unexpected(Error(why));
}

// A name in the directory itself.
bool is_name(const std::string& name) noexcept {
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
           is_path(name);
}

bool is_private(const struct stat& what) noexcept {
    return what.st_uid == ::geteuid() && (what.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::int64_t nanoseconds(const struct timespec& time) noexcept {
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

// Creates what is missing. Errors show when the directory is opened.
void make_folders(const std::string& path) {
    constexpr mode_t own = 0700;
    for (std::size_t at = 1; at < path.size(); ++at) {
        if (path[at] == '/') static_cast<void>(::mkdir(path.substr(0, at).c_str(), own));
    }
    static_cast<void>(::mkdir(path.c_str(), own));
}

// `.` and unpredictable letters: no reader takes it for a file.
Result<std::string> temporary_name() {
    std::array<unsigned char, 16> random{};
    const ssize_t size =
        without_interruption([&] { return ::getrandom(random.data(), random.size(), 0); });
    if (size != static_cast<ssize_t>(random.size())) return last_error();
    std::string name = ".";
    for (const unsigned char byte : random) name += static_cast<char>('a' + byte % 16);
    return name;
}

Result<void> write_all(Fd fd, std::string_view content) {
    while (!content.empty()) {
        const ssize_t count =
            without_interruption([&] { return ::write(fd, content.data(), content.size()); });
        if (count < 0) return last_error();
        if (count == 0) return refused(std::errc::no_space_on_device);
        content.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
}

}  // namespace

Result<PrivateFolder> PrivateFolder::open(const std::string& path) {
    if (path.empty() || !is_path(path)) return no_path();
    make_folders(path);
    const Fd fd = without_interruption(
        [&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); });
    if (fd < 0) return last_error();
    PrivateFolder folder(fd);
    struct stat found{};
    if (::fstat(fd, &found) < 0) return last_error();
    if (!is_private(found)) return refused(std::errc::permission_denied);
    return folder;
}

PrivateFolder::~PrivateFolder() {
    if (fd_ >= 0) ::close(fd_);
}

// The checks are of the open file: what is read is what was checked.
Result<std::string> PrivateFolder::read(const std::string& name, std::size_t size_max_bytes) const {
    if (!is_name(name)) return no_path();
    const OwnFd file(without_interruption([&] {
        return ::openat(fd_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    }));
    if (file.get() < 0) return std::unexpected(Error::of_result(file.status()));
    struct stat found{};
    if (::fstat(file.get(), &found) < 0) return last_error();
    if (!S_ISREG(found.st_mode) || !is_private(found)) return refused(std::errc::permission_denied);
    if (static_cast<std::uint64_t>(found.st_size) > size_max_bytes) {
        return refused(std::errc::value_too_large);
    }
    std::string content(static_cast<std::size_t>(found.st_size), '\0');
    std::size_t size = 0;
    while (size < content.size()) {
        const ssize_t count = without_interruption(
            [&] { return ::read(file.get(), content.data() + size, content.size() - size); });
        if (count < 0) return last_error();
        if (count == 0) break;
        size += static_cast<std::size_t>(count);
    }
    content.resize(size);
    static_cast<void>(::futimens(file.get(), nullptr));  // fails on a read-only disk
    return content;
}

Result<void> PrivateFolder::write(const std::string& name, std::string_view content) const {
    constexpr mode_t own = 0600;
    if (!is_name(name)) return no_path();
    const Result<std::string> temporary = temporary_name();
    if (!temporary) return refused(temporary.error().code());
    const OwnFd file(without_interruption([&] {
        return ::openat(fd_, temporary->c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, own);
    }));
    if (file.get() < 0) return std::unexpected(Error::of_result(file.status()));
    Result<void> written = write_all(file.get(), content);
    if (written) {
        written =
            outcome_of([&] { return ::renameat(fd_, temporary->c_str(), fd_, name.c_str()); });
    }
    if (!written) static_cast<void>(::unlinkat(fd_, temporary->c_str(), 0));
    return written;
}

Result<void> PrivateFolder::remove(const std::string& name) const {
    if (!is_name(name)) return no_path();
    return outcome_of([&] { return ::unlinkat(fd_, name.c_str(), 0); });
}

Result<std::vector<PrivateFolder::File>> PrivateFolder::list(std::size_t count_max) const {
    // Another description of the directory: its position is its own.
    const Fd copy = without_interruption(
        [&] { return ::openat(fd_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    if (copy < 0) return last_error();
    const std::unique_ptr<DIR, int (*)(DIR*)> names(::fdopendir(copy), &::closedir);
    if (names == nullptr) {
        const auto error = last_error();
        ::close(copy);
        return error;
    }
    std::vector<File> files;
    while (const dirent* entry = ::readdir(names.get())) {
        struct stat found{};
        if (::fstatat(fd_, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) < 0) continue;
        if (!S_ISREG(found.st_mode) || found.st_uid != ::geteuid()) continue;
        if (files.size() == count_max) return refused(std::errc::value_too_large);
        files.push_back({.name = entry->d_name,
                         .size_bytes = static_cast<std::uint64_t>(found.st_size),
                         .used_ns = nanoseconds(found.st_mtim)});
    }
    std::ranges::sort(files, [](const File& left, const File& right) {
        return std::tie(left.used_ns, left.name) < std::tie(right.used_ns, right.name);
    });
    return files;
}

}  // namespace gyre::platform
