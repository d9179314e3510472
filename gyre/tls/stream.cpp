// SPDX-License-Identifier: Apache-2.0
// The engine is one, and the directions two. Between awaits a task is alone with the engine, so
// that only the streams of bytes below need an order:
//
//   - who holds `sending_` takes bytes from the engine's output and sends them; another one that
//     has something to send adds it behind them and waits for its turn;
//   - who holds `receiving_` receives for both: a sender may need input too, in the middle of a
//     message about keys. Who waited looks first whether something has come meanwhile;
//   - a receiver never only waits for its bytes to go: the peer may be unable to take them before
//     its own have been taken.
#include "gyre/tls/stream.hpp"

#include <exception>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/task/race.hpp"
#include "gyre/tls/errors.hpp"

namespace gyre::tls {

Stream::Stream(Context& context, std::unique_ptr<net::ByteStream> below,
               const std::string& server_name)
    : below_(std::move(below)), engine_(context, server_name) {}

Future<void> Stream::flush() {
    const MutexGuard guard = co_await sending_.lock();
    for (;;) {
        ConstBytes rest = engine_.output();
        const std::size_t size = rest.size();
        if (size == 0) co_return;
        std::exception_ptr failure;
        try {
            co_await below_->send(std::span(&rest, 1));
        } catch (...) {
            failure = std::current_exception();
        }
        engine_.output_went(size - rest.size());
        if (failure != nullptr) std::rethrow_exception(failure);
    }
}

Future<void> Stream::pull(std::size_t seen_count) {
    const MutexGuard guard = co_await receiving_.lock();
    if (input_count_ != seen_count) co_return;
    const std::size_t size = co_await below_->receive(engine_.input_room());
    ++input_count_;
    if (size == 0) engine_.end_input();
    engine_.input_came(size);
}

Future<void> Stream::satisfy(Wants wants) {
    if (wants == Wants::room) return flush();
    // Where somebody sends already it is theirs to go on.
    if (engine_.output().empty() || sending_.is_locked()) return pull(input_count_);
    return race(flush(), pull(input_count_));
}

Future<void> Stream::handshake() {
    for (;;) {
        Wants wants = Wants::nothing;
        std::exception_ptr failure;
        try {
            wants = engine_.handshake();
        } catch (const TlsError&) {
            failure = std::current_exception();
        }
        // Also where it failed: the peer learns why from the alert.
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

Future<std::size_t> Stream::receive(Bytes into) {
    GYRE_ASSERT(!into.empty(), "a receive needs room for one byte at least");
    for (;;) {
        Step step{.wants = Wants::input};
        if (!engine_.needs_input()) step = engine_.read(into);
        if (step.wants == Wants::nothing) co_return step.size;
        co_await satisfy(step.wants);
    }
}

Future<void> Stream::send(std::span<ConstBytes> pieces) {
    for (ConstBytes& piece : pieces) {
        while (!piece.empty()) {
            const Step step = engine_.write(piece);
            piece = piece.subspan(step.size);
            if (step.wants != Wants::nothing) co_await satisfy(step.wants);
        }
    }
    co_await flush();
}

Future<void> Stream::finish() {
    for (;;) {
        const Wants wants = engine_.close();
        if (wants == Wants::nothing) break;
        co_await satisfy(wants);
    }
    co_await flush();
    co_await below_->finish();
}

Future<void> Stream::aclose() {
    if (below_ == nullptr) co_return;
    std::exception_ptr cancelled;
    try {
        co_await finish();
    } catch (const Cancelled&) {
        cancelled = std::current_exception();
    } catch (const std::system_error&) {
        // Whom it was for has gone already.
    }
    GYRE_ASSERT(!receiving_.is_locked(), "a TLS stream is closed while somebody receives");
    GYRE_ASSERT(!sending_.is_locked(), "a TLS stream is closed while somebody sends");
    below_.reset();
    if (cancelled != nullptr) std::rethrow_exception(cancelled);
}

Future<std::unique_ptr<Stream>> connect(Context& context, std::unique_ptr<net::ByteStream> below,
                                        std::string server_name) {
    auto stream = std::make_unique<Stream>(context, std::move(below), server_name);
    co_await stream->handshake();
    co_return stream;
}

Future<std::unique_ptr<Stream>> connect(Context& context, net::Stream below,
                                        std::string server_name) {
    return connect(context, std::make_unique<net::Stream>(std::move(below)),
                   std::move(server_name));
}

Future<std::unique_ptr<Stream>> accept(Context& context, net::Stream below) {
    auto stream =
        std::make_unique<Stream>(context, std::make_unique<net::Stream>(std::move(below)));
    co_await stream->handshake();
    co_return stream;
}

}  // namespace gyre::tls
