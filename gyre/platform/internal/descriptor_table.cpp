// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/descriptor_table.hpp"

#include <fcntl.h>

namespace gyre::platform {

void WatchedDescriptor::leave_lists() noexcept {
    if (is_unfinished()) static_cast<Link<UnfinishedLinks>&>(*this).unlink();
    if (is_starved()) static_cast<Link<StarvedLinks>&>(*this).unlink();
}

void Descriptor::forget() noexcept {
    GYRE_ASSERT(reads.empty(), "descriptor %d is forgotten while reads wait on it", fd);
    GYRE_ASSERT(writes.empty(), "descriptor %d is forgotten while writes wait on it", fd);
    GYRE_ASSERT(watchers.empty(), "descriptor %d is forgotten while it is watched", fd);
    leave_lists();
    kind = Kind::unknown;
    is_registered = false;
    is_level = false;
    is_non_blocking = false;
    is_connecting = false;
    may_read = true;
    may_write = true;
    has_ended = false;
}

bool is_open(Fd fd) noexcept {
    return fd >= 0 && ::fcntl(fd, F_GETFD) >= 0;
}

}  // namespace gyre::platform
