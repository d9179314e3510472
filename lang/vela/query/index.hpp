// SPDX-License-Identifier: Apache-2.0
// Index: which declaration a name in a checked program means, and where a declaration is used. For
// editors and documentation; made from a check with CheckOptions::is_for_editor.
//
//     vela::CheckOptions options;
//     options.is_for_editor = true;
//     const auto program = vela::check("main.vela", text, files, options);
//     const vela::Index index(*program);
//     if (const auto* use = index.use_at(*program->order.back(), 42)) {
//         std::puts(vela::declaration_text(*index.entity_of(*use)).c_str());
//     }
//
// Thread: one at a time.
// Lifetime: points into the Program, which outlives it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/vela/check/check.hpp"

namespace gyre::vela {

enum class EntityKind : std::uint8_t {
    variable,  // of a module, or local; also a parameter
    field,
    function,
    method,
    type,
    variant,
    alias,
    generic,
    module,
};

// Something with a name. The pointers that its kind does not have are null.
struct Entity {
    EntityKind kind = EntityKind::variable;
    std::string_view name;
    const Module* module = nullptr;
    Span declared;
    const Type* type = nullptr;
    const FunctionInfo* function = nullptr;
    const TypeInfo* info = nullptr;  // itself, or the owner of a field or variant
    const Decl* node = nullptr;
};

class Index {
public:
    explicit Index(const Program& program);

    // The use of a name that covers an offset, its end included; null if there is none.
    [[nodiscard]] const NameUse* use_at(const Module& module, std::uint32_t offset) const;
    // Every use of the declaration that `use` means, itself and the declaration included, by place.
    [[nodiscard]] std::vector<NameUse> uses_of(const NameUse& use) const;
    // What is declared there; null for a place that the index does not know.
    [[nodiscard]] const Entity* entity_of(const NameUse& use) const;
    // Of the files that are not of the standard surface, sorted by file and place.
    [[nodiscard]] const std::vector<NameUse>& uses() const noexcept { return uses_; }

private:
    struct Key {
        const Module* module;
        std::uint32_t begin;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const noexcept {
            return reinterpret_cast<std::uintptr_t>(key.module) * 31 + key.begin;
        }
    };

    void add(Entity entity);
    void add_module(const Module& module);
    void add_type(const TypeInfo& info);
    void sort_uses();

    std::unordered_map<Key, Entity, KeyHash> entities_;
    std::vector<NameUse> uses_;
};

// One line as it is written: "async fn load(id: Number) -> User", "count: Number".
[[nodiscard]] std::string declaration_text(const Entity& entity);
// The comment lines directly above the line of an offset, without their signs; empty if none.
[[nodiscard]] std::string doc_text(const Module& module, std::uint32_t offset);
// The doc comment of a file: the string at its top, or the comment before its first declaration.
[[nodiscard]] std::string doc_text(const Module& module);

// A name that could stand where CheckOptions::asked stands.
struct Candidate {
    std::string name;
    EntityKind kind = EntityKind::variable;
    bool is_keyword = false;
    std::string detail;
};
// Sorted by name, each once; an inner name hides an outer one.
[[nodiscard]] std::vector<Candidate> candidates(const Program& program, const Module& module);

}  // namespace gyre::vela
