// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/system/file_calls.hpp"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "gyre/platform/internal/system/file_kinds.hpp"
#include "gyre/platform/internal/system/io_limits.hpp"
#include "gyre/platform/internal/system/path_call.hpp"
#include "gyre/platform/internal/system/system_call.hpp"
#include "gyre/platform/internal/system/system_file_tree.hpp"

namespace gyre::platform {
namespace {

template <class Call>
std::int32_t result_of(Call call) noexcept {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return static_cast<std::int32_t>(result < 0 ? -errno : result);
}

std::int32_t open_file(const OpenOp& op) noexcept {
    return result_of(
        [&] { return ::open(op.path.c_str(), open_flags_of(op.options), op.options.mode); });
}

std::int32_t read_file(const ReadOp& op) noexcept {
    const std::size_t size = std::min(op.buffer.size(), call_size_max);
    return result_of(
        [&] { return ::pread(op.fd, op.buffer.data(), size, static_cast<off_t>(op.offset)); });
}

std::int32_t write_file(const WriteOp& op) noexcept {
    const std::size_t size = std::min(op.buffer.size(), call_size_max);
    return result_of(
        [&] { return ::pwrite(op.fd, op.buffer.data(), size, static_cast<off_t>(op.offset)); });
}

std::int32_t read_parts(const PartsOp& op) noexcept {
    return result_of([&] {
        return ::preadv(op.fd, vectors_of(op), vector_count_of(op), static_cast<off_t>(op.offset));
    });
}

std::int32_t write_parts(const PartsOp& op) noexcept {
    return result_of([&] {
        return ::pwritev(op.fd, vectors_of(op), vector_count_of(op), static_cast<off_t>(op.offset));
    });
}

}  // namespace

// FilePart has the layout of iovec, and only the system reads it.
const iovec* vectors_of(const PartsOp& op) noexcept {
    static_assert(sizeof(FilePart) == sizeof(iovec) && alignof(FilePart) == alignof(iovec));
    static_assert(offsetof(FilePart, data) == offsetof(iovec, iov_base));
    static_assert(offsetof(FilePart, size) == offsetof(iovec, iov_len));
    return reinterpret_cast<const iovec*>(op.parts.data());
}

int vector_count_of(const PartsOp& op) noexcept {
    return static_cast<int>(std::min(op.parts.size(), PartsOp::part_count_max));
}

bool has_descriptor(const IoOp& op) noexcept {
    if (op.code() != IoCode::path) return op.code() != IoCode::open;
    const PathOp::Verb verb = static_cast<const PathOp&>(op).verb;
    return verb == PathOp::Verb::stat_open || verb == PathOp::Verb::resize;
}

struct statx* statx_of(PathOp& op) noexcept {
    return reinterpret_cast<struct statx*>(op.room.get());
}

void tell_found(PathOp& op) noexcept {
    struct statx from{};
    std::memcpy(&from, op.room.get(), sizeof from);
    op.found = {.kind = kind_of(from.stx_mode),
                .size_bytes = from.stx_size,
                .mode = from.stx_mode & permissions,
                .link_count = from.stx_nlink,
                .device = ::makedev(from.stx_dev_major, from.stx_dev_minor),
                .number = from.stx_ino,
                .modified_ns = from.stx_mtime.tv_sec * 1'000'000'000 + from.stx_mtime.tv_nsec};
}

std::int32_t check_file_op(const Op& op) noexcept {
    bool is_valid = true;
    if (op.code() == IoCode::open) {
        const auto& open = static_cast<const OpenOp&>(op);
        // The system would take the part before the NUL byte for the whole path.
        is_valid =
            open.path.find('\0') == std::string::npos && (open.options.read || open.options.write);
    } else if (op.code() == IoCode::path) {
        const auto& path = static_cast<const PathOp&>(op);
        is_valid = is_path(path.path) && is_path(path.to) && is_offset(path.size_bytes);
    } else if (op.code() == IoCode::read) {
        is_valid = is_offset(static_cast<const ReadOp&>(op).offset);
    } else if (op.code() == IoCode::write) {
        is_valid = is_offset(static_cast<const WriteOp&>(op).offset);
    } else if (op.code() == IoCode::read_parts || op.code() == IoCode::write_parts) {
        is_valid = is_offset(static_cast<const PartsOp&>(op).offset);
    }
    return is_valid ? 0 : failure(std::errc::invalid_argument);
}

int open_flags_of(const OpenOptions& how) noexcept {
    int flags = O_CLOEXEC | (how.read && how.write ? O_RDWR : how.write ? O_WRONLY : O_RDONLY);
    if (how.create) flags |= O_CREAT;
    if (how.truncate) flags |= O_TRUNC;
    if (how.append) flags |= O_APPEND;
    if (how.exclusive) flags |= O_EXCL;
    return flags;
}

std::int32_t run_file_op(Op& op) noexcept {
    if (const std::int32_t status = check_file_op(op); status < 0) return status;
    switch (io_code(op)) {
        case IoCode::path: {
            SystemFileTree tree;
            return run_path_op(static_cast<PathOp&>(op), tree);
        }
        case IoCode::open:
            return open_file(static_cast<OpenOp&>(op));
        case IoCode::read:
            return read_file(static_cast<ReadOp&>(op));
        case IoCode::write:
            return write_file(static_cast<WriteOp&>(op));
        case IoCode::read_parts:
            return read_parts(static_cast<ReadPartsOp&>(op));
        case IoCode::write_parts:
            return write_parts(static_cast<WritePartsOp&>(op));
        case IoCode::fsync:
            return result_of([&] { return ::fsync(static_cast<FsyncOp&>(op).fd); });
        default:
            return failure(std::errc::function_not_supported);
    }
}

}  // namespace gyre::platform
