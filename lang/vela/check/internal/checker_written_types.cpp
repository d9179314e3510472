// SPDX-License-Identifier: Apache-2.0
// Resolution of written types.
#include <algorithm>

#include "lang/vela/check/internal/declarations.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {
namespace {

// The edit distance of two names, with transpositions.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> rows(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) rows[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            rows[i][j] =
                std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
            }
        }
    }
    return rows[a.size()][b.size()];
}

constexpr std::size_t type_parts_max = 1000;
constexpr std::string_view too_large = "is too large: the limit on a type is 1000 parts";

// Whether a type has at most `room` parts; reduces `room` by them.
bool has_room(const Type* type, std::size_t& room) {
    if (room == 0) return false;
    --room;
    type = known(type);
    if (type->result != nullptr && !has_room(type->result, room)) return false;
    return std::all_of(type->args.begin(), type->args.end(),
                       [&](const Type* arg) { return has_room(arg, room); });
}

}  // namespace

std::string_view nearest(std::string_view name, const std::vector<std::string_view>& candidates) {
    // A name of one letter has no near names.
    if (name.size() < 2 || name.size() > 40) return {};
    std::string_view best;
    std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
    for (const std::string_view candidate : candidates) {
        if (candidate.size() > name.size() + 4 || candidate == name) continue;
        const std::size_t found = distance(name, candidate);
        const bool is_better =
            found < best_distance || (found == best_distance && !best.empty() && candidate < best);
        if (!is_better) continue;
        best = candidate;
        best_distance = found;
    }
    return best;
}

const TypeInfo* Declarations::local_type(std::string_view name) const {
    for (auto local = local_types.rbegin(); local != local_types.rend(); ++local) {
        if ((*local)->name.text == name) return *local;
    }
    if (inside != nullptr) {
        for (const TypeInfo* nested : inside->nested) {
            if (nested->name.text == name) return nested;
        }
    }
    return nullptr;
}

void Declarations::check_alias(const Module& module, const AliasDecl& node) {
    Generics own;
    for (const Generic& generic : node.generics) {
        own.push_back(types_.parameter(generic.name.text, nullptr));
    }
    alias_count_ = 0;
    open_aliases_.push_back(&node);
    type(module, *node.type, own);
    open_aliases_.pop_back();
}

const Type* Declarations::type(const Module& module, const TypeNode& node,
                               const Generics& generics) {
    const auto part = [&](std::size_t i) { return type(module, *node.parts[i], generics); };
    switch (node.kind) {
        case TypeKind::infer:
            return types_.fresh();
        case TypeKind::list:
            return types_.list(part(0));
        case TypeKind::option:
            return types_.option(part(0));
        case TypeKind::tuple:
        case TypeKind::function: {
            if (node.kind == TypeKind::tuple && node.parts.empty()) return types_.nothing();
            std::vector<const Type*> parts;
            for (std::size_t i = 0; i < node.parts.size(); ++i) parts.push_back(part(i));
            if (node.kind == TypeKind::tuple) return types_.tuple(std::move(parts));
            return types_.function(std::move(parts), type(module, *node.result, generics));
        }
        case TypeKind::name:
            return named_type(module, node, generics);
    }
    return types_.error();
}

const Type* Declarations::alias_type(const Module& module, const TypeNode& node,
                                     const Symbol& symbol, const Generics& generics) {
    const AliasDecl& alias = *symbol.alias;
    const auto refuse = [&](std::string_view why) {
        program_.diagnostics.error("E0315", *symbol.module->source, alias.name.span,
                                   concat("`", alias.name.text, "` ", why));
        return types_.error();
    };
    if (std::find(open_aliases_.begin(), open_aliases_.end(), &alias) != open_aliases_.end()) {
        return refuse("stands for itself");
    }
    if (node.parts.size() > alias.generics.size()) {
        return too_many_args(module, node, alias.name.text, alias.generics.size());
    }
    if (open_aliases_.empty()) alias_count_ = 0;
    if (++alias_count_ > type_parts_max) return refuse(too_large);
    open_aliases_.push_back(&alias);
    Generics own;
    std::vector<const Type*> args;
    for (std::size_t i = 0; i < alias.generics.size(); ++i) {
        own.push_back(types_.parameter(alias.generics[i].name.text, nullptr));
        args.push_back(i < node.parts.size() ? type(module, *node.parts[i], generics)
                                             : types_.fresh());
    }
    const Type* meant = type(*symbol.module, *alias.type, own);
    open_aliases_.pop_back();
    meant = types_.substitute(meant, own, args);
    // Nested aliases can grow exponentially.
    std::size_t room = type_parts_max;
    if (!has_room(meant, room)) return refuse(too_large);
    return meant;
}

