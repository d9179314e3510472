// SPDX-License-Identifier: Apache-2.0
// json_depth: how deep the brackets of a JSON text are nested, read before it is parsed. A parser that asks a function at
// each bracket looks through the whole array around an object each time, so that 1 MB of `[{},{}]` takes minutes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace gyre {

// Of a text that is not JSON, any number: its parser refuses it.
[[nodiscard]] constexpr std::size_t json_depth(std::string_view text) noexcept {
    std::size_t depth = 0;
    std::size_t deepest = 0;
    bool is_in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (is_in_string) {
            if (c == '\\') ++i;
            is_in_string = c != '"';
        } else if (c == '"') {
            is_in_string = true;
        } else if (c == '[' || c == '{') {
            deepest = std::max(deepest, ++depth);
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
    return deepest;
}

}  // namespace gyre
