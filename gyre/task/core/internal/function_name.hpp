// SPDX-License-Identifier: Apache-2.0
// The plain name of a function, from the text that a compiler puts into std::source_location. Pure;
// returns a part of its argument.
#pragma once

#include <string_view>

namespace gyre {

// "void app::serve(serve(Socket)::_ZN3app5serveE.Frame*)" (g++, inside a coroutine) and
// "Future<void> app::serve(Socket)" (clang) are both "app::serve".
[[nodiscard]] constexpr std::string_view plain_function_name(std::string_view text) noexcept {
    const auto is_open = [](char c) { return c == '(' || c == '<' || c == '{' || c == '['; };
    const auto is_close = [](char c) { return c == ')' || c == '>' || c == '}' || c == ']'; };
    text = text.substr(0, text.find(" ["));  // what template parameters stand for
    // Without the parameters, which are the last thing in brackets.
    std::size_t end = text.rfind(')');
    if (end == std::string_view::npos) return text;
    for (int depth = 0;; --end) {
        if (text[end] == ')') ++depth;
        if (text[end] == '(' && --depth == 0) break;
        if (end == 0) return text;
    }
    text = text.substr(0, end);
    constexpr std::string_view call = "::operator()";
    if (text.ends_with(call)) text.remove_suffix(call.size());
    // Without the type in front: that ends at the last space outside of brackets.
    int depth = 0;
    for (std::size_t i = text.size(); i-- > 0;) {
        if (is_close(text[i])) ++depth;
        if (is_open(text[i])) --depth;
        if (text[i] == ' ' && depth == 0) return text.substr(i + 1);
    }
    return text;
}

}  // namespace gyre
