// SPDX-License-Identifier: Apache-2.0
// SocketTransport: frames between the nodes of two hosts over a connection of sockets. run_node reads
// and writes them until the connection is lost or silent, and then closes the node. One thread.
#pragma once

#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "gyre/actor/node.hpp"
#include "gyre/net/buffered.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/task/combine/race.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/sync/event.hpp"

namespace gyre::testing {

// What a node has sent and its connection has not taken yet.
struct Outbound {
    std::string bytes;
    Event changed;
    bool is_closed = false;
};

class SocketTransport final : public actor::Transport {
public:
    explicit SocketTransport(std::shared_ptr<Outbound> out) : out_(std::move(out)) {}

    Result<void> send(actor::Frame frame) override {
        if (out_->is_closed) return std::unexpected(Error(std::errc::not_connected));
        std::string bytes(1, static_cast<char>(frame.kind));
        put(bytes, frame.call);
        put(bytes, frame.trace_id);
        for (const std::string* text : {&frame.actor, &frame.type, &frame.bytes}) {
            put(bytes, text->size());
            bytes += *text;
        }
        put(out_->bytes, bytes.size());
        out_->bytes += bytes;
        out_->changed.set();
        return {};
    }
    void close() noexcept override {
        out_->is_closed = true;
        out_->changed.set();
    }

    static actor::Frame frame_of(std::string_view bytes) {
        actor::Frame frame{.kind = static_cast<actor::Frame::Kind>(bytes.front())};
        bytes.remove_prefix(1);
        frame.call = take(bytes);
        frame.trace_id = take(bytes);
        for (std::string* text : {&frame.actor, &frame.type, &frame.bytes}) {
            const std::size_t size = take(bytes);
            *text = bytes.substr(0, size);
            bytes.remove_prefix(size);
        }
        return frame;
    }

private:
    static void put(std::string& bytes, std::uint64_t number) {
        bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
    static std::uint64_t take(std::string_view& bytes) {
        std::uint64_t number = 0;
        std::memcpy(&number, bytes.data(), sizeof number);
        bytes.remove_prefix(sizeof number);
        return number;
    }

    const std::shared_ptr<Outbound> out_;
};

inline Future<void> read_frames(net::Connection* stream, actor::Node* node, Duration silence_max) {
    net::Reader reader(*stream);
    for (;;) {
        std::array<std::byte, 8> head{};
        co_await timeout(reader.read_exactly(head), silence_max);
        std::uint64_t size = 0;
        std::memcpy(&size, head.data(), head.size());
        std::string bytes(size, '\0');
        co_await timeout(reader.read_exactly(std::as_writable_bytes(std::span(bytes))),
                         silence_max);
        static_cast<void>(node->receive(SocketTransport::frame_of(bytes)));
    }
}

inline Future<void> write_frames(net::Connection* stream, Outbound* out) {
    while (!out->is_closed || !out->bytes.empty()) {
        if (out->bytes.empty()) co_await out->changed.wait();
        out->changed.reset();
        const std::string bytes = std::exchange(out->bytes, {});
        if (!bytes.empty()) co_await stream->write(bytes_of(bytes));
    }
}

// Until the connection ends, or nothing has arrived for this time. Then the node is closed.
inline Future<void> run_node(net::Connection* stream, std::shared_ptr<actor::Node> node,
                             std::shared_ptr<Outbound> out, Duration silence_max) {
    try {
        co_await race(read_frames(stream, node.get(), silence_max),
                      write_frames(stream, out.get()));
    } catch (const std::system_error&) {  // The connection is lost.
    } catch (const Failure&) {            // It is silent, or ended inside of a frame.
    }
    node->close();
}

}  // namespace gyre::testing
