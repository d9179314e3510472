// SPDX-License-Identifier: Apache-2.0
#include "lang/script/inspect/internal/debug_server.hpp"

#include <system_error>
#include <utility>

#include "gyre/base/log.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/cancel.hpp"

namespace gyre::script {
namespace {

// The client of the queue leaves at its end.
class HasClient {
public:
    explicit HasClient(DebugQueue* queue) noexcept : queue_(queue) {}
    ~HasClient() {
        if (queue_ != nullptr) queue_->close();
    }
    HasClient(const HasClient&) = delete;
    HasClient& operator=(const HasClient&) = delete;

private:
    DebugQueue* queue_;
};

// No more comes from the client.
class Leaving {
public:
    explicit Leaving(DebugQueue& queue) noexcept : queue_(queue) {}
    ~Leaving() { queue_.leave(); }
    Leaving(const Leaving&) = delete;
    Leaving& operator=(const Leaving&) = delete;

private:
    DebugQueue& queue_;
};

}  // namespace

Future<void> DebugServer::serve(std::function<void(std::string)> tell_address) {
    const net::Listener listener = co_await net::listen(Address::loopback(options_.port));
    const std::uint16_t port = listener.local_address().value().port();
    target_ = {.id = options_.id,
               .title = options_.title,
               .url = options_.url,
               .host = "127.0.0.1:" + std::to_string(port)};
    tell_address("ws://" + target_.host + "/" + target_.id);
    const auto body = [&](Scope& scope) -> Future<void> {
        scope.spawn(accept_all(&scope, &listener));
        co_await poll_with([this](const Waker& waker) { return queue_.poll_end(waker); });
        // The client gets what waits for it, and closes.
        const auto left = [this](const Waker& waker) { return queue_.poll_left(waker); };
        try {
            co_await timeout(poll_with(left), end_patience);
        } catch (const TimeoutError&) {
            log(LogLevel::debug, "inspector: the client stays behind the end of the script");
        }
        scope.cancel();
    };
    try {
        co_await with_scope(body);
    } catch (const Cancelled&) {
        if (!queue_.has_ended()) throw;
    }
}

Future<void> DebugServer::accept_all(Scope* scope, const net::Listener* listener) {
    for (;;) {
        net::Connection stream = co_await listener->accept();
        if (scope->task_count() > connection_count_max) continue;  // with this task
        scope->spawn(answer(std::move(stream)));
    }
}

// A client that goes away is no failure of the server.
Future<void> DebugServer::answer(net::Connection stream) {
    try {
        net::Reader reader(stream, {.buffer_bytes = head_bytes_max});
        const auto found = co_await timeout(reader.read_until("\r\n\r\n"), patience);
        if (!found) co_return;
        const std::string head(reinterpret_cast<const char*>(found->data()), found->size());
        DebugAnswer answer = answer_debug_request(head, target_);
        if (answer.is_upgrade && !queue_.open()) {
            answer = {.response =
                          debug_error("503 Service Unavailable",
                                      "another client is connected, or the script has ended")};
        }
        const HasClient client(answer.is_upgrade ? &queue_ : nullptr);
        co_await stream.write(bytes_of(answer.response));
        if (answer.is_upgrade) co_await talk(&stream, &reader);
        co_await stream.finish();
    } catch (const std::system_error& error) {
        log(LogLevel::debug, "inspector: %s", error.what());
    } catch (const Failure& failure) {
        log(LogLevel::debug, "inspector: %s", failure.what());
    }
}

Future<void> DebugServer::talk(const net::Connection* stream, net::Reader* reader) {
    const auto body = [&](Scope& scope) -> Future<void> {
        auto reading = scope.spawn(read_messages(reader));
        co_await write_messages(stream);
        try {
            co_await timeout(std::move(reading), end_patience);
        } catch (const TimeoutError&) {
            log(LogLevel::debug, "inspector: the client has not closed");
        }
    };
    co_await with_scope(body);
}

// Until the client closes, or breaks the protocol.
Future<void> DebugServer::read_messages(net::Reader* reader) {
    const Leaving leaving(queue_);
    WebSocketParser parser;
    try {
        for (;;) {
            const ConstBytes bytes = co_await reader->peek();
            if (bytes.empty()) co_return;
            parser.feed(bytes);
            reader->consume(bytes.size());
            while (std::optional<WebSocketMessage> message = parser.next()) {
                switch (message->kind) {
                    case WebSocketMessage::Kind::text:
                        if (!queue_.put(std::move(message->payload))) co_return;
                        break;
                    case WebSocketMessage::Kind::ping:
                        queue_.answer({WebSocketMessage::Kind::pong, std::move(message->payload)});
                        break;
                    case WebSocketMessage::Kind::pong:
                        break;
                    default:  // a close, or binary, which the protocol does not use
                        co_return;
                }
            }
        }
    } catch (const WebSocketError& error) {
        log(LogLevel::debug, "inspector: %s", error.what());
    }
}

// Until the script has ended, or the client is gone. A close is the last frame.
Future<void> DebugServer::write_messages(const net::Connection* stream) {
    const auto next = [this](const Waker& waker) { return queue_.poll_output(waker); };
    for (;;) {
        const std::optional<WebSocketMessage> message = co_await poll_with(next);
        const bool is_last = !message;
        const std::string frame = web_socket_frame(
            message ? *message
                    : WebSocketMessage{WebSocketMessage::Kind::close, close_payload(1000, "")});
        co_await stream->write(bytes_of(frame));
        if (is_last) co_return;
    }
}

}  // namespace gyre::script
