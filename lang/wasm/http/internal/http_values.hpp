// SPDX-License-Identifier: Apache-2.0
// The records of both HTTP effects (HttpResult, HeaderDto), and the permission to use an address. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/effect/value.hpp"

namespace gyre::wasm {

// `error_code` of an HttpResult.
enum class HttpCode : std::uint8_t { fine = 0, failed = 1, timed_out = 2, body_too_large = 3 };

using HeaderList = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] effect::Value http_result(effect::Value value);
// The value is one of the right type: the module decodes it before it looks at `ok`.
[[nodiscard]] effect::Value http_failure(HttpCode code, std::string message, effect::Value value);

// Fields whose name is empty are left out. Throws a Failure if the value is no list of headers.
[[nodiscard]] HeaderList read_headers(const effect::Value& from);
[[nodiscard]] effect::Value header_values(
    std::span<const std::pair<std::string, std::string>> from);
// Text as it is if it is UTF-8, else each byte as the character of that number: fields may hold any byte.
[[nodiscard]] std::string to_utf8(std::string_view text);

// ASCII letters alone.
[[nodiscard]] std::string in_lower_case(std::string_view text);

// The addresses of `net=HOST:PORT` and `net=HOST:*`.
class NetPermissions {
public:
    explicit NetPermissions(const std::vector<std::string>& allowed);
    // Throws a Failure that names the option to give.
    void check(std::string_view host, std::uint16_t port) const;

private:
    std::vector<std::string> places_;
};

}  // namespace gyre::wasm
