// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/file_calls.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "gyre/platform/internal/io_limits.hpp"
#include "gyre/platform/internal/system_call.hpp"

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

}  // namespace

bool is_file_op(OpCode code) noexcept {
    return code == OpCode::open || code == OpCode::read || code == OpCode::write ||
           code == OpCode::fsync;
}

std::int32_t check_file_op(const Op& op) noexcept {
    bool is_valid = true;
    if (op.code() == OpCode::open) {
        const auto& open = static_cast<const OpenOp&>(op);
        // The system would take the part before the 0 byte for the whole path.
        is_valid =
            open.path.find('\0') == std::string::npos && (open.options.read || open.options.write);
    } else if (op.code() == OpCode::read) {
        is_valid = is_offset(static_cast<const ReadOp&>(op).offset);
    } else if (op.code() == OpCode::write) {
        is_valid = is_offset(static_cast<const WriteOp&>(op).offset);
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
    switch (op.code()) {
        case OpCode::open:
            return open_file(static_cast<OpenOp&>(op));
        case OpCode::read:
            return read_file(static_cast<ReadOp&>(op));
        case OpCode::write:
            return write_file(static_cast<WriteOp&>(op));
        case OpCode::fsync:
            return result_of([&] { return ::fsync(static_cast<FsyncOp&>(op).fd); });
        default:
            return failure(std::errc::function_not_supported);
    }
}

}  // namespace gyre::platform
