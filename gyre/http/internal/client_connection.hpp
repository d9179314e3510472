// SPDX-License-Identifier: Apache-2.0
// ClientConnection: one connection of a Client: writes a request, reads the head of its answer,
// then the body. Belongs to whoever makes the request; between two, to the client.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "gyre/http/body_parser.hpp"
#include "gyre/http/client.hpp"
#include "gyre/http/head_parser.hpp"
#include "gyre/http/internal/input_buffer.hpp"
#include "gyre/task/semaphore.hpp"

namespace gyre::http {

class Upload;

class ClientConnection {
public:
    ClientConnection(std::unique_ptr<net::ByteStream> stream, const Limits& limits, std::string key,
                     Permits permit_to_use);

    ~ClientConnection();
    ClientConnection(const ClientConnection&) = delete;
    ClientConnection& operator=(const ClientConnection&) = delete;

    // Sends the request and reads the head of its answer. Where that comes while a large body is
    // still being sent, the sending goes on, unless the status says that nobody wants it.
    [[nodiscard]] Future<void> exchange(const Url& url,
                                        const std::shared_ptr<ClientRequest>& request,
                                        bool takes_gzip);
    // At the end of the answer the request has ended too.
    [[nodiscard]] Future<std::string_view> read_body();

    [[nodiscard]] const ResponseHead& head() const noexcept { return parser_.head(); }
    [[nodiscard]] bool is_complete() const noexcept { return body_.is_complete(); }
    // Whether another request may follow the answer that was read.
    [[nodiscard]] bool may_go_on() const noexcept;
    // Whether anything of an answer has come.
    [[nodiscard]] bool has_heard() const noexcept { return has_heard_; }
    [[nodiscard]] const std::string& key() const noexcept { return key_; }

    Permits permit;  // while a request uses it
    bool was_kept = false;
    Instant kept_until;

private:
    static void write_head(std::string& out, const Url& url, const ClientRequest& request,
                           bool takes_gzip);
    // What comes next; throws where the source of the body fails meanwhile.
    [[nodiscard]] Future<std::size_t> receive(Bytes into);
    // Waits for the end of the upload; gives what the source of the body failed with.
    [[nodiscard]] Future<std::exception_ptr> end_upload();
    // Skips interim answers. `is_head`: the answer has no body, whatever it says.
    [[nodiscard]] Future<void> read_head(bool is_head);

    std::shared_ptr<net::ByteStream> stream_;
    Limits limits_;
    std::string key_;
    ResponseParser parser_;
    BodyParser body_;
    InputBuffer input_;
    InputBuffer later_;
    std::shared_ptr<Upload> upload_;  // while it is under way
    bool has_heard_ = false;
    bool is_cut_ = false;  // the request was not sent to its end
};

}  // namespace gyre::http
