// SPDX-License-Identifier: Apache-2.0
#include "gyre/http/response.hpp"
#include "gyre/base/failure.hpp"

#include <stdexcept>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/http/internal/characters.hpp"
#include "gyre/http/internal/head_writer.hpp"
#include "gyre/http/internal/server_connection.hpp"

namespace gyre::http {

Response& Response::field(std::string_view name, std::string_view value) {
    if (same_word(name, "content-length") || same_word(name, "transfer-encoding") ||
        same_word(name, "connection")) {
        throw Failure(std::string(name) + " is the server's to write: see length() and close()");
    }
    HeadWriter(fields_).field(name, value);
    return *this;
}

Response& Response::type(std::string_view media_type) {
    HeadWriter(fields_).known_field("Content-Type", media_type);
    return *this;
}

void Response::send(std::string_view body) {
    body_.assign(body);
}

void Response::send(std::string&& body) {
    body_ = std::move(body);
}

Future<void> Response::write(std::string_view data) {
    return connection_.write_piece(data);
}

Future<void> Response::write_file(net::FileSlice part) {
    return connection_.write_file(part);
}

}  // namespace gyre::http
