// SPDX-License-Identifier: Apache-2.0
// The part of UringPlatform that turns ops on files and paths into requests.
#include <fcntl.h>
#include <sys/stat.h>

#include <new>

#include "gyre/platform/internal/system/file_calls.hpp"
#include "gyre/platform/internal/system/io_limits.hpp"
#include "gyre/platform/internal/uring/uring.hpp"
#include "gyre/platform/internal/uring/uring_ring.hpp"

namespace gyre::platform {
namespace {

constexpr std::size_t copied_by_loop_max = std::size_t{256} * 1024;

std::size_t bytes_in(const PartsOp& op) noexcept {
    std::size_t size = 0;
    for (const FilePart& part : op.parts) size += part.size;
    return size;
}

unsigned vector_count(const PartsOp& op) noexcept {
    return static_cast<unsigned>(vector_count_of(op));
}

}  // namespace

// Allocates the buffer into which the system writes the result of a query.
std::int32_t UringPlatform::provide_room(PathOp& op) noexcept {
    if (!op.is_question()) return 0;
    op.room.reset(new (std::nothrow) std::byte[sizeof(struct statx)]);
    return op.room == nullptr ? failure(std::errc::not_enough_memory) : 0;
}

void UringPlatform::fill_file(io_uring_sqe& entry, Op& op) const noexcept {
    const Fd fd = static_cast<IoOp&>(op).fd;
    switch (io_code(op)) {
        case IoCode::path:
            return fill_path(entry, static_cast<PathOp&>(op));
        case IoCode::open: {
            const auto& open = static_cast<OpenOp&>(op);
            return io_uring_prep_openat(&entry, AT_FDCWD, open.path.c_str(),
                                        open_flags_of(open.options), open.options.mode);
        }
        case IoCode::read: {
            const auto& read = static_cast<ReadOp&>(op);
            io_uring_prep_read(&entry, fd, read.buffer.data(), call_size_of(read.buffer.size()),
                               read.offset);
            return spare_loop(entry, read.buffer.size());
        }
        case IoCode::write: {
            const auto& write = static_cast<WriteOp&>(op);
            io_uring_prep_write(&entry, fd, write.buffer.data(), call_size_of(write.buffer.size()),
                                write.offset);
            return spare_loop(entry, write.buffer.size());
        }
        case IoCode::read_parts: {
            const auto& read = static_cast<ReadPartsOp&>(op);
            io_uring_prep_readv(&entry, fd, vectors_of(read), vector_count(read), read.offset);
            return spare_loop(entry, bytes_in(read));
        }
        case IoCode::write_parts: {
            const auto& write = static_cast<WritePartsOp&>(op);
            io_uring_prep_writev(&entry, fd, vectors_of(write), vector_count(write), write.offset);
            return spare_loop(entry, bytes_in(write));
        }
        case IoCode::fsync:
            return io_uring_prep_fsync(&entry, fd, 0);
        default:
            GYRE_ASSERT(false, "op %llu (%s) has no request",
                        static_cast<unsigned long long>(op.id()), name_of(op.code()));
    }
}

void UringPlatform::fill_path(io_uring_sqe& entry, PathOp& op) noexcept {
    const char* path = op.path.c_str();
    switch (op.verb) {
        case PathOp::Verb::stat: {
            const int flags = op.links == Links::followed ? 0 : AT_SYMLINK_NOFOLLOW;
            return io_uring_prep_statx(&entry, AT_FDCWD, path, flags, STATX_BASIC_STATS,
                                       statx_of(op));
        }
        case PathOp::Verb::rename:
            return io_uring_prep_renameat(&entry, AT_FDCWD, path, AT_FDCWD, op.to.c_str(), 0);
        case PathOp::Verb::remove:
            return io_uring_prep_unlinkat(&entry, AT_FDCWD, path, op.is_folder ? AT_REMOVEDIR : 0);
        case PathOp::Verb::make_folder:
            return io_uring_prep_mkdirat(&entry, AT_FDCWD, path, op.mode);
        case PathOp::Verb::link:
            return io_uring_prep_linkat(&entry, AT_FDCWD, path, AT_FDCWD, op.to.c_str(), 0);
        case PathOp::Verb::symbolic_link:
            return io_uring_prep_symlinkat(&entry, path, AT_FDCWD, op.to.c_str());
        case PathOp::Verb::stat_open:
            return io_uring_prep_statx(&entry, op.fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS,
                                       statx_of(op));
        case PathOp::Verb::resize:
            return io_uring_prep_rw(uring_operation_resize, &entry, op.fd, nullptr, 0,
                                    op.size_bytes);
    }
}

// Data in the page cache would be copied by the loop's thread, in the call that submits the
// request. While other requests are in flight, a large copy is left to a worker thread of the
// system instead.
void UringPlatform::spare_loop(io_uring_sqe& entry, std::size_t size_bytes) const noexcept {
    if (size_bytes >= copied_by_loop_max && request_count_ > 0) entry.flags |= IOSQE_ASYNC;
}

}  // namespace gyre::platform
