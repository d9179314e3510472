// SPDX-License-Identifier: Apache-2.0
// Handlers from a text: scripted answers in JSON, for tests and for programs that are run without a
// host of their own.
//
//     {"handlers": [{"effect": "com.example.async", "op": "await",
//                    "answers": [{"resume": 2}, {"resume": 4, "after_ms": 5}, {"fail": "no more"}],
//                    "then": "last"}]}
//
// `signature` (a number, or text like "0x00ff12ab") is optional: without it a handler takes those
// that no other takes. An answer has one of resume, tail, end and fail, and may have `after_ms`,
// and `arguments`: then others fail the run. Each run gets the answers from the first on. `then`
// says what follows the last one: "fail" (the default), "last" again, or "first", from the
// beginning. Values are JSON's; {"$bytes": "00ff"} is bytes.
// docs/guide/host-your-languages-effects.md shows it in use.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "gyre/effect/handlers.hpp"

namespace gyre::effect {

struct HandlerScriptOptions {
    std::size_t size_max_bytes = std::size_t{16} << 20u;
    int depth_max = 128;
};

// Where in the text, and what is wrong with it.
struct HandlerScriptError {
    std::string message;
};

// All of its handlers, or none where there is an error.
[[nodiscard]] std::expected<void, HandlerScriptError> add_handler_script(
    Handlers& handlers, std::string_view text, HandlerScriptOptions options = {});

}  // namespace gyre::effect
