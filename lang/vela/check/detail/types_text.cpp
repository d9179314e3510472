// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/check/detail/types.hpp"

#include <algorithm>

namespace gyre::vela {
namespace {

void write(std::string& text, const Type* type, int depth);

bool is_undetermined(const Type* type) {
    return is_sort(type, TypeSort::variable) || is_sort(type, TypeSort::error);
}

void write_list(std::string& text, std::span<const Type* const> types, int depth) {
    bool is_first = true;
    for (const Type* type : types) {
        if (!is_first) text += ", ";
        is_first = false;
        write(text, type, depth);
    }
}

void write(std::string& text, const Type* type, int depth) {
    type = known(type);
    // A recursive type can be huge.
    if (depth > 8 || text.size() > 200) {
        text += "...";
        return;
    }
    switch (type->sort) {
        case TypeSort::error:
        case TypeSort::variable:
            text += depth == 0 ? "an unknown type" : "?";
            return;
        case TypeSort::never:
            text += "never";
            return;
        case TypeSort::parameter:
            text += type->name;
            return;
        case TypeSort::nominal:
            text += type->info->name.text;
            // `[]` is a List, `None` an Option.
            if (std::all_of(type->args.begin(), type->args.end(), &is_undetermined)) return;
            text += '<';
            write_list(text, type->args, depth + 1);
            text += '>';
            return;
        case TypeSort::tuple:
        case TypeSort::function:
            text += '(';
            write_list(text, type->args, depth + 1);
            text += ')';
            if (type->sort == TypeSort::tuple) return;
            text += " -> ";
            write(text, type->result, depth + 1);
            return;
    }
}

}  // namespace

std::string type_text(const Type* type) {
    std::string text;
    write(text, type, 0);
    return text;
}

}  // namespace gyre::vela
