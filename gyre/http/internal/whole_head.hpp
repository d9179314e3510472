// SPDX-License-Identifier: Apache-2.0
// Parses a complete head with llhttp, then applies our stricter rules: one Host, one length, one
// coding. HeadGuard has passed the bytes before. Pure functions.
#pragma once

#include <string_view>

#include "gyre/http/message.hpp"
#include "gyre/http/refusal.hpp"

namespace gyre::http {

// Fills `head` with views into `text`, which ends with the empty line.
[[nodiscard]] Refusal parse_request_head(std::string_view text, RequestHead& head);
[[nodiscard]] Refusal parse_response_head(std::string_view text, ResponseHead& head);

}  // namespace gyre::http
