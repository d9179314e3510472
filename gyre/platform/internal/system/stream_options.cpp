// SPDX-License-Identifier: Apache-2.0
// The stream options of SystemSockets.
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "gyre/platform/internal/system/socket_calls.hpp"
#include "gyre/platform/internal/system/system_call.hpp"

namespace gyre::platform {
namespace {

struct Place {
    int level;
    int name;
};

Place place_of(StreamOption option) noexcept {
    switch (option) {
        case StreamOption::no_delay:
            return {IPPROTO_TCP, TCP_NODELAY};
        case StreamOption::keep_alive:
            return {SOL_SOCKET, SO_KEEPALIVE};
        case StreamOption::keep_alive_idle_s:
            return {IPPROTO_TCP, TCP_KEEPIDLE};
        case StreamOption::keep_alive_interval_s:
            return {IPPROTO_TCP, TCP_KEEPINTVL};
        case StreamOption::keep_alive_count:
            return {IPPROTO_TCP, TCP_KEEPCNT};
        case StreamOption::linger_s:
            return {SOL_SOCKET, SO_LINGER};
        case StreamOption::send_buffer_bytes:
            return {SOL_SOCKET, SO_SNDBUF};
        case StreamOption::receive_buffer_bytes:
            return {SOL_SOCKET, SO_RCVBUF};
    }
    return {-1, -1};
}

template <class Value>
Result<void> set(Fd fd, Place place, const Value& value) noexcept {
    if (::setsockopt(fd, place.level, place.name, &value, sizeof value) < 0) return last_error();
    return {};
}

template <class Value>
Result<Value> get(Fd fd, Place place) noexcept {
    Value value{};
    socklen_t size = sizeof value;
    if (::getsockopt(fd, place.level, place.name, &value, &size) < 0) return last_error();
    return value;
}

}  // namespace

Result<void> SystemSockets::set_stream_option(Fd fd, StreamOption option, int value) {
    if (!is_valid(option, value)) return std::unexpected(Error(std::errc::invalid_argument));
    const Place place = place_of(option);
    if (option != StreamOption::linger_s) return set(fd, place, value);
    linger how{};
    how.l_onoff = value < 0 ? 0 : 1;
    how.l_linger = value < 0 ? 0 : value;
    return set(fd, place, how);
}

Result<int> SystemSockets::stream_option(Fd fd, StreamOption option) {
    const Place place = place_of(option);
    if (option != StreamOption::linger_s) return get<int>(fd, place);
    const Result<linger> how = get<linger>(fd, place);
    if (!how) return std::unexpected(how.error());
    return how->l_onoff == 0 ? -1 : how->l_linger;
}

}  // namespace gyre::platform
