// SPDX-License-Identifier: Apache-2.0
// UringEdges: the descriptors of edge-triggered readiness ops, in an epoll set that the ring polls.
// A request of the ring keeps its socket open until the system has torn the ring down, which it
// does some time after the process has ended: a port would still be taken when the next process
// binds it. An epoll set keeps no descriptor open. Only the loop's thread; part of a UringPlatform.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <memory>

#include "gyre/base/result.hpp"
#include "gyre/platform/internal/system/own_fd.hpp"

namespace gyre::platform {

class UringEdges {
public:
    // Events taken at once; more are there at the next look.
    static constexpr std::size_t event_count_max = 256;
    using Events = std::array<epoll_event, event_count_max>;

    // With the loop, which must also work when there are no descriptors any more.
    [[nodiscard]] static Result<std::unique_ptr<UringEdges>> make() noexcept;

    // Reports the present state of the descriptor as an edge, then its changes. A second call
    // replaces the events. Result: 0 or an error.
    [[nodiscard]] std::int32_t watch(Fd fd, unsigned mask) noexcept;
    void unwatch(Fd fd) noexcept;

    // The count of events.
    [[nodiscard]] std::size_t take(Events& into) noexcept;
    [[nodiscard]] Fd fd() const noexcept { return set_.get(); }

private:
    UringEdges() noexcept : set_(::epoll_create1(EPOLL_CLOEXEC)) {}

    const OwnFd set_;
};

}  // namespace gyre::platform
