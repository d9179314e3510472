// SPDX-License-Identifier: Apache-2.0
// Places in texts as the protocol writes them, and diagnostics.
#include <algorithm>

#include "lang/vela/lsp/internal/server.hpp"

namespace gyre::vela {

using Json = lsp::Json;

namespace {

Json position_json(lsp::TextPosition position) {
    return {{"line", position.line}, {"character", position.character}};
}

bool is_syntax(const Diagnostic& diagnostic) {
    return diagnostic.code.starts_with("E01") || diagnostic.code.starts_with("E02");
}

}  // namespace

Json LanguageServer::State::range_in(std::string_view text, Span span) const {
    const lsp::LineTable lines(text);
    return {{"start", position_json(lines.position(text, span.begin, encoding_))},
            {"end", position_json(lines.position(text, span.end, encoding_))}};
}

std::string LanguageServer::State::uri_of(const std::string& path) const {
    // As the editor wrote it.
    const auto open = documents_.find(path);
    return open != documents_.end() ? open->second.uri : lsp::uri_of_path(path);
}

Json LanguageServer::State::location(const Module& module, Span span) {
    return {{"uri", uri_of(module.path)}, {"range", range_in(module.source->text(), span)}};
}

std::uint32_t LanguageServer::State::offset_of(std::string_view text, const Json& position) const {
    const lsp::TextPosition at{lsp::count_at(position, "line"),
                               lsp::count_at(position, "character")};
    return lsp::LineTable(text).offset(text, at, encoding_);
}

Json LanguageServer::State::diagnostic_json(const Diagnostic& diagnostic) {
    std::string message = diagnostic.message;
    Json related = Json::array();
    for (const Note& note : diagnostic.notes) {
        if (note.source == nullptr) {
            message += concat("\nnote: ", note.text);
            continue;
        }
        const std::string path =
            std::filesystem::path(note.source->name()).lexically_normal().string();
        related.push_back(
            {{"location",
              {{"uri", uri_of(path)}, {"range", range_in(note.source->text(), note.span)}}},
             {"message", note.text}});
    }
    Json made = {{"range", range_in(diagnostic.source->text(), diagnostic.span)},
                 {"severity", diagnostic.severity == Severity::error ? 1 : 2},
                 {"code", diagnostic.code},
                 {"source", "vela"},
                 {"message", std::move(message)}};
    if (!related.empty()) made["relatedInformation"] = std::move(related);
    return made;
}

// Those of the file itself. As long as there are syntax errors, others may be their consequences.
std::vector<Diagnostic> LanguageServer::State::diagnostics_of(const lsp::Analysis& analysis) const {
    std::vector<Diagnostic> own = analysis.program->diagnostics.sorted();
    const bool has_syntax_errors = std::any_of(own.begin(), own.end(), is_syntax);
    std::erase_if(own, [&](const Diagnostic& diagnostic) {
        const bool is_foreign =
            analysis.root == nullptr || diagnostic.source != analysis.root->source.get();
        return is_foreign || (has_syntax_errors && !is_syntax(diagnostic));
    });
    return own;
}

LanguageServer::State::Found LanguageServer::State::find_name(const Json& params) {
    const lsp::Document& document = document_of(params);
    const std::uint32_t offset = offset_of(document.text, lsp::part_at(params, "position"));
    Found found;
    found.analysis = &analysis_of(document.path);
    if (found.analysis->root == nullptr) return found;
    found.use = found.analysis->index->use_at(*found.analysis->root, offset);
    if (found.use != nullptr) found.entity = found.analysis->index->entity_of(*found.use);
    return found;
}

}  // namespace gyre::vela
