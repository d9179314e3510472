// SPDX-License-Identifier: Apache-2.0
// References and renaming, in all files of the workspace. A renaming is tried first: if a name
// would then mean something else than before, or a new error appears, it is refused.
#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "lang/vela/lsp/internal/server.hpp"

namespace gyre::vela {

using Json = lsp::Json;
using lsp::Edit;
using lsp::Edits;
using lsp::Refused;
using lsp::RpcError;

namespace {

// Whether a text is one name, and no keyword.
bool is_name(const std::string& text) {
    if (text == "_") return false;
    const Source source("", concat(text, " = 1\n"));
    Diagnostics diagnostics;
    const Tree tree = parse(source, diagnostics);
    if (diagnostics.has_errors() || tree.declarations.size() != 1) return false;
    const Decl& only = *tree.declarations[0];
    if (only.kind != DeclKind::statement) return false;
    const Stmt& stmt = *as<StatementDecl>(only).statement;
    if (stmt.kind != StmtKind::assign) return false;
    const Expr& target = *as<AssignStmt>(stmt).target;
    return target.kind == ExprKind::name && as<NameExpr>(target).text == text;
}

bool has_word(std::string_view text, std::string_view word) {
    if (word.empty()) return false;
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || !lsp::is_word_part(text[at - 1]);
        if (begins && (end == text.size() || !lsp::is_word_part(text[end]))) return true;
    }
    return false;
}

std::string edited(const std::string& text, const std::vector<Edit>& edits) {
    std::string result;
    std::size_t at = 0;
    for (const Edit& edit : edits) {
        result.append(text, at, edit.span.begin - at);
        result += edit.text;
        at = edit.span.end;
    }
    return result.append(text, at, std::string::npos);
}

// Where an offset of a file is after the edits.
std::uint32_t moved(const Edits& edits, const std::string& path, std::uint32_t offset) {
    const auto own = edits.find(path);
    if (own == edits.end()) return offset;
    std::int64_t by = 0;
    for (const Edit& edit : own->second) {
        if (edit.span.begin >= offset) break;
        by += static_cast<std::int64_t>(edit.text.size()) - (edit.span.end - edit.span.begin);
    }
    return static_cast<std::uint32_t>(offset + by);
}

// How far the value of a shorthand is from its field, once both are written.
std::uint32_t value_offset(const Edits& edits, const NameUse& use, const Index& index) {
    const auto own = edits.find(use.in->path);
    const Entity* entity = index.entity_of(use);
    if (own == edits.end() || entity == nullptr || entity->kind == EntityKind::field) return 0;
    for (const Edit& edit : own->second) {
        if (edit.span == use.span) return edit.value_at;
    }
    return 0;
}

// A use as place, file of the declaration, and place of the declaration.
using UseKey = std::tuple<std::uint32_t, std::string, std::uint32_t>;

std::set<UseKey> uses_in(const lsp::Analysis& analysis, const Edits& edits) {
    std::set<UseKey> keys;
    if (analysis.root == nullptr) return keys;
    for (const NameUse& use : analysis.index->uses()) {
        if (use.in != analysis.root) continue;
        const std::uint32_t inside = value_offset(edits, use, *analysis.index);
        keys.insert({moved(edits, use.in->path, use.span.begin) + inside, use.module->path,
                     moved(edits, use.module->path, use.declared.begin)});
    }
    return keys;
}

std::size_t error_count(const lsp::Analysis& analysis) {
    const auto all = analysis.program->diagnostics.sorted();
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [](const Diagnostic& d) { return d.severity == Severity::error; }));
}

}  // namespace

// The open documents, and the files of the workspace, whose text has one of the words.
std::vector<std::string> LanguageServer::State::files_with(const std::vector<std::string>& words) {
    std::set<std::string> paths;
    for (const auto& [path, document] : documents_) paths.insert(path);
    for (const std::string& folder : folders_) {
        for (std::string& path : files_.list(folder, limits_.workspace_files_max)) {
            paths.insert(std::move(path));
        }
    }
    std::vector<std::string> found;
    for (const std::string& path : paths) {
        const std::string text = text_of(path);
        const bool has_one = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
            return has_word(text, word);
        });
        if (has_one) found.push_back(path);
        if (found.size() > limits_.workspace_checks_max) {
            throw Refused{RpcError::request_failed,
                          "the limit on files that have the name is " +
                              std::to_string(limits_.workspace_checks_max) +
                              " (workspace_checks_max)"};
        }
    }
    return found;
}

