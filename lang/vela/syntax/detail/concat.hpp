// SPDX-License-Identifier: Apache-2.0
// concat: pieces of text made one, for messages. A pure function; any thread.
#pragma once

#include <string>
#include <string_view>

namespace gyre::vela {

template <class... Pieces>
[[nodiscard]] std::string concat(const Pieces&... pieces) {
    std::string result;
    (result.append(std::string_view(pieces)), ...);
    return result;
}

}  // namespace gyre::vela
