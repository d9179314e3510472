// SPDX-License-Identifier: Apache-2.0
// HeadGuard first, then llhttp on the complete head.
#include "gyre/http/internal/head_parser.hpp"

#include <type_traits>

#include "gyre/base/assert.hpp"
#include "gyre/http/internal/start_line.hpp"
#include "gyre/http/internal/whole_head.hpp"

namespace gyre::http {

template <class Head>
HeadParser<Head>::HeadParser(const Limits& limits) noexcept
    : limits_(limits),
      guard_(std::is_same_v<Head, RequestHead>
                 ? HeadGuard(HeadGuard::Start::request_line, &check_request_line)
                 : HeadGuard(HeadGuard::Start::status_line, &check_status_line)) {}

template <class Head>
ParseState HeadParser<Head>::parse(std::string_view input) {
    const ParseState state = guard_.scan(input, limits_);
    if (state == ParseState::refused) refusal_ = guard_.refusal();
    if (state != ParseState::complete) return state;
    GYRE_ASSERT(guard_.end() <= input.size(), "a head ends behind its input");
    GYRE_ASSERT(guard_.begin() < guard_.end(), "a complete head is empty");
    const std::string_view text = input.substr(guard_.begin(), guard_.end() - guard_.begin());
    if constexpr (std::is_same_v<Head, RequestHead>) {
        refusal_ = parse_request_head(text, head_);
    } else {
        refusal_ = parse_response_head(text, head_);
    }
    return refusal_ == Refusal::none ? ParseState::complete : ParseState::refused;
}

template class HeadParser<RequestHead>;
template class HeadParser<ResponseHead>;

}  // namespace gyre::http
