// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/http/internal/http_values.hpp"

#include <algorithm>

#include "gyre/base/failure.hpp"
#include "gyre/io/permissions.hpp"
#include "lang/wasm/detail/records.hpp"
#include "lang/wasm/detail/utf8.hpp"

namespace gyre::wasm {

using effect::Value;

Value http_result(Value value) {
    return record({{"ok", true},
                   {"value", std::move(value)},
                   {"error_code", static_cast<int>(HttpCode::fine)},
                   {"error_message", ""}});
}

Value http_failure(HttpCode code, std::string message, Value value) {
    return record({{"ok", false},
                   {"value", std::move(value)},
                   {"error_code", static_cast<int>(code)},
                   {"error_message", std::move(message)}});
}

HeaderList read_headers(const Value& from) {
    if (!from.is(Value::Kind::list)) throw Failure("the headers are no list");
    HeaderList headers;
    for (const Value& one : from.list()) {
        const std::string& name = text_field(one, "name");
        if (!name.empty()) headers.emplace_back(name, text_field(one, "value"));
    }
    return headers;
}

Value header_values(std::span<const std::pair<std::string, std::string>> from) {
    Value::List headers;
    for (const auto& [name, value] : from) {
        headers.push_back(record({{"name", to_utf8(name)}, {"value", to_utf8(value)}}));
    }
    return Value(std::move(headers));
}

std::string to_utf8(std::string_view text) {
    if (is_utf8(text)) return std::string(text);
    std::string made;
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (code < 0x80) {
            made += c;
        } else {
            made += static_cast<char>(0xC0u | code >> 6u);
            made += static_cast<char>(0x80u | (code & 0x3Fu));
        }
    }
    return made;
}

std::string in_lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
}

NetPermissions::NetPermissions(const std::vector<std::string>& allowed) {
    constexpr std::string_view prefix = "net=";
    for (const std::string& one : allowed) {
        if (one.starts_with(prefix)) places_.push_back(in_lower_case(one.substr(prefix.size())));
    }
}

void NetPermissions::check(std::string_view host, std::uint16_t port) const {
    const bool is_ipv6 = host.find(':') != std::string_view::npos;
    const std::string name = in_lower_case(host);
    const std::string place = (is_ipv6 ? "[" + name + "]" : name) + ":" + std::to_string(port);
    const auto permits = [&place](const std::string& one) { return covers(one, place); };
    if (std::ranges::any_of(places_, permits)) return;
    throw Failure("the address " + place + " is not permitted: --allow net=" + place);
}

}  // namespace gyre::wasm
