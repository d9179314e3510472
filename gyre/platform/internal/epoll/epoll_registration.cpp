// SPDX-License-Identifier: Apache-2.0
// The part of EpollPlatform that tells epoll which descriptors to watch, and for what.
#include <sys/epoll.h>

#include <cerrno>
#include <utility>

#include "gyre/platform/internal/epoll/epoll.hpp"

namespace gyre::platform {
namespace {

// Watches the descriptor that the interest names, whether it was watched before or not.
std::int32_t add_or_change(int epoll_fd, epoll_event& interest) noexcept {
    if (::epoll_ctl(epoll_fd, EPOLL_CTL_ADD, interest.data.fd, &interest) == 0) return 0;
    if (errno != EEXIST) return -errno;
    return ::epoll_ctl(epoll_fd, EPOLL_CTL_MOD, interest.data.fd, &interest) == 0 ? 0 : -errno;
}

}  // namespace

std::int32_t EpollPlatform::ensure_registered(Descriptor& descriptor) noexcept {
    if (descriptor.is_registered && !descriptor.is_level) return 0;
    epoll_event interest{};
    interest.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI | EPOLLET;
    interest.data.fd = descriptor.fd;
    // What is ready already counts as an edge, so that nothing is missed between the attempt and
    // this. A registration that is there still is renewed for the same reason.
    const std::int32_t status = add_or_change(epoll_fd_.get(), interest);
    if (status < 0) {
        descriptor.may_read = true;
        descriptor.may_write = true;
        return status;
    }
    descriptor.is_level = false;  // Whoever watches levels sees the first edge, and is looked at.
    if (!std::exchange(descriptor.is_registered, true)) ++registered_count_;
    return 0;
}

// For what all who watch the descriptor want together. Its owner may have closed it without telling
// anybody, so what is registered under this number may be gone.
std::int32_t EpollPlatform::register_levels(Descriptor& descriptor) noexcept {
    unsigned mask = 0;
    descriptor.watchers.for_each([&mask](Hold& hold) {
        mask |= static_cast<unsigned>(LevelWatch::mask_of(static_cast<ReadinessOp&>(hold.op())));
    });
    epoll_event interest{};
    interest.events = mask;
    interest.data.fd = descriptor.fd;
    const std::int32_t status = add_or_change(epoll_fd_.get(), interest);
    if (status < 0) return status;
    if (!std::exchange(descriptor.is_registered, true)) ++registered_count_;
    descriptor.is_level = true;
    descriptor.may_read = true;
    descriptor.may_write = true;
    return 0;
}

void EpollPlatform::end_registration(Descriptor& descriptor) noexcept {
    ::epoll_ctl(epoll_fd_.get(), EPOLL_CTL_DEL, descriptor.fd, nullptr);
    descriptor.is_registered = false;
    descriptor.is_level = false;
    descriptor.may_read = true;
    descriptor.may_write = true;
    --registered_count_;
}

}  // namespace gyre::platform
