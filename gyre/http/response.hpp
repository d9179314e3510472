// SPDX-License-Identifier: Apache-2.0
// Response: what a handler answers. Either whole, with `send`: it goes out when the handler has
// ended. Or in pieces, with `write`: the head goes with the first of them, and a write waits while
// the other side is slow. It belongs to the connection's task.
//
//     response.status(201).field("Location", "/users/7").send("made");
//
//     response.type("text/event-stream");
//     while (auto event = co_await events.next()) co_await response.write(*event);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gyre/net/byte_stream.hpp"
#include "gyre/task/future.hpp"

namespace gyre::http {

class Connection;

class Response {
public:
    explicit Response(Connection& connection) noexcept : connection_(connection) {}
    Response(const Response&) = delete;
    Response& operator=(const Response&) = delete;

    // 200 unless said otherwise.
    Response& status(int code) noexcept {
        status_ = code;
        return *this;
    }
    [[nodiscard]] int status() const noexcept { return status_; }
    // std::invalid_argument for what would split the message, and for fields that frame it: those
    // are the server's.
    Response& field(std::string_view name, std::string_view value);
    Response& type(std::string_view media_type);
    // The connection ends after this answer.
    Response& close() noexcept {
        closes_ = true;
        return *this;
    }
    // Of a body that comes in pieces: it is then sent as it is, not in chunks. Fewer or more bytes
    // are an error of the handler; the connection is cut.
    Response& length(std::uint64_t bytes) noexcept {
        length_ = bytes;
        return *this;
    }

    void send(std::string_view body);
    void send(std::string&& body);
    void send(const char* body) { send(std::string_view(body)); }

    // Waits until the system has taken it. An empty piece sends the head. Cancel class: did part;
    // the connection is then cut.
    [[nodiscard]] Future<void> write(std::string_view data);
    // The same for a part of a file, which a socket takes from the system as it is. Where it is the
    // first piece and no length is given, it is all. net::FileEnded where the file is shorter; the
    // connection is then cut, as after every failure behind the head.
    [[nodiscard]] Future<void> write_file(net::FileSlice part);
    // Whether the head is written: it is too late for another status.
    [[nodiscard]] bool has_begun() const noexcept { return has_begun_; }

private:
    friend class Connection;

    // For the next request of the connection: keeps its memory.
    void reset() noexcept;

    Connection& connection_;
    int status_ = 200;
    bool closes_ = false;
    bool has_begun_ = false;
    bool is_chunked_ = false;
    std::optional<std::uint64_t> length_;
    std::uint64_t written_bytes_ = 0;
    std::string fields_;  // lines, ready to go
    std::string body_;
};

}  // namespace gyre::http
