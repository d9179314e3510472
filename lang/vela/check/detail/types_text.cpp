// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/check/detail/types.hpp"

namespace gyre::vela {
namespace {

void write(std::string& text, const Type* type, int depth);

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
            text += '_';
            return;
        case TypeSort::never:
            text += "never";
            return;
        case TypeSort::parameter:
            text += type->name;
            return;
        case TypeSort::nominal:
            text += type->info->name.text;
            if (type->args.empty()) return;
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
