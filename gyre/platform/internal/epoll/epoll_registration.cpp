// SPDX-License-Identifier: Apache-2.0
// The part of EpollPlatform that registers descriptors and their interest sets with epoll.
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "gyre/platform/internal/epoll/epoll.hpp"

namespace gyre::platform {
namespace {

// Registers the descriptor, or changes its registration if there is one.
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
    // epoll reports a descriptor that is ready already as an edge, so that no event between the
    // attempt and this call is missed. An existing registration is renewed for the same reason.
    const std::int32_t status = add_or_change(epoll_fd_.get(), interest);
    if (status < 0) {
        descriptor.may_read = true;
        descriptor.may_write = true;
        return status;
    }
    descriptor.is_level = false;  // The first edge makes the level ops be polled.
    if (!std::exchange(descriptor.is_registered, true)) ++registered_count_;
    return 0;
}

// Registers the union of the events that the descriptor's watchers want. Its owner may have closed
// it without the platform's knowledge, so the registration of this number may be gone.
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

std::int32_t EpollPlatform::listen_for_wakes() noexcept {
    if (epoll_fd_.status() < 0) return epoll_fd_.status();
    if (wake_fd_.status() < 0) return wake_fd_.status();
    // Edge-triggered: each write is an event, whatever the counter, so the eventfd is never read.
    epoll_event interest{};
    interest.events = EPOLLIN | EPOLLET;
    interest.data.fd = wake_fd_.get();
    const int status = ::epoll_ctl(epoll_fd_.get(), EPOLL_CTL_ADD, wake_fd_.get(), &interest);
    return status < 0 ? -errno : 0;
}

// A registration whose number is closed cannot be removed, and a level-triggered one would report
// events forever. So the epoll set is created anew, under the same number.
std::int32_t EpollPlatform::renew_system() noexcept {
    const OwnFd fresh(::epoll_create1(EPOLL_CLOEXEC));
    if (fresh.status() < 0) return fresh.status();
    if (::dup3(fresh.get(), epoll_fd_.get(), O_CLOEXEC) < 0) return -errno;
    const std::int32_t status = listen_for_wakes();
    descriptors_.for_each([this](Descriptor& descriptor) {
        if (!descriptor.is_registered) return;
        const bool is_level = descriptor.is_level;
        end_registration(descriptor);
        // If that fails, the ops are served with the next attempt.
        (void)(is_level ? register_levels(descriptor) : ensure_registered(descriptor));
    });
    return status;
}

}  // namespace gyre::platform
