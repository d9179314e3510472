// SPDX-License-Identifier: Apache-2.0
// Upload: a request with a large body on its way, in a task of its own, so that the answer can be
// read meanwhile (RFC 9112 9.5, RFC 9110 10.1.1). That task and the connection share it, on one
// thread; where the connection goes first, the task ends soon and closes the stream.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include "gyre/http/client.hpp"
#include "gyre/task/event.hpp"
#include "gyre/task/task.hpp"

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
    // Ends it where it is; `ended` tells when.
    void cancel() noexcept;
    [[nodiscard]] Event& ended() noexcept { return ended_; }
    // Waits until the source of the body fails, and throws that; for ever where it does not.
    [[nodiscard]] Future<std::size_t> failure();
    // What it failed with, if it did.
    [[nodiscard]] const std::exception_ptr& why() const noexcept { return failure_; }
    // Whether all of it has gone. That the server takes no more is no failure: its answer says why.
    [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }

private:
    static Future<void> run(std::shared_ptr<Upload> upload);
    [[nodiscard]] Future<void> send_all();
    [[nodiscard]] Future<bool> send_if_open(std::span<ConstBytes> pieces);

    std::shared_ptr<net::ByteStream> stream_;
    std::shared_ptr<ClientRequest> request_;
    std::string out_;
    Task* task_ = nullptr;  // until it has ended
    std::exception_ptr failure_;
    Event failed_;
    Event ended_;
    bool is_whole_ = false;
};

}  // namespace gyre::http
