// SPDX-License-Identifier: Apache-2.0
// HeadParser: an incremental parser of request and response heads. The caller keeps all bytes of
// the message in one buffer; the texts of the head are views into it. Strict: see refusal.hpp.
// HeadGuard checks the bytes as they arrive; a complete head is parsed by llhttp and then held
// against our stricter rules: one Host, one length, one coding. One per connection, reused by
// reset(); owned by the connection's task.
//
//     RequestParser parser(limits);
//     switch (parser.parse(received)) {   // all bytes of the message so far
//         case ParseState::more: ...      // receive more behind them
//         case ParseState::complete: ...  // parser.head(); the body begins at head_bytes()
//         case ParseState::refused: ...   // parser.refusal(): respond, then close
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "gyre/http/internal/head_guard.hpp"
#include "gyre/http/message.hpp"
#include "gyre/http/refusal.hpp"

namespace gyre::http {

// The fields of a head that determine the framing, the host and the connection, collected in one
// pass over the fields.
struct FramingFacts {
    explicit FramingFacts(const Fields& fields) noexcept;

    // RFC 9112 6: checks Content-Length and Transfer-Encoding for this version.
    [[nodiscard]] Refusal check(Version version) const noexcept;
    [[nodiscard]] bool keeps_alive(Version version) const noexcept {
        return !has_close && (version == Version::http_1_1 || has_keep_alive);
    }

    std::string_view host;
    std::uint32_t host_count = 0;
    std::uint32_t length_count = 0;
    std::uint32_t coding_count = 0;
    std::uint64_t content_length = 0;
    bool is_length_well_formed = true;
    bool has_empty_name = false;
    bool is_chunked = false;
    bool has_close = false;
    bool has_keep_alive = false;
    bool has_connection_upgrade = false;
    bool has_upgrade = false;
    bool expects_continue = false;

private:
    void add(const Field& field) noexcept;
    void add_connection(std::string_view value) noexcept;
};

template <class Head>
class HeadParser {
public:
    explicit HeadParser(const Limits& limits = {}) noexcept
        : limits_(limits),
          guard_(std::is_same_v<Head, RequestHead> ? HeadGuard::Start::request_line
                                                   : HeadGuard::Start::status_line) {}

    // `input` begins with the bytes of earlier calls; the buffer may have moved.
    [[nodiscard]] ParseState parse(std::string_view input);
    // When complete: views into the last input.
    [[nodiscard]] const Head& head() const noexcept { return head_; }
    [[nodiscard]] std::size_t head_bytes() const noexcept { return guard_.end(); }
    [[nodiscard]] Refusal refusal() const noexcept { return refusal_; }
    // Whether a byte of the message was parsed.
    [[nodiscard]] bool has_begun() const noexcept { return guard_.end() > 0; }
    void reset() noexcept {
        guard_.reset();
        refusal_ = Refusal::none;
    }

private:
    Limits limits_;
    HeadGuard guard_;
    Refusal refusal_ = Refusal::none;
    Head head_;
};

using RequestParser = HeadParser<RequestHead>;
using ResponseParser = HeadParser<ResponseHead>;

extern template class HeadParser<RequestHead>;
extern template class HeadParser<ResponseHead>;

}  // namespace gyre::http
