// SPDX-License-Identifier: Apache-2.0
// Open documents, and what is known of them: checks are made on demand and kept until a text
// changes.
#include <algorithm>
#include <utility>

#include "lang/vela/lsp/internal/server.hpp"

namespace gyre::vela {

using lsp::Document;
using lsp::Refused;
using lsp::RpcError;
using Json = lsp::Json;

std::expected<std::string, std::string> LanguageServer::State::Overlay::read(
    const std::string& path) {
    if (const auto replaced = texts.find(path); replaced != texts.end()) return replaced->second;
    const auto open = state_.documents_.find(path);
    if (open != state_.documents_.end()) return open->second.text;
    return state_.files_.read(path);
}

Document& LanguageServer::State::document_of(const Json& params) {
    const std::string& uri = lsp::text_at(lsp::part_at(params, "textDocument"), "uri");
    const auto found = documents_.find(lsp::path_of_uri(uri));
    if (found != documents_.end()) return found->second;
    throw Refused{RpcError::invalid_params, "the document is not open: " + uri};
}

// Other files may import the changed one.
void LanguageServer::State::invalidate() {
    analyses_.clear();
    for (auto& [path, document] : documents_) document.is_dirty = true;
}

// A document over the limit is closed, since its text is no longer known.
void LanguageServer::State::refuse_large(const Document& document) {
    if (document.text.size() <= limits_.document_bytes_max) return;
    const std::string uri = document.uri;
    documents_.erase(document.path);
    invalidate();
    throw Refused{RpcError::invalid_params, "the limit on a document is " +
                                                std::to_string(limits_.document_bytes_max) +
                                                " bytes (document_bytes_max): " + uri};
}

Json LanguageServer::State::open(const Json& params) {
    const Json& item = lsp::part_at(params, "textDocument");
    const std::string& uri = lsp::text_at(item, "uri");
    const std::string path = lsp::path_of_uri(uri);
    if (documents_.size() >= limits_.document_count_max && !documents_.contains(path)) {
        throw Refused{RpcError::invalid_params, "the limit on open documents is " +
                                                    std::to_string(limits_.document_count_max) +
                                                    " (document_count_max)"};
    }
    Document document;
    document.uri = uri;
    document.path = path;
    document.text = lsp::text_at(item, "text");
    document.version = static_cast<std::int64_t>(lsp::count_at(item, "version"));
    Document& placed = documents_[path] = std::move(document);
    invalidate();
    refuse_large(placed);
    return nullptr;
}

Json LanguageServer::State::change(const Json& params) {
    Document& document = document_of(params);
    const Json& changes = lsp::part_at(params, "contentChanges");
    if (!changes.is_array()) {
        throw Refused{RpcError::invalid_params, "`contentChanges` is not an array"};
    }
    for (const Json& change : changes) {
        const std::string& text = lsp::text_at(change, "text");
        const auto range = change.find("range");
        if (range == change.end() || range->is_null()) {
            document.text = text;
        } else {
            const std::uint32_t begin = offset_of(document.text, lsp::part_at(*range, "start"));
            const std::uint32_t end = offset_of(document.text, lsp::part_at(*range, "end"));
            if (end < begin) {
                throw Refused{RpcError::invalid_params, "a range ends before its start"};
            }
            document.text.replace(begin, end - begin, text);
        }
        refuse_large(document);
    }
    document.version =
        static_cast<std::int64_t>(lsp::count_at(lsp::part_at(params, "textDocument"), "version"));
    invalidate();
    return nullptr;
}

Json LanguageServer::State::close(const Json& params) {
    const Document& document = document_of(params);
    notify("textDocument/publishDiagnostics",
           {{"uri", document.uri}, {"diagnostics", Json::array()}});
    documents_.erase(std::string(document.path));
    invalidate();
    return nullptr;
}

Json LanguageServer::State::files_changed(const Json& /*params*/) {
    invalidate();
    return nullptr;
}

std::string LanguageServer::State::text_of(const std::string& path) {
    return Overlay(*this).read(path).value_or("");
}

lsp::Analysis LanguageServer::State::check_text(const std::string& path, std::string text,
                                                SourceFiles& files, std::string asked) {
    CheckOptions options;
    options.limits.file_bytes_max = static_cast<std::uint32_t>(limits_.document_bytes_max);
    options.is_for_editor = true;
    options.asked = std::move(asked);
    lsp::Analysis made;
    made.program = check(path, std::move(text), files, options);
    made.index = std::make_unique<Index>(*made.program);
    made.root = made.program->order.empty() ? nullptr : made.program->order.back();
    return made;
}

lsp::Analysis& LanguageServer::State::analysis_of(const std::string& path) {
    // Programs hold the standard surface too: only a few are kept.
    constexpr std::size_t kept_max = 16;
    if (const auto known = analyses_.find(path); known != analyses_.end()) return known->second;
    if (analyses_.size() >= kept_max) analyses_.clear();
    Overlay files(*this);
    return analyses_[path] = check_text(path, text_of(path), files);
}

bool LanguageServer::State::has_work() const {
    return std::any_of(documents_.begin(), documents_.end(),
                       [](const auto& entry) { return entry.second.is_dirty; });
}

void LanguageServer::State::work() {
    const auto dirty = std::find_if(documents_.begin(), documents_.end(),
                                    [](const auto& entry) { return entry.second.is_dirty; });
    if (dirty != documents_.end()) publish(dirty->second);
}

void LanguageServer::State::publish(Document& document) {
    document.is_dirty = false;
    Json list = Json::array();
    for (const Diagnostic& diagnostic : diagnostics_of(analysis_of(document.path))) {
        list.push_back(diagnostic_json(diagnostic));
    }
    notify(
        "textDocument/publishDiagnostics",
        {{"uri", document.uri}, {"version", document.version}, {"diagnostics", std::move(list)}});
}

}  // namespace gyre::vela
