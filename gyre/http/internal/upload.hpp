// SPDX-License-Identifier: Apache-2.0
// Upload: sends a request with a large body in a task of its own, so that the response can be read
// meanwhile (RFC 9112 9.5, RFC 9110 10.1.1). Shared by that task and the connection, on one thread;
// if the connection is destroyed first, the task is cancelled and closes the stream.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include "gyre/base/assert.hpp"
#include "gyre/http/client.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/sync/event.hpp"

namespace gyre {
class Scope;
}  // namespace gyre

namespace gyre::http {

class Upload {
public:
    Upload(std::shared_ptr<net::ByteStream> stream, std::shared_ptr<ClientRequest> request,
           std::string head) noexcept
        : stream_(std::move(stream)), request_(std::move(request)), out_(std::move(head)) {}

    static void start(const std::shared_ptr<Upload>& upload, Scope& in);
    // Asks the task to end; `ended` is set when it has.
    void cancel() noexcept;
    [[nodiscard]] Event& ended() noexcept { return ended_; }
    // Waits until the source of the body fails and throws its exception; waits forever if it does
    // not.
    [[nodiscard]] Future<std::size_t> failure();
    // The exception of the source, or null.
    [[nodiscard]] const std::exception_ptr& why() const noexcept { return failure_; }
    // Grows when bytes leave.
    [[nodiscard]] std::uint64_t progress() const noexcept {
        std::uint64_t left_bytes = 0;
        for (const ConstBytes& piece : writing_) left_bytes += piece.size();
        GYRE_ASSERT(left_bytes <= begun_bytes_, "an upload has more to send than it was given");
        return begun_bytes_ - left_bytes;
    }
    // Everything was sent. A server that stops receiving is no failure: its response tells why.
    [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }

private:
    static Future<void> run(std::shared_ptr<Upload> upload);
    [[nodiscard]] Future<void> send_all();
    [[nodiscard]] Future<bool> send_if_open(std::span<ConstBytes> pieces);

    std::shared_ptr<net::ByteStream> stream_;
    std::shared_ptr<ClientRequest> request_;
    std::string out_;
    Task* task_ = nullptr;  // null after it has ended
    std::exception_ptr failure_;
    Event failed_;
    Event ended_;
    std::span<ConstBytes> writing_;  // advanced as bytes leave
    std::uint64_t begun_bytes_ = 0;  // of all writes that have begun
    bool is_whole_ = false;
};

}  // namespace gyre::http
