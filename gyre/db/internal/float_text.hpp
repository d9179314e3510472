// SPDX-License-Identifier: Apache-2.0
// float_text: a finite float as PostgreSQL prints it: the shortest digits that give it back, with an exponent below 1e-4 and
// from 1e15 on (a double) or 1e6 on (a float). Pure.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstdlib>
#include <string>
#include <string_view>

namespace gyre::db {

template <std::floating_point T>
[[nodiscard]] std::string float_text(T value) {
    std::array<char, 64> buffer{};
    const auto written = [&](std::chars_format format) {
        const char* end = std::to_chars(buffer.begin(), buffer.end(), value, format).ptr;
        return std::string_view(buffer.data(), end);
    };
    const std::string_view text = written(std::chars_format::scientific);
    const int exponent = std::atoi(std::string(text.substr(text.find('e') + 1)).c_str());
    const bool has_exponent = exponent < -4 || exponent >= (std::same_as<T, float> ? 6 : 15);
    return std::string(has_exponent ? text : written(std::chars_format::fixed));
}

}  // namespace gyre::db
