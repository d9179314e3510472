// SPDX-License-Identifier: Apache-2.0
// Two directions share one engine. Between awaits a task has the engine for itself, so only the
// transfers below need locks:
//
//   - the holder of `sending_` sends the engine's output. Another sender appends to the output and
//     waits for the lock;
//   - the holder of `receiving_` receives for both directions: a sender needs input in the middle
//     of a key update. A task that waited for the lock first checks whether input has arrived;
//   - a receiver that has output never only waits for the send: it receives at the same time,
//     because a peer that is blocked on its own send may not read until we do.
#include "gyre/tls/connection.hpp"

#include <exception>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/task/combine/race.hpp"
#include "gyre/tls/internal/engine.hpp"

namespace gyre::tls {

Connection::Connection(Context& context, std::unique_ptr<net::ByteStream> below,
                       const std::string& server_name)
    : below_(std::move(below)), engine_(std::make_unique<Engine>(context, server_name)) {
    GYRE_ASSERT(below_ != nullptr, "a TLS stream needs a stream below it: pass an open one");
}

Connection::~Connection() = default;

Future<void> Connection::flush() {
    const MutexGuard guard = co_await sending_.lock();
    for (;;) {
        ConstBytes rest = engine_->output();
        const std::size_t size = rest.size();
        if (size == 0) co_return;
        std::exception_ptr failure;
        try {
            co_await below_->write_pieces(std::span(&rest, 1));
        } catch (...) {
            failure = std::current_exception();
        }
        engine_->output_sent(size - rest.size());
        if (failure != nullptr) std::rethrow_exception(failure);
    }
}

Future<void> Connection::pull(std::size_t seen_count) {
    const MutexGuard guard = co_await receiving_.lock();
    if (input_count_ != seen_count) co_return;
    const std::size_t size = co_await below_->read(engine_->input_room());
    ++input_count_;
    if (size == 0) engine_->end_input();
    engine_->input_added(size);
}

Future<void> Connection::satisfy(Wants wants) {
    if (wants == Wants::room) return flush();
    // Another task that is sending sends this output too.
    if (engine_->output().empty() || sending_.is_locked()) return pull(input_count_);
    return race(flush(), pull(input_count_));
}

Future<void> Connection::handshake() {
    for (;;) {
        Wants wants = Wants::nothing;
        std::exception_ptr failure;
        try {
            wants = engine_->handshake();
        } catch (const TlsError&) {
            failure = std::current_exception();
        }
        // Also after a failure: the alert tells the peer.
        try {
            co_await flush();
        } catch (const std::system_error&) {
            if (failure == nullptr) throw;
        }
        if (failure != nullptr) std::rethrow_exception(failure);
        if (wants == Wants::nothing) co_return;
        if (wants == Wants::input) co_await pull(input_count_);
    }
}

Future<std::size_t> Connection::do_read(Bytes into) {
    GYRE_ASSERT(
        !into.empty(),
        "a read into an empty buffer would look like the end of the stream: pass a larger one");
    for (;;) {
        Step step{.wants = Wants::input};
        if (!engine_->needs_input()) step = engine_->read(into);
        if (step.wants == Wants::nothing) co_return step.size;
        co_await satisfy(step.wants);
    }
}

Future<void> Connection::do_write_pieces(std::span<ConstBytes> pieces) {
    for (ConstBytes& piece : pieces) {
        while (!piece.empty()) {
            const Step step = engine_->write(piece);
            piece = piece.subspan(step.size);
            if (step.wants != Wants::nothing) co_await satisfy(step.wants);
        }
    }
    co_await flush();
}

Future<void> Connection::do_finish() {
    for (;;) {
        const Wants wants = engine_->close();
        if (wants == Wants::nothing) break;
        co_await satisfy(wants);
    }
    co_await flush();
    co_await below_->finish();
}

Future<void> Connection::aclose() {
    if (below_ == nullptr) co_return;
    std::exception_ptr cancelled;
    try {
        co_await finish();
    } catch (const Cancelled&) {
        cancelled = std::current_exception();
    } catch (const std::system_error&) {
        // The peer has closed already.
    }
    GYRE_ASSERT(!receiving_.is_locked(), "aclose while another task reads: end that task first");
    GYRE_ASSERT(!sending_.is_locked(), "aclose while another task writes: end that task first");
    below_.reset();
    if (cancelled != nullptr) std::rethrow_exception(cancelled);
}

std::string_view Connection::protocol() const noexcept {
    return engine_->protocol();
}

std::string_view Connection::version() const noexcept {
    return engine_->version();
}

bool Connection::is_resumed() const noexcept {
    return engine_->is_resumed();
}

std::string_view Connection::server_name() const noexcept {
    return engine_->server_name();
}

std::string Connection::peer_subject() const {
    return engine_->peer_subject();
}

std::size_t Connection::held_bytes() const noexcept {
    return engine_->held_bytes() + (below_ == nullptr ? 0 : below_->held_bytes());
}

Future<std::unique_ptr<Connection>> connect(Context& context,
                                            std::unique_ptr<net::ByteStream> below,
                                            std::string server_name) {
    auto stream = std::make_unique<Connection>(context, std::move(below), server_name);
    co_await stream->handshake();
    co_return stream;
}

Future<std::unique_ptr<Connection>> connect(Context& context, net::Connection below,
                                            std::string server_name) {
    return connect(context, std::make_unique<net::Connection>(std::move(below)),
                   std::move(server_name));
}

Future<std::unique_ptr<Connection>> accept(Context& context, net::Connection below) {
    auto stream =
        std::make_unique<Connection>(context, std::make_unique<net::Connection>(std::move(below)));
    co_await stream->handshake();
    co_return stream;
}

}  // namespace gyre::tls
