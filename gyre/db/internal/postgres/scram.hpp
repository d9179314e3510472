// SPDX-License-Identifier: Apache-2.0
// Scram: the client's side of SCRAM-SHA-256 (RFC 5802, RFC 7677), without channel binding. Both sides
// prove that they know the password; neither sends it. A value, one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gyre::db::postgres {

class Scram {
public:
    // A server that wants more rounds keeps a client busy with nothing.
    static constexpr std::uint32_t iterations_max = 100'000;

    // The nonce is of printable characters without a comma, and never used twice. PostgreSQL takes the
    // user from the startup message and ignores this one.
    Scram(std::string password, std::string nonce, std::string user = {});

    [[nodiscard]] std::string first_message() const;
    // Reads the server's first message and gives the answer. Throws a DbError for a message that is
    // malformed or not an answer to ours.
    [[nodiscard]] std::string final_message(std::string_view server_first);
    // Throws a DbError (refused) if the server does not know the password either.
    void check(std::string_view server_final) const;

private:
    const std::string password_;
    const std::string nonce_;
    const std::string user_;
    std::string server_signature_;
};

// As many random bytes, as base64.
[[nodiscard]] std::string random_text(std::size_t size);

}  // namespace gyre::db::postgres
