// SPDX-License-Identifier: Apache-2.0
// Methods and fields by name. Pure functions.
#include "gyre/http/message.hpp"

#include <array>

namespace gyre::http {
namespace {

constexpr std::array<std::string_view, 10> method_names = {
    "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", ""};

}  // namespace

std::string_view name_of(Method method) noexcept {
    return method_names[static_cast<std::size_t>(method)];
}

Method method_of(std::string_view name) noexcept {
    for (std::size_t i = 0; i + 1 < method_names.size(); ++i) {
        if (method_names[i] == name) return static_cast<Method>(i);
    }
    return Method::other;
}

bool is_safe(Method method) noexcept {
    return method == Method::get || method == Method::head || method == Method::options ||
           method == Method::trace;
}

bool is_idempotent(Method method) noexcept {
    return is_safe(method) || method == Method::put || method == Method::delete_;
}

const Field* Fields::find(std::string_view name) const noexcept {
    for (const Field& field : fields_) {
        if (same_word(field.name, name)) return &field;
    }
    return nullptr;
}

std::size_t Fields::count(std::string_view name) const noexcept {
    std::size_t result = 0;
    for (const Field& field : fields_) {
        if (same_word(field.name, name)) ++result;
    }
    return result;
}

bool Fields::lists(std::string_view name, std::string_view word) const noexcept {
    bool is_listed = false;
    for (const Field& field : fields_) {
        if (!same_word(field.name, name)) continue;
        for_each_in_list(field.value, [&](std::string_view member) {
            is_listed = is_listed || same_word(member, word);
        });
    }
    return is_listed;
}

}  // namespace gyre::http