std::vector<LanguageServer::State::Place> LanguageServer::State::places_of(const Found& found) {
    const std::string path = found.use->module->path;
    const Span declared = found.use->declared;
    const std::string name(found.use->module->source->text(declared));
    std::vector<Place> places;
    for (const std::string& file : files_with({name})) {
        const lsp::Analysis& analysis = analysis_of(file);
        if (analysis.root == nullptr) continue;
        const auto& uses = analysis.index->uses();
        for (std::size_t i = 0; i < uses.size(); ++i) {
            const NameUse& use = uses[i];
            const bool is_it = use.in == analysis.root && use.module->path == path &&
                               use.declared.begin == declared.begin;
            if (!is_it) continue;
            const auto is_beside = [&](std::size_t j) {
                return j < uses.size() && uses[j].in == use.in && uses[j].span == use.span;
            };
            places.push_back({file, use.span, is_beside(i + 1) || (i > 0 && is_beside(i - 1))});
        }
    }
    return places;
}

Json LanguageServer::State::references(const Json& params) {
    const Found found = find_name(params);
    Json list = Json::array();
    if (found.use == nullptr) return list;
    const bool is_foreign = found.use->module->is_standard || found.use->declared.end == 0;
    if (is_foreign) {
        // Names of the standard surface: in this file.
        for (const NameUse& use : found.analysis->index->uses_of(*found.use)) {
            if (use.in == found.analysis->root) list.push_back(location(*use.in, use.span));
        }
        return list;
    }
    const Json context = params.value("context", Json::object());
    const bool with_declaration =
        !context.is_object() || context.value("includeDeclaration", Json(true)) != Json(false);
    // The search may forget the analysis that was asked.
    const std::string path = found.use->module->path;
    const Span declared = found.use->declared;
    for (const Place& place : places_of(found)) {
        const bool is_declaration = place.path == path && place.span == declared;
        if (is_declaration && !with_declaration) continue;
        list.push_back(
            {{"uri", uri_of(place.path)}, {"range", range_in(text_of(place.path), place.span)}});
    }
    return list;
}

// The name at a position, which must be declared in a file of the user.
LanguageServer::State::Found LanguageServer::State::find_own_name(const Json& params) {
    const Found found = find_name(params);
    if (found.use == nullptr || found.entity == nullptr || found.use->declared.end == 0) {
        throw Refused{RpcError::request_failed, "there is no name here that can be renamed"};
    }
    if (found.use->module->is_standard) {
        throw Refused{RpcError::request_failed, concat("`", found.entity->name,
                                                       "` belongs to the standard surface: it "
                                                       "cannot be renamed")};
    }
    return found;
}

Json LanguageServer::State::prepare_rename(const Json& params) {
    const Found found = find_own_name(params);
    return {{"range", range_in(found.analysis->root->source->text(), found.use->span)},
            {"placeholder", found.entity->name}};
}

// Checks the files as they would be.
void LanguageServer::State::check_meaning(const std::vector<std::string>& paths, const Edits& edits,
                                          const std::string& name) {
    Overlay after(*this);
    for (const auto& [path, list] : edits) after.texts[path] = edited(text_of(path), list);
    for (const std::string& path : paths) {
        const lsp::Analysis& before = analysis_of(path);
        std::set<UseKey> wanted = uses_in(before, edits);
        const std::size_t errors_before = error_count(before);
        const auto text = after.read(path);
        if (!text) continue;
        const lsp::Analysis now = check_text(path, *text, after);
        const std::set<UseKey> found = uses_in(now, {});
        if (error_count(now) <= errors_before && found == wanted) continue;
        throw Refused{RpcError::request_failed,
                      concat("renaming to `", name, "` would clash: in ", path,
                             error_count(now) > errors_before ? " it leads to an error"
                                                              : " a name would mean another one")};
    }
}

Json LanguageServer::State::rename(const Json& params) {
    const Found found = find_own_name(params);
    const std::string& name = lsp::text_at(params, "newName");
    if (!is_name(name)) {
        throw Refused{RpcError::request_failed, concat("`", name, "` is not a name")};
    }
    const std::string old(found.entity->name);
    if (old == name) return {{"changes", Json::object()}};
    const bool is_field = found.entity->kind == EntityKind::field;
    Edits edits;
    for (const Place& place : places_of(found)) {
        std::string text = name;
        if (place.is_shorthand) {
            // Written out, since the two names are no longer the same.
            text = is_field ? concat(name, ": ", old) : concat(old, ": ", name);
        }
        const auto value_at = static_cast<std::uint32_t>((is_field ? name.size() : old.size()) + 2);
        edits[place.path].push_back(
            {place.span, std::move(text), place.is_shorthand ? value_at : 0});
    }
    if (edits.empty()) throw Refused{RpcError::request_failed, "the name is not used here"};
    check_meaning(files_with({old, name}), edits, name);
    Json changes = Json::object();
    for (const auto& [path, list] : edits) {
        const std::string text = text_of(path);
        Json& of_file = changes[uri_of(path)] = Json::array();
        for (const Edit& edit : list) {
            of_file.push_back({{"range", range_in(text, edit.span)}, {"newText", edit.text}});
        }
    }
    return {{"changes", std::move(changes)}};
}

}  // namespace gyre::vela