const Type* Declarations::named_type(const Module& module, const TypeNode& node,
                                     const Generics& generics) {
    const Name& first = node.path[0];
    const Name& last = node.path.back();
    if (node.path.size() == 1) {
        for (auto generic = generics.rbegin(); generic != generics.rend(); ++generic) {
            if ((*generic)->name != first.text) continue;
            note_generic(module, first, *generic);
            return *generic;
        }
        if (const TypeInfo* local = local_type(first.text)) {
            note_use(module, first.span, &module, local->name.span);
            return instance(module, node, local, generics);
        }
        if (first.text == "never") return types_.never();
    }
    const Symbol* symbol = find_type_symbol(program_, module, first.text);
    if (node.path.size() == 2 && symbol != nullptr) {
        note_use(module, first.span, symbol->module == nullptr ? &module : symbol->module,
                 symbol->name.span);
    }
    if (node.path.size() == 2 && symbol != nullptr && symbol->kind == SymbolKind::module) {
        symbol = find_exported(*symbol->target, last.text);
    } else if (node.path.size() == 2 && symbol != nullptr && symbol->kind == SymbolKind::type) {
        for (const TypeInfo* nested : symbol->info->nested) {
            if (nested->name.text != last.text) continue;
            note_use(module, last.span, nested->module, nested->name.span);
            return instance(module, node, nested, generics);
        }
        symbol = nullptr;
    } else if (node.path.size() > 1) {
        symbol = nullptr;
    }
    const bool is_type = symbol != nullptr &&
                         (symbol->kind == SymbolKind::type || symbol->kind == SymbolKind::alias);
    if (is_type) note_use(module, last.span, symbol->module, symbol->name.span);
    if (symbol != nullptr && symbol->kind == SymbolKind::type) {
        return instance(module, node, symbol->info, generics);
    }
    if (symbol != nullptr && symbol->kind == SymbolKind::alias) {
        return alias_type(module, node, *symbol, generics);
    }
    std::vector<std::string_view> candidates;
    for (const Module* other : {&module, static_cast<const Module*>(&program_.standard)}) {
        for (const auto& [name, known_symbol] : other->declared) {
            if (known_symbol.kind == SymbolKind::type) candidates.push_back(name);
        }
    }
    note_asked_type(generics, last.text);
    Diagnostic& diagnostic = program_.diagnostics.error("E0307", *module.source, last.span,
                                                        concat("unknown type `", last.text, "`"));
    if (const std::string_view meant = nearest(last.text, candidates); !meant.empty()) {
        diagnostic.suggest(last.span, std::string(meant), concat("did you mean `", meant, "`?"));
    }
    return types_.error();
}

const Type* Declarations::too_many_args(const Module& module, const TypeNode& node,
                                        std::string_view name, std::size_t count) {
    program_.diagnostics.error("E0303", *module.source, node.parts[count]->span,
                               concat("`", name, "` takes ", std::to_string(count),
                                      count == 1 ? " type argument" : " type arguments", ", found ",
                                      std::to_string(node.parts.size())));
    return types_.error();
}

// Omitted arguments are inferred; the error type of a Result defaults to Error.
const Type* Declarations::instance(const Module& module, const TypeNode& node, const TypeInfo* info,
                                   const Generics& generics) {
    if (node.parts.size() > info->params.size()) {
        return too_many_args(module, node, info->name.text, info->params.size());
    }
    std::vector<const Type*> args;
    for (const TypeNode* part : node.parts) args.push_back(type(module, *part, generics));
    const bool is_result = info == types_.builtins.result;
    while (args.size() < info->params.size()) {
        const bool is_error = is_result && args.size() == 1 && !node.parts.empty();
        args.push_back(is_error ? types_.nominal(types_.builtins.error) : types_.fresh());
    }
    const bool has_keys = info == types_.builtins.map || info == types_.builtins.set;
    if (has_keys && !node.parts.empty() && !module.is_standard) {
        keyed.push_back({&module, node.parts[0]->span, args[0]});
    }
    return types_.nominal(info, std::move(args));
}

}  // namespace gyre::vela::internal
