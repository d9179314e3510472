// SPDX-License-Identifier: Apache-2.0
// ClientConnection: one connection of a Client: writes a request, then reads the head and the body
// of the response. Owned by the Incoming of a request; between requests, by the pool of the client.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "gyre/http/client.hpp"
#include "gyre/http/internal/body_parser.hpp"
#include "gyre/http/internal/head_parser.hpp"
#include "gyre/http/internal/input_buffer.hpp"
#include "gyre/task/sync/semaphore.hpp"

namespace gyre::http {

class Upload;

class ClientConnection {
public:
    // The options belong to the client, which outlives its connections in use. A kept connection, which
    // may be closed after the client is gone, reads none of them.
    ClientConnection(std::unique_ptr<net::ByteStream> stream, const ClientOptions& options,
                     std::string key, Permits permit_to_use, Executor& executor);

    ~ClientConnection();
    ClientConnection(const ClientConnection&) = delete;
    ClientConnection& operator=(const ClientConnection&) = delete;

    // Sends the request and reads the head of the response. If the head arrives while a large body
    // is still being sent, sending continues, unless the status is 300 or above.
    [[nodiscard]] Future<void> exchange(const Url& url,
                                        const std::shared_ptr<ClientRequest>& request,
                                        bool takes_gzip, Instant deadline);
    // The end of the response waits for the end of the upload.
    [[nodiscard]] Future<std::string_view> read_body();

    [[nodiscard]] const ResponseHead& head() const noexcept { return parser_.head(); }
    [[nodiscard]] bool is_complete() const noexcept { return body_.is_complete(); }
    // Whether the connection may be used for another request.
    [[nodiscard]] bool is_reusable() const noexcept;
    // Whether a byte of the response was received.
    [[nodiscard]] bool has_received() const noexcept { return has_received_; }
    // Waits for bytes or an end that no request asked for; it is not reusable afterwards.
    [[nodiscard]] Future<void> await_unasked();
    [[nodiscard]] const std::string& key() const noexcept { return key_; }
    [[nodiscard]] Executor& executor() const noexcept { return executor_; }

    Permits permit;  // held while a request uses the connection
    bool was_kept = false;
    Instant kept_since;

private:
    static void write_head(std::string& out, const Url& url, const ClientRequest& request,
                           bool takes_gzip);
    // Throws if the source of the body fails meanwhile.
    [[nodiscard]] Future<std::size_t> read_any_time(Bytes into);
    // The same within `limit` and the deadline of the request. `what` did not come, and `name` is
    // that of the limit.
    [[nodiscard]] Future<std::size_t> read(Bytes into, Duration limit, const char* what,
                                           const char* name);
    // Waits for the end of the upload; returns the exception of the source of the body, or null.
    [[nodiscard]] Future<std::exception_ptr> end_upload();
    // Skips interim (1xx) responses. `is_head`: a response to HEAD, which has no body.
    [[nodiscard]] Future<void> read_head(bool is_head);

    std::shared_ptr<net::ByteStream> stream_;
    const ClientOptions& options_;
    Executor& executor_;
    std::string key_;
    Instant deadline_ = Instant::never();  // of the request
    ResponseParser parser_;
    BodyParser body_;
    InputBuffer input_;
    InputBuffer later_;
    std::shared_ptr<Upload> upload_;  // null if none is running
    bool has_received_ = false;
    bool is_cut_ = false;  // the request was not sent completely, or the stream has ended
};

// The failure of a request that took longer than timeouts.`name`.
[[nodiscard]] SystemFailure too_late(const std::string& what, const char* name, Duration limit);

}  // namespace gyre::http
