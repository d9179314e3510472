// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/internal/line_output.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace gyre {
namespace {

// Whether a write of line_bytes_max bytes returns at once. A pipe says so if it has a free page.
bool can_write(int fd) noexcept {
    pollfd wanted{.fd = fd, .events = POLLOUT, .revents = 0};
    int count = 0;
    do {
        count = ::poll(&wanted, 1, 0);
    } while (count < 0 && errno == EINTR);
    return count != 0;  // An error is reported by the write.
}

bool write_all(int fd, std::string_view text) noexcept {
    while (!text.empty()) {
        const ssize_t size = ::write(fd, text.data(), text.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return errno == EAGAIN;  // Set so by another process: the rest is dropped.
        text.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
}

}  // namespace

Printed LineOutput::write(std::string_view line) noexcept {
    const std::lock_guard lock(mutex_);
    if (!can_write(fd_)) {
        ++dropped_count_;
        return Printed::dropped;
    }
    std::array<char, line_bytes_max> text{};
    std::size_t size = 0;
    if (dropped_count_ > told_count_) {
        const int told =
            std::snprintf(text.data(), text.size(),
                          "gyre: %llu lines were dropped: "
                          "nobody reads this output fast enough\n",
                          static_cast<unsigned long long>(dropped_count_ - told_count_));
        size = static_cast<std::size_t>(std::max(told, 0));
    }
    const std::size_t taken = std::min(line.size(), text.size() - size);
    std::memcpy(text.data() + size, line.data(), taken);
    size += taken;
    if (taken < line.size()) text[size - 1] = '\n';
    if (!write_all(fd_, {text.data(), size})) return Printed::failed;
    told_count_ = dropped_count_;
    return Printed::yes;
}

std::uint64_t LineOutput::dropped_count() const noexcept {
    const std::lock_guard lock(mutex_);
    return dropped_count_;
}

// Never destroyed: a thread may log while the process ends.
LineOutput& standard_error() noexcept {
    static constinit LineOutput output(STDERR_FILENO);
    return output;
}

LineOutput& standard_output() noexcept {
    static constinit LineOutput output(STDOUT_FILENO);
    return output;
}

}  // namespace gyre
