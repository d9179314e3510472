// SPDX-License-Identifier: Apache-2.0
// What a document shows: types, declarations, its outline, its layout, and fixes.
#include <algorithm>

#include "lang/vela/lsp/internal/server.hpp"

namespace gyre::vela {

using Json = lsp::Json;

namespace {

// The kinds of symbols of the protocol.
enum class SymbolNumber : int {
    klass = 5,
    method = 6,
    field = 8,
    constructor = 9,
    enumeration = 10,
    interface = 11,
    function = 12,
    variable = 13,
    enum_member = 22,
    structure = 23,
};

SymbolNumber number_of(DeclKind kind, bool is_member) {
    switch (kind) {
        case DeclKind::function:
            return is_member ? SymbolNumber::method : SymbolNumber::function;
        case DeclKind::constructor:
            return SymbolNumber::constructor;
        case DeclKind::field:
            return SymbolNumber::field;
        case DeclKind::structure:
            return SymbolNumber::structure;
        case DeclKind::enumeration:
            return SymbolNumber::enumeration;
        case DeclKind::interface:
            return SymbolNumber::interface;
        case DeclKind::statement:
            return SymbolNumber::variable;
        default:
            return SymbolNumber::klass;
    }
}

// The name that a statement at the top of a file declares; empty if none.
Name variable_of(const Decl& node) {
    const Stmt& stmt = *as<StatementDecl>(node).statement;
    if (stmt.kind == StmtKind::variable) return as<VariableStmt>(stmt).name;
    if (stmt.kind != StmtKind::assign) return {};
    const Expr& target = *as<AssignStmt>(stmt).target;
    if (target.kind != ExprKind::name) return {};
    return {as<NameExpr>(target).text, target.span};
}

bool has_members(DeclKind kind) {
    return kind == DeclKind::structure || kind == DeclKind::klass || kind == DeclKind::actor ||
           kind == DeclKind::interface;
}

}  // namespace

Json LanguageServer::State::hover(const Json& params) {
    const Found found = find_name(params);
    if (found.entity == nullptr) return nullptr;
    Entity entity = *found.entity;
    // The type as it is here: of a field of a Pair<Number>, say.
    if (found.use->type != nullptr) entity.type = found.use->type;
    const bool is_module = entity.kind == EntityKind::module;
    const std::string doc =
        is_module ? doc_text(*entity.module) : doc_text(*entity.module, entity.declared.begin);
    std::string text = concat("```vela\n", declaration_text(entity), "\n```");
    if (!doc.empty()) text += concat("\n\n", doc);
    return {{"contents", {{"kind", "markdown"}, {"value", std::move(text)}}},
            {"range", range_in(found.analysis->root->source->text(), found.use->span)}};
}

Json LanguageServer::State::definition(const Json& params) {
    const Found found = find_name(params);
    if (found.use == nullptr || found.use->module->is_standard) return nullptr;
    return location(*found.use->module, found.use->declared);
}

Json LanguageServer::State::symbol_json(const Module& module, const Decl& node) const {
    const std::string_view text = module.source->text();
    const Name name = node.kind == DeclKind::statement ? variable_of(node) : node.name;
    if (name.text.empty()) return nullptr;
    const auto item = [&](const Name& of, SymbolNumber number, Span whole) {
        return Json{{"name", of.text},
                    {"kind", static_cast<int>(number)},
                    {"range", range_in(text, whole)},
                    {"selectionRange", range_in(text, of.span)}};
    };
    Json made = item(name, number_of(node.kind, false), node.span);
    Json children = Json::array();
    if (has_members(node.kind)) {
        for (const Decl* member : as<TypeDecl>(node).members) {
            if (member->kind == DeclKind::enumeration) {
                children.push_back(symbol_json(module, *member));
            } else if (!member->name.text.empty()) {
                children.push_back(item(member->name, number_of(member->kind, true), member->span));
            }
        }
    } else if (node.kind == DeclKind::enumeration) {
        for (const Variant& variant : as<EnumDecl>(node).variants) {
            children.push_back(item(variant.name, SymbolNumber::enum_member, variant.name.span));
        }
    }
    if (!children.empty()) made["children"] = std::move(children);
    return made;
}

Json LanguageServer::State::symbols(const Json& params) {
    const lsp::Analysis& analysis = analysis_of(document_of(params).path);
    Json list = Json::array();
    if (analysis.root == nullptr) return list;
    for (const Decl* node : analysis.root->tree.declarations) {
        if (node->kind == DeclKind::import) continue;
        if (Json symbol = symbol_json(*analysis.root, *node); !symbol.is_null()) {
            list.push_back(std::move(symbol));
        }
    }
    return list;
}

// Null if the text has syntax errors: its layout is not known.
Json LanguageServer::State::format_document(const Json& params) {
    const lsp::Document& document = document_of(params);
    const Source source(document.path, document.text);
    Diagnostics diagnostics;
    const Tree tree = parse(source, diagnostics);
    if (diagnostics.has_errors()) return nullptr;
    std::string formatted = format(tree);
    if (formatted == document.text) return Json::array();
    const auto end = static_cast<std::uint32_t>(document.text.size());
    return Json::array(
        {{{"range", range_in(document.text, {0, end})}, {"newText", std::move(formatted)}}});
}

Json LanguageServer::State::code_actions(const Json& params) {
    const lsp::Document& document = document_of(params);
    const Json& range = lsp::part_at(params, "range");
    const std::uint32_t begin = offset_of(document.text, lsp::part_at(range, "start"));
    const std::uint32_t end = offset_of(document.text, lsp::part_at(range, "end"));
    Json list = Json::array();
    for (const Diagnostic& diagnostic : diagnostics_of(analysis_of(document.path))) {
        const bool is_there = diagnostic.span.begin <= end && diagnostic.span.end >= begin;
        if (!is_there || !diagnostic.fix) continue;
        const Fix& fix = *diagnostic.fix;
        Json edit = {{"range", range_in(document.text, fix.span)}, {"newText", fix.replacement}};
        list.push_back({{"title", fix.text},
                        {"kind", "quickfix"},
                        {"isPreferred", true},
                        {"diagnostics", Json::array({diagnostic_json(diagnostic)})},
                        {"edit", {{"changes", {{document.uri, Json::array({edit})}}}}}});
    }
    return list;
}

}  // namespace gyre::vela
