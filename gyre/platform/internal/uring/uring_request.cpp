// SPDX-License-Identifier: Apache-2.0
// The part of UringPlatform that fills submission queue entries: which request an op becomes.
#include <poll.h>
#include <sys/socket.h>

#include <new>

#include "gyre/platform/internal/system/io_calls.hpp"
#include "gyre/platform/internal/system/io_limits.hpp"
#include "gyre/platform/internal/uring/uring.hpp"
#include "gyre/platform/internal/uring/uring_buffers.hpp"
#include "gyre/platform/internal/uring/uring_marks.hpp"
#include "gyre/platform/internal/uring/uring_ring.hpp"

namespace gyre::platform {
namespace {

constexpr std::uint64_t at_the_present_position = ~std::uint64_t{0};
// A smaller send is cheaper as a request that is submitted with the next wait.
constexpr std::size_t sent_alone_min_bytes = 4096;

unsigned poll_mask_for(const Hold& hold) noexcept {
    const bool is_output =
        side_of(io_code(hold.op())) == IoSide::output || hold.op().code() == IoCode::write;
    return is_output ? POLLOUT : POLLIN | POLLPRI | POLLRDHUP;
}

// The system ignores a wake for POLLPRI alone: urgent data also wakes with POLLRDBAND.
unsigned as_request_mask(int mask) noexcept {
    return static_cast<unsigned>((mask & POLLPRI) != 0 ? mask | POLLRDBAND : mask);
}

bool is_local_socket(Fd fd) noexcept {
    int domain = 0;
    socklen_t size = sizeof domain;
    return ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

std::int32_t ensure(std::unique_ptr<SystemAddress>& address) noexcept {
    if (address == nullptr) address.reset(new (std::nothrow) SystemAddress);
    return address == nullptr ? failure(std::errc::not_enough_memory) : 0;
}

}  // namespace

// If the submission queue is full the op keeps its place, and is retried in the next tick.
void UringPlatform::issue(Hold& hold, UringDescriptor& descriptor) noexcept {
    if (const std::int32_t status = provide_for(hold, descriptor); status < 0) {
        return finish(hold, status);
    }
    io_uring_sqe* entry = ring_->next_entry();
    if (entry == nullptr) return resume_later(descriptor);
    if (polls_first(hold, descriptor)) {
        io_uring_prep_poll_add(entry, hold.fd, poll_mask_for(hold));
        unset(hold, must_poll);
        set(hold, is_polling);
    } else {
        fill(*entry, hold, descriptor);
    }
    io_uring_sqe_set_data64(entry, user_data_of(hold));
    set(hold, is_issued);
    ++request_count_;
}

// Allocates the memory that the system reads or writes besides the op's own.
std::int32_t UringPlatform::provide_for(Hold& hold, UringDescriptor& descriptor) noexcept {
    switch (io_code(hold.op())) {
        case IoCode::accept: {
            const std::int32_t status = ensure(descriptor.accepted_from);
            if (status == 0) *descriptor.accepted_from = SystemAddress();
            return status;
        }
        case IoCode::connect: {
            const auto to = SystemAddress::of(static_cast<ConnectOp&>(hold.op()).to);
            if (!to) return to.error().as_result();
            const std::int32_t status = ensure(descriptor.connect_to);
            if (status == 0) *descriptor.connect_to = *to;
            return status;
        }
        case IoCode::receive_from:
        case IoCode::send_to:
        case IoCode::send_pieces:
        case IoCode::receive_passed:
            return provide_message(hold.op(), descriptor);
        case IoCode::path:
            return provide_room(static_cast<PathOp&>(hold.op()));
        case IoCode::receive_ring:
            descriptor.is_local = is_local_socket(hold.fd);
            return ensure_buffers();
        default:
            return 0;
    }
}

std::int32_t UringPlatform::ensure_buffers() noexcept {
    if (buffers_ != nullptr) return 0;
    auto made = UringBuffers::make(ring_->system(), {.count = options_.buffer_count,
                                                     .size_bytes = options_.buffer_size_bytes,
                                                     .is_provided = has_multishot_receive_});
    if (!made) return made.error().as_result();
    buffers_ = std::move(*made);
    has_multishot_receive_ = buffers_->are_provided();
    return 0;
}

bool UringPlatform::polls_first(const Hold& hold,
                                const UringDescriptor& descriptor) const noexcept {
    if (has(hold, must_poll) || hold.op().code() == IoCode::send_file) return true;
    if (hold.op().code() != IoCode::receive_ring) return false;
    // On Unix sockets a multishot receive can miss the end of the stream: if the end arrives with
    // the last bytes, some systems (Linux 6.17 on) take "no more bytes" for "no more".
    return !has_multishot_receive_ || !descriptor.is_socket || descriptor.is_local;
}

// A large send that is the only request to submit needs a system call of its own either way. With a
// plain send its result is there in the same turn.
bool UringPlatform::is_sent_alone(const Hold& hold,
                                  const UringDescriptor& descriptor) const noexcept {
    return hold.op().code() == IoCode::send && descriptor.is_socket &&
           in().empty(Lane::submissions) && ring_->is_empty() &&
           static_cast<const SendOp&>(hold.op()).buffer.size() >= sent_alone_min_bytes;
}

void UringPlatform::fill(io_uring_sqe& entry, Hold& hold, UringDescriptor& descriptor) noexcept {
    Op& op = hold.op();
    const Fd fd = hold.fd;
    switch (io_code(op)) {
        case IoCode::accept: {
            SystemAddress& from = *descriptor.accepted_from;
            return io_uring_prep_accept(&entry, fd, from.data(), from.room(),
                                        SOCK_NONBLOCK | SOCK_CLOEXEC);
        }
        case IoCode::connect: {
            SystemAddress& to = *descriptor.connect_to;
            return io_uring_prep_connect(&entry, fd, to.data(), to.size());
        }
        case IoCode::receive: {
            const Bytes into = static_cast<ReceiveOp&>(op).buffer;
            const unsigned size = call_size_of(into.size());
            if (!descriptor.is_socket) {
                return io_uring_prep_read(&entry, fd, into.data(), size, at_the_present_position);
            }
            io_uring_prep_recv(&entry, fd, into.data(), size, 0);
            // Skips the attempt that would return EAGAIN.
            if (descriptor.is_drained) entry.ioprio |= IORING_RECVSEND_POLL_FIRST;
            return;
        }
        case IoCode::send: {
            const ConstBytes from = static_cast<SendOp&>(op).buffer;
            const unsigned size = call_size_of(from.size());
            if (descriptor.is_socket) {
                return io_uring_prep_send(&entry, fd, from.data(), size, MSG_NOSIGNAL);
            }
            return io_uring_prep_write(&entry, fd, from.data(), size, at_the_present_position);
        }
        case IoCode::receive_from:
        case IoCode::send_to:
        case IoCode::send_pieces:
        case IoCode::receive_passed:
            return fill_message(entry, op, descriptor);
        case IoCode::receive_ring:
            io_uring_prep_recv_multishot(&entry, fd, nullptr, 0, 0);
            entry.flags |= IOSQE_BUFFER_SELECT;
            entry.buf_group = UringBuffers::group_id;
            return;
        case IoCode::poll:
            return io_uring_prep_poll_add(
                &entry, fd, as_request_mask(poll_mask_of(static_cast<PollOp&>(op).events)));
        case IoCode::readiness: {
            const auto mask = LevelWatch::mask_of(static_cast<ReadinessOp&>(op));
            return io_uring_prep_poll_add(&entry, fd, as_request_mask(mask));
        }
        case IoCode::close:
            return io_uring_prep_close(&entry, fd);
        default:
            return fill_file(entry, op);
    }
}

// False if the submission queue is full.
bool UringPlatform::issue_cancel(Hold& hold) noexcept {
    io_uring_sqe* entry = ring_->next_entry();
    if (entry == nullptr) return false;
    io_uring_prep_cancel64(entry, user_data_of(hold), 0);
    io_uring_sqe_set_data64(entry, static_cast<std::uint64_t>(UringTag::cancel));
    set(hold, is_cancel_issued);
    return true;
}

}  // namespace gyre::platform
