// SPDX-License-Identifier: Apache-2.0
// Edge-triggered readiness ops of UringPlatform: their descriptors, and the ops that get the events.
#include "gyre/platform/internal/uring/uring_edges.hpp"

#include <poll.h>

#include <cerrno>
#include <new>

#include "gyre/platform/internal/system/io_calls.hpp"
#include "gyre/platform/internal/uring/uring.hpp"
#include "gyre/platform/internal/uring/uring_marks.hpp"
#include "gyre/platform/internal/uring/uring_ring.hpp"

namespace gyre::platform {

static_assert(EPOLLIN == POLLIN && EPOLLPRI == POLLPRI && EPOLLOUT == POLLOUT);
static_assert(EPOLLERR == POLLERR && EPOLLHUP == POLLHUP && EPOLLRDHUP == POLLRDHUP);

Result<std::unique_ptr<UringEdges>> UringEdges::make() noexcept {
    std::unique_ptr<UringEdges> made(new (std::nothrow) UringEdges);
    if (made == nullptr) return std::unexpected(Error(std::errc::not_enough_memory));
    if (made->set_.status() < 0) return std::unexpected(Error::of_result(made->set_.status()));
    return made;
}

std::int32_t UringEdges::watch(Fd fd, unsigned mask) noexcept {
    epoll_event interest{};
    interest.events = mask | EPOLLET;
    interest.data.fd = fd;
    if (::epoll_ctl(set_.get(), EPOLL_CTL_ADD, fd, &interest) == 0) return 0;
    if (errno != EEXIST) return -errno;
    return ::epoll_ctl(set_.get(), EPOLL_CTL_MOD, fd, &interest) == 0 ? 0 : -errno;
}

// An error means that its owner has closed it already, which took it out.
void UringEdges::unwatch(Fd fd) noexcept {
    (void)::epoll_ctl(set_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

std::size_t UringEdges::take(Events& into) noexcept {
    const int count = ::epoll_wait(set_.get(), into.data(), static_cast<int>(into.size()), 0);
    return count > 0 ? static_cast<std::size_t>(count) : 0;
}

// ---- The ops ----

// The events of all ops on the descriptor: they share its place in the set.
void UringPlatform::watch_edges(ReadinessOp& op, UringDescriptor& descriptor) noexcept {
    int mask = 0;
    descriptor.others.for_each([&mask](Hold& hold) {
        if (is_edge(hold)) mask |= poll_mask_of(static_cast<ReadinessOp&>(hold.op()).wanted);
    });
    const std::int32_t status = edges_->watch(op.fd, static_cast<unsigned>(mask));
    if (status == failure(std::errc::operation_not_permitted)) return on_not_pollable(op);
    if (status < 0) return finish(op, status);
    set(op, is_in_edge_set);
    has_edge_ops_ = true;
}

// A multishot poll: a result when the set gets ready, and with each further edge.
void UringPlatform::listen_for_edges() noexcept {
    io_uring_sqe* entry = ring_->next_entry();
    if (entry == nullptr) return;
    io_uring_prep_poll_multishot(entry, edges_->fd(), POLLIN);
    io_uring_sqe_set_data64(entry, static_cast<std::uint64_t>(UringTag::edges));
    is_listening_for_edges_ = true;
}

void UringPlatform::take_edges() noexcept {
    UringEdges::Events events;
    const std::size_t count = edges_->take(events);
    has_edges_left_ = count == events.size();
    for (std::size_t i = 0; i < count; ++i) on_edge(events[i].data.fd, events[i].events);
}

void UringPlatform::on_edge(Fd fd, unsigned mask) noexcept {
    UringDescriptor* descriptor = descriptors_.find(fd);
    if (descriptor == nullptr) return;
    descriptor->others.for_each([&](Hold& hold) {
        if (!is_edge(hold)) return;
        auto& op = static_cast<ReadinessOp&>(hold.op());
        const Events events =
            events_of_mask(static_cast<int>(mask)) & (op.wanted | Events::hang_up | Events::error);
        if (!any(events)) return;
        op.happened = op.happened | events;
        notify(op);
    });
}

// The last op on the descriptor takes it out of the set, before its number can mean another file.
void UringPlatform::leave_edges(const Hold& hold, UringDescriptor& descriptor) noexcept {
    if (!has(hold, is_in_edge_set)) return;
    bool is_last = true;
    descriptor.others.for_each([&](Hold& other) {
        is_last = is_last && (&other == &hold || !has(other, is_in_edge_set));
    });
    if (is_last) edges_->unwatch(hold.fd);
}

}  // namespace gyre::platform
