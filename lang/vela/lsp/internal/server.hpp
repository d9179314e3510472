// SPDX-License-Identifier: Apache-2.0
// The state of a LanguageServer: open documents, what was checked of them, and the requests by
// name. A request that cannot be served throws Refused, which becomes its answer. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "lang/vela/lsp/internal/document.hpp"
#include "lang/vela/lsp/internal/message_reader.hpp"
#include "lang/vela/lsp/language_server.hpp"
#include "lang/vela/query/index.hpp"

namespace gyre::vela::lsp {

using Json = nlohmann::json;

// Error codes of JSON-RPC and of the protocol.
enum class RpcError : std::int32_t {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    not_initialized = -32002,
    request_failed = -32803,
};

struct Refused {
    RpcError code;
    std::string message;
};

// A checked file with its imports. Positions are computed on demand.
struct Analysis {
    std::unique_ptr<Program> program;
    std::unique_ptr<Index> index;
    const Module* root = nullptr;  // null if the file could not be read
};

// Replaces the text of a span of a file.
struct Edit {
    Span span;
    std::string text;
    // Of `field: variable` for a shorthand: where the variable begins in the text.
    std::uint32_t value_at = 0;
};
// The edits of each file by path, in the order of their places.
using Edits = std::map<std::string, std::vector<Edit>>;

}  // namespace gyre::vela::lsp

namespace gyre::vela {

class LanguageServer::State {
public:
    using Json = lsp::Json;

    State(WorkspaceFiles& files, LanguageServerLimits limits)
        : files_(files),
          limits_(limits),
          reader_(limits.message_bytes_max, limits.header_bytes_max) {}

    void receive(std::string_view bytes);
    [[nodiscard]] bool has_work() const;
    void work();

    std::string output;
    bool is_over = false;
    bool is_shut_down = false;

private:
    // Reads open documents, and other files from the workspace.
    class Overlay;
    using Handler = Json (State::*)(const Json& params);

    // ---- server.cpp: messages
    void handle(const std::string& content);
    void handle_call(const Json& message);
    [[nodiscard]] static Handler handler_of(std::string_view method);
    void send(const Json& message);
    void send_error(const Json& id, lsp::RpcError code, const std::string& text);
    void notify(const char* method, Json params);

    // ---- server.cpp: life
    Json initialize(const Json& params);
    Json nothing(const Json& params);
    Json shutdown(const Json& params);
    Json exit(const Json& params);

    // ---- documents.cpp
    Json open(const Json& params);
    Json change(const Json& params);
    Json close(const Json& params);
    Json files_changed(const Json& params);
    [[nodiscard]] lsp::Document& document_of(const Json& params);
    void refuse_large(const lsp::Document& document);
    void invalidate();
    [[nodiscard]] std::string text_of(const std::string& path);
    lsp::Analysis& analysis_of(const std::string& path);
    [[nodiscard]] lsp::Analysis check_text(const std::string& path, std::string text,
                                           SourceFiles& files, std::string asked = {});
    void publish(lsp::Document& document);

    // ---- places.cpp: from offsets to positions and back
    [[nodiscard]] Json range_in(std::string_view text, Span span) const;
    [[nodiscard]] Json location(const Module& module, Span span);
    [[nodiscard]] std::uint32_t offset_of(std::string_view text, const Json& position) const;
    [[nodiscard]] Json diagnostic_json(const Diagnostic& diagnostic);
    [[nodiscard]] std::vector<Diagnostic> diagnostics_of(const lsp::Analysis& analysis) const;
    [[nodiscard]] std::string uri_of(const std::string& path) const;
    // The name at the position of a request; null if there is none.
    struct Found {
        lsp::Analysis* analysis = nullptr;
        const NameUse* use = nullptr;
        const Entity* entity = nullptr;
    };
    [[nodiscard]] Found find_name(const Json& params);

    // ---- features.cpp
    Json hover(const Json& params);
    Json definition(const Json& params);
    Json symbols(const Json& params);
    Json format_document(const Json& params);
    Json code_actions(const Json& params);
    [[nodiscard]] Json symbol_json(const Module& module, const Decl& node) const;

    // ---- rename.cpp
    struct Place {
        std::string path;
        Span span;
        bool is_shorthand = false;  // `User { id }`: the field and the variable in one
    };
    Json references(const Json& params);
    Json prepare_rename(const Json& params);
    Json rename(const Json& params);
    [[nodiscard]] std::vector<std::string> files_with(const std::vector<std::string>& words);
    [[nodiscard]] std::vector<Place> places_of(const Found& found);
    void check_meaning(const std::vector<std::string>& paths, const lsp::Edits& edits,
                       const std::string& name);
    Found find_own_name(const Json& params);

    // ---- completion.cpp
    Json completion(const Json& params);
    [[nodiscard]] Json import_items(const lsp::Document& document, std::uint32_t offset);

    WorkspaceFiles& files_;
    const LanguageServerLimits limits_;
    lsp::MessageReader reader_;
    lsp::Encoding encoding_ = lsp::Encoding::utf16;
    bool is_initialized_ = false;
    std::vector<std::string> folders_;
    std::map<std::string, lsp::Document> documents_;  // by path
    std::map<std::string, lsp::Analysis> analyses_;   // by path, of the present texts
};

class LanguageServer::State::Overlay final : public SourceFiles {
public:
    explicit Overlay(State& state) : state_(state) {}
    [[nodiscard]] std::expected<std::string, std::string> read(const std::string& path) override;
    // Replaces a file, for a check of what an edit would lead to.
    std::map<std::string, std::string> texts;

private:
    State& state_;
};

}  // namespace gyre::vela

namespace gyre::vela::lsp {

// A whole number of at least 0, bounded; throws Refused.
[[nodiscard]] std::size_t count_at(const Json& object, const char* key);
// A string; throws Refused.
[[nodiscard]] const std::string& text_at(const Json& object, const char* key);
// A member of any type; throws Refused.
[[nodiscard]] const Json& part_at(const Json& object, const char* key);

}  // namespace gyre::vela::lsp
