// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/stream.hpp"

namespace gyre::net {

// ---- Close ----

bool CloseStream::Await::await_ready() noexcept {
    return begin() || !stream_.is_open();
}

void CloseStream::Await::await_suspend(std::coroutine_handle<> by) noexcept {
    fd = stream_.release();
    IoAwait::await_suspend(by);
}

Result<void> CloseStream::Await::outcome() {
    const Result<std::int32_t> result = take_result();
    if (!result) return std::unexpected(result.error());
    return {};
}

// ---- Stream ----

ReadSome Stream::read_some(Bytes into) const noexcept {
    GYRE_ASSERT(!into.empty(), "a read into an empty buffer would look like the end: give it room");
    return {fd_, into};
}

Result<void> Stream::set_keep_alive(std::optional<KeepAlive> how) const {
    if (!how) return set(StreamOption::keep_alive, 0);
    if (const auto done = set(StreamOption::keep_alive_idle_s, how->idle_s); !done) return done;
    if (const auto done = set(StreamOption::keep_alive_interval_s, how->interval_s); !done) {
        return done;
    }
    if (const auto done = set(StreamOption::keep_alive_count, how->count); !done) return done;
    return set(StreamOption::keep_alive, 1);
}

Future<void> Stream::send(std::span<ConstBytes> pieces) {
    if (pieces.size() == 1) return write_rest(pieces.front());
    return write_pieces(pieces);
}

Future<void> Stream::finish() {
    if (const Result<void> done = end_sending(); !done) co_await fail(done.error());
}

// ---- Connect ----

bool Connect::Await::await_ready() noexcept {
    if (begin()) return true;
    const Result<Fd> socket = sockets_.stream(to.family());
    if (!socket) {
        made_ = std::unexpected(socket.error());
        return true;
    }
    fd = *socket;
    made_ = Stream(sockets_, *socket);
    return false;
}

Result<Stream> Connect::Await::outcome() {
    const Result<std::int32_t> result = take_result();
    if (!result) return std::unexpected(result.error());
    return std::move(made_);
}

Result<std::pair<Stream, Stream>> StreamPair::Await::outcome() {
    const Result<std::array<Fd, 2>> made = sockets_.stream_pair();
    if (!made) return std::unexpected(made.error());
    return std::pair(Stream(sockets_, (*made)[0]), Stream(sockets_, (*made)[1]));
}

}  // namespace gyre::net
