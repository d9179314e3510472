// SPDX-License-Identifier: Apache-2.0
// Response: the response that a handler gives. Either whole, by `send`: it is sent when the handler
// ends. Or streamed, by `write`: the head is sent with the first piece, and each write waits while
// the client is slow.
//
//     response.status(201).field("Location", "/users/7").send("created");
//
//     response.type("text/plain");
//     for (int i = 0; i < 3; ++i) co_await response.write("tick\n");
//
// Thread: the connection's task, so the loop's thread.
// Lifetime: owned by the connection; valid until the handler ends.
// Cancel: each member names its cancel class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gyre/net/byte_stream.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre::http {

class ServerConnection;

class Response {
public:
    explicit Response(ServerConnection& connection) noexcept : connection_(connection) {}
    Response(const Response&) = delete;
    Response& operator=(const Response&) = delete;

    // 200 by default.
    Response& status(int code) noexcept {
        status_ = code;
        return *this;
    }
    [[nodiscard]] int status() const noexcept { return status_; }
    // Throws Failure for control characters, which could split the message, and for
    // the fields that frame it, which the server writes.
    Response& field(std::string_view name, std::string_view value);
    Response& type(std::string_view media_type);
    // Closes the connection after this response.
    Response& close() noexcept {
        closes_ = true;
        return *this;
    }
    // The length of a streamed body, which is then not chunked. If the handler writes fewer or more
    // bytes, the connection is closed.
    Response& length(std::uint64_t bytes) noexcept {
        length_ = bytes;
        return *this;
    }

    void send(std::string_view body);
    void send(std::string&& body);
    void send(const char* body) { send(std::string_view(body)); }

    // Returns when the system has taken the bytes. An empty piece sends the head. Cancel class: did
    // part; the connection is then closed.
    [[nodiscard]] Future<void> write(std::string_view data);
    // The same for a part of a file (sendfile on a socket). As the first piece without a length(),
    // it is the whole body. Throws net::FileEnded if the file is shorter; the connection is then
    // closed, as after every failure behind the head.
    [[nodiscard]] Future<void> write_file(net::FileSlice part);
    // The head is written: the status cannot change any more.
    [[nodiscard]] bool has_begun() const noexcept { return has_begun_; }

private:
    friend class ServerConnection;

    // For the next request of the connection; keeps the memory.
    void reset() noexcept {
        status_ = 200;
        closes_ = false;
        has_begun_ = false;
        is_chunked_ = false;
        length_.reset();
        written_bytes_ = 0;
        fields_.clear();
        body_.clear();
    }

    ServerConnection& connection_;
    int status_ = 200;
    bool closes_ = false;
    bool has_begun_ = false;
    bool is_chunked_ = false;
    std::optional<std::uint64_t> length_;
    std::uint64_t written_bytes_ = 0;
    std::string fields_;  // complete field lines
    std::string body_;
};

}  // namespace gyre::http
