// SPDX-License-Identifier: Apache-2.0
// add_handler_script: effect handlers from a JSON text with scripted answers, for tests and for
// programs without a host of their own.
//
//     effect::Handlers handlers;
//     const auto added = effect::add_handler_script(handlers, R"({"handlers": [
//         {"effect": "com.example.async", "op": "await",
//          "answers": [{"resume": 2}, {"resume": 4, "after_ms": 5}, {"fail": "no more"}],
//          "then": "last"}]})");
//     if (!added) throw std::invalid_argument(added.error().message);
//
// Thread: the thread of the handlers.
// Lifetime: copies what it needs from the text.
//
// `signature` (a number, or a text such as "0x00ff12ab") is optional: a handler without it takes
// the signatures that no other handler takes. An answer has one of resume, tail, end, fail and throw
// (with a message), never (true) and cancel (of the run, with a reason); `after_ms` delays it; with `arguments`, other arguments fail the run. Each run starts with the
// first answer. `then` says what follows the last one: "fail" (default), "last" (repeat it) or
// "first" (start over). Values are JSON; {"$bytes": "00ff"} is bytes.
// docs/guide/host-your-languages-effects.md has examples.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <string>
#include <string_view>

#include "gyre/effect/handlers.hpp"

namespace gyre::effect {

struct HandlerScriptOptions {
    std::size_t size_max_bytes = std::size_t{16} << 20u;
    int depth_max = 128;
};

// The place in the text and the problem.
struct HandlerScriptError {
    std::string message;
};

// Adds all handlers of the text, or none if there is an error.
[[nodiscard]] std::expected<void, HandlerScriptError> add_handler_script(
    Handlers& handlers, std::string_view text, HandlerScriptOptions options = {});

// For functions that return at once: the values of the script's answers to `effect` and `op`, one after another, whichever run
// calls. A failure is thrown; an answer that is late, that ends or cancels a run or never comes is one too. Empty: the
// script has no answers for it.
using ScriptedFunction = std::function<Value(const Arguments&)>;
[[nodiscard]] std::expected<ScriptedFunction, HandlerScriptError> scripted_function(
    std::string_view text, std::string_view effect, std::string_view op,
    HandlerScriptOptions options = {});

}  // namespace gyre::effect
