// SPDX-License-Identifier: Apache-2.0
#include "gyre/http/request.hpp"

#include <algorithm>

#include "gyre/http/internal/server_connection.hpp"

namespace gyre::http {

std::string_view RouteMatch::param(std::string_view name) const noexcept {
    for (std::size_t i = 0; i < param_count_; ++i) {
        if (*params_[i].name == name) return {params_[i].value, params_[i].size};
    }
    return {};
}

Future<std::string_view> Request::read() {
    return connection_.read_body();
}

Future<std::string> Request::text() {
    std::string result;
    for (;;) {
        const std::string_view piece = co_await connection_.read_body();
        if (piece.empty()) co_return result;
        const std::size_t size = result.size() + piece.size();
        if (size > result.capacity()) {
            const std::size_t reserved = std::max(size, 2 * result.capacity());
            connection_.hold_text(reserved);
            result.reserve(reserved);
        }
        result += piece;
    }
}

}  // namespace gyre::http
