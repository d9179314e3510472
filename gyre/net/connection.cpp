// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/connection.hpp"

#include <algorithm>
#include <system_error>

#include "gyre/io/environment.hpp"
#include "gyre/io/file_tree.hpp"
#include "gyre/kernel/platform.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/thread/blocking.hpp"

namespace gyre::net {
namespace {

// A file is sent in pieces of this size; each is brought into the page cache before it is sent.
constexpr std::uint64_t file_piece_bytes = std::uint64_t{1024} << 10U;

// Reads the piece into the page cache on a file thread, so that sendfile does not block the loop on
// the disk. Without such threads sendfile blocks.
Future<void> bring_to_memory(FileSlice piece) {
    const Task& self = co_await this_task();
    FileTree* const tree = self.executor().loop().platform().environment()->file_tree();
    const auto size = static_cast<std::size_t>(piece.size_bytes);
    if (tree == nullptr || tree->is_in_memory(piece.file, piece.offset, size)) co_return;
    const auto load = [tree, piece, size] { tree->load(piece.file, piece.offset, size); };
    try {
        co_await blocking(load, WorkKind::files);
    } catch (const std::system_error&) {
        co_return;
    }
}

}  // namespace

// ---- Close ----

bool CloseConnection::Await::await_ready() noexcept {
    return begin() || !stream_.is_open();
}

void CloseConnection::Await::await_suspend(std::coroutine_handle<> by) noexcept {
    fd = stream_.release();
    IoAwait::await_suspend(by);
}

Result<void> CloseConnection::Await::outcome() {
    return take_void_result();
}

// ---- Connection ----

ReadSome Connection::read(Bytes into) const noexcept {
    GYRE_ASSERT(
        !into.empty(),
        "a read into an empty buffer would look like the end of the stream: pass a larger one");
    return {fd_, into};
}

Result<void> Connection::set_keep_alive(std::optional<KeepAlive> how) const {
    if (!how) return set(StreamOption::keep_alive, 0);
    if (const auto done = set(StreamOption::keep_alive_idle_s, how->idle_s); !done) return done;
    if (const auto done = set(StreamOption::keep_alive_interval_s, how->interval_s); !done) {
        return done;
    }
    if (const auto done = set(StreamOption::keep_alive_count, how->count); !done) return done;
    return set(StreamOption::keep_alive, 1);
}

Future<void> Connection::do_write_pieces(std::span<ConstBytes> pieces) {
    if (pieces.size() == 1) return write_rest(pieces.front());
    return write_pieces(pieces);
}

Future<void> Connection::do_write_file(ConstBytes& before, FileSlice& part) {
    while (!before.empty() || part.size_bytes > 0) {
        FileSlice piece = part;
        piece.size_bytes = std::min(piece.size_bytes, file_piece_bytes);
        co_await bring_to_memory(piece);
        const Result<void> sent = co_await try_(write_file_now(before, part, piece.size_bytes));
        if (!sent && sent.error() != Error(std::errc::invalid_argument)) {
            co_await fail(sent.error());
        }
        // sendfile does not support every kind of file: copy instead.
        if (!sent) co_await ByteStream::do_write_file(before, part);
        if (part.offset < piece.offset + piece.size_bytes) throw FileEnded(part.size_bytes);
    }
}

Future<void> Connection::finish() const {
    if (const Result<void> done = sockets_->end_sending(fd_); !done) co_await fail(done.error());
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
    made_ = Connection(sockets_, *socket);
    return false;
}

Result<Connection> Connect::Await::outcome() {
    const Result<std::int32_t> result = take_result();
    if (!result) return std::unexpected(result.error());
    return std::move(made_);
}

Result<std::pair<Connection, Connection>> ConnectionPair::Await::outcome() {
    const Result<std::array<Fd, 2>> made = sockets_.connection_pair();
    if (!made) return std::unexpected(made.error());
    return std::pair(Connection(sockets_, (*made)[0]), Connection(sockets_, (*made)[1]));
}

// ---- Passing descriptors ----

ReceiveDescriptors::Await::~Await() {
    for (const Fd passed : room.first(passed_count)) sockets_.close_now(passed);
}

Result<Passed> ReceiveDescriptors::Await::outcome() {
    const Result<std::int32_t> result = take_result();
    if (!result) return std::unexpected(result.error());
    const std::size_t count = std::exchange(passed_count, 0);
    GYRE_ASSERT(count <= room.size(), "a platform passed %zu descriptors into room for %zu", count,
                room.size());
    return Passed{static_cast<std::size_t>(*result), count, is_cut_off};
}

}  // namespace gyre::net
