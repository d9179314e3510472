// SPDX-License-Identifier: Apache-2.0
// EditorFacts: where the names of a program are declared and used, and what may stand at one place.
// Recorded by a check with CheckOptions::is_for_editor. Plain data of the Program that holds it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lang/vela/check/detail/types.hpp"

namespace gyre::vela {

// A name in the text of `in`, and the place that declares it. The declaration of a local variable
// is a use of itself. A module that is imported is declared at its begin.
struct NameUse {
    const Module* in = nullptr;
    Span span;
    const Module* module = nullptr;
    Span declared;
    const Type* type = nullptr;  // as seen from here; null: that of the declaration
};

// A local variable or function that is visible at a place.
struct VisibleLocal {
    std::string_view name;
    const Type* type = nullptr;
    Span place;
};

enum class AskedKind : std::uint8_t {
    none,           // the checker did not come there
    name,           // of a value
    type,           // a written type
    member,         // of a value: `type`
    static_member,  // of the type `info`
    module_member,  // of the module `module`
    variant,        // in a pattern: of the enum `info`
};

// What is known where the name CheckOptions::asked stands.
struct Asked {
    AskedKind kind = AskedKind::none;
    const Type* type = nullptr;
    const TypeInfo* info = nullptr;
    const Module* module = nullptr;
    const TypeInfo* inside = nullptr;  // the type whose member stands around it
    std::vector<VisibleLocal> locals;  // innermost last
    std::vector<const Type*> generics;
};

struct EditorFacts {
    std::vector<NameUse> uses;
    Asked asked;
};

}  // namespace gyre::vela
