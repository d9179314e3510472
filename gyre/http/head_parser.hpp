// SPDX-License-Identifier: Apache-2.0
// HeadParser: the head of a request or a response, from bytes as they come. The bytes stay where
// they are: the caller keeps them in one buffer from the message's first byte on, and the head's
// texts are views into it. Strict: see refusal.hpp. One a connection, reused by reset(); owned by
// that connection's task.
//
//     RequestParser parser(limits);
//     switch (parser.parse(received)) {          // all of the message's bytes so far
//         case ParseState::more: ...             // read on behind them
//         case ParseState::complete: ...         // parser.head(); the body begins at head_bytes()
//         case ParseState::refused: ...          // parser.refusal(): answer it, then close
//     }
#pragma once

#include <cstddef>
#include <string_view>

#include "gyre/http/internal/head_guard.hpp"
#include "gyre/http/limits.hpp"
#include "gyre/http/message.hpp"
#include "gyre/http/refusal.hpp"

namespace gyre::http {

template <class Head>
class HeadParser {
public:
    explicit HeadParser(const Limits& limits = {}) noexcept;

    // `input` holds the bytes of the last call, wherever they are now, and more.
    [[nodiscard]] ParseState parse(std::string_view input);
    // When complete: views into the last input.
    [[nodiscard]] const Head& head() const noexcept { return head_; }
    [[nodiscard]] std::size_t head_bytes() const noexcept { return guard_.end(); }
    [[nodiscard]] Refusal refusal() const noexcept { return refusal_; }
    // Whether bytes of a message have come.
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
