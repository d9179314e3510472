// SPDX-License-Identifier: Apache-2.0
// ClientConnection: one connection of a Client: writes a request, reads the head of its answer,
// then the body. Belongs to whoever makes the request; between two, to the client.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gyre/http/body_parser.hpp"
#include "gyre/http/client.hpp"
#include "gyre/http/head_parser.hpp"
#include "gyre/http/internal/input_buffer.hpp"
#include "gyre/task/semaphore.hpp"

namespace gyre::http {

class ClientConnection {
public:
    ClientConnection(std::unique_ptr<net::ByteStream> stream, const Limits& limits, std::string key,
                     Permits permit_to_use);

    [[nodiscard]] Future<void> send(const Url& url, ClientRequest& request, bool takes_gzip);
    // Skips interim answers. `is_head`: the answer has no body, whatever it says.
    [[nodiscard]] Future<void> read_head(bool is_head);
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
    [[nodiscard]] Future<void> send_text(std::string_view text);
    [[nodiscard]] InputBuffer& body_input() noexcept { return input_.empty() ? later_ : input_; }

    std::unique_ptr<net::ByteStream> stream_;
    Limits limits_;
    std::string key_;
    ResponseParser parser_;
    BodyParser body_;
    InputBuffer input_;
    InputBuffer later_;
    bool has_heard_ = false;
};

}  // namespace gyre::http
