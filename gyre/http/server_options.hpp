// SPDX-License-Identifier: Apache-2.0
// What a server allows, and for how long. Each limit has a status, and each time a way to end.
// Plain data.
#pragma once

#include <chrono>
#include <cstddef>

#include "gyre/http/date.hpp"
#include "gyre/http/limits.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre::http {

struct Timeouts {
    // From the first byte of a head to its last; 408.
    Duration head = std::chrono::seconds(10);
    // While a handler waits for the body, all its waits together; 408.
    Duration body = std::chrono::seconds(60);
    // Between two requests; the connection is closed without a word.
    Duration idle = std::chrono::seconds(60);
    // From the end of the head to the beginning of the answer; 503.
    Duration handler = std::chrono::seconds(30);
    // Until the other side has taken what was given to the system; the connection is closed.
    Duration write = std::chrono::seconds(30);
    // How often the times are looked at: none is noticed earlier, nor much later.
    Duration step = std::chrono::milliseconds(100);
};

struct ServerOptions {
    Limits limits = {};
    Timeouts timeouts = {};
    // Those beyond it are answered with 503 and closed.
    std::size_t connection_count_max = 10'000;
    // The last of them is answered with `Connection: close`.
    std::size_t request_count_max = 1'000'000;
    // How much of a body that no handler wanted is read so that the connection can go on.
    std::size_t unread_body_bytes_max = std::size_t{64} << 10U;
    // Of an answer that is streamed: a write waits while more than that is not with the system.
    std::size_t send_buffer_bytes = std::size_t{64} << 10U;
    // How long a shutdown waits for what is in flight.
    Duration stop_within = std::chrono::seconds(10);
    // For the Date field; without it there is none.
    UnixSeconds (*wall_time)() = nullptr;
};

}  // namespace gyre::http
