// SPDX-License-Identifier: Apache-2.0
// HeadParser: an incremental parser of request and response heads. The caller keeps all bytes of
// the message in one buffer; the texts of the head are views into it. Strict: see refusal.hpp. One
// per connection, reused by reset(); owned by the connection's task.
//
//     RequestParser parser(limits);
//     switch (parser.parse(received)) {   // all bytes of the message so far
//         case ParseState::more: ...      // receive more behind them
//         case ParseState::complete: ...  // parser.head(); the body begins at head_bytes()
//         case ParseState::refused: ...   // parser.refusal(): respond, then close
//     }
#pragma once

#include <cstddef>
#include <string_view>

#include "gyre/http/internal/head_guard.hpp"
#include "gyre/http/message.hpp"
#include "gyre/http/refusal.hpp"

namespace gyre::http {

template <class Head>
class HeadParser {
public:
    explicit HeadParser(const Limits& limits = {}) noexcept;

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
