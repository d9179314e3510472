// SPDX-License-Identifier: Apache-2.0
// Messages: what is wrong with one is answered, and the next one is served.
#include "lang/vela/lsp/internal/server.hpp"

#include <algorithm>
#include <utility>

namespace gyre::vela {
namespace lsp {
namespace {

// Whether arrays and objects nest deeper than the limit.
bool is_too_deep(std::string_view text, std::size_t nesting_max) {
    std::size_t depth = 0;
    bool is_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char letter = text[i];
        if (is_string) {
            if (letter == '\\') ++i;
            if (letter == '"') is_string = false;
        } else if (letter == '"') {
            is_string = true;
        } else if (letter == '{' || letter == '[') {
            if (++depth > nesting_max) return true;
        } else if ((letter == '}' || letter == ']') && depth > 0) {
            --depth;
        }
    }
    return false;
}

}  // namespace

const Json& part_at(const Json& object, const char* key) {
    if (object.is_object()) {
        if (const auto found = object.find(key); found != object.end()) return *found;
    }
    throw Refused{RpcError::invalid_params, std::string("there is no `") + key + "`"};
}

std::size_t count_at(const Json& object, const char* key) {
    constexpr std::size_t count_max = UINT32_MAX;
    const Json& part = part_at(object, key);
    if (!part.is_number_integer()) {
        throw Refused{RpcError::invalid_params, std::string("`") + key + "` is not a whole number"};
    }
    if (!part.is_number_unsigned() && part.get<std::int64_t>() < 0) return 0;
    return std::min<std::size_t>(part.get<std::uint64_t>(), count_max);
}

const std::string& text_at(const Json& object, const char* key) {
    const Json& part = part_at(object, key);
    if (part.is_string()) return part.get_ref<const std::string&>();
    throw Refused{RpcError::invalid_params, std::string("`") + key + "` is not a string"};
}

}  // namespace lsp

using lsp::Refused;
using lsp::RpcError;

LanguageServer::LanguageServer(WorkspaceFiles& files, LanguageServerLimits limits)
    : state_(std::make_unique<State>(files, limits)) {}
LanguageServer::~LanguageServer() = default;
void LanguageServer::receive(std::string_view bytes) {
    state_->receive(bytes);
}
bool LanguageServer::has_work() const {
    return state_->has_work();
}
void LanguageServer::work() {
    state_->work();
}
std::string LanguageServer::take_output() {
    return std::exchange(state_->output, {});
}
bool LanguageServer::is_over() const {
    return state_->is_over;
}
int LanguageServer::exit_code() const {
    return state_->is_shut_down ? 0 : 1;
}

void LanguageServer::State::receive(std::string_view bytes) {
    reader_.add(bytes);
    while (!is_over) {
        const auto message = reader_.next();
        if (!message) return;
        if (message->error.empty()) {
            handle(message->content);
        } else {
            send_error(nullptr, RpcError::invalid_request, message->error);
        }
    }
}

void LanguageServer::State::handle(const std::string& content) {
    if (lsp::is_too_deep(content, limits_.nesting_max)) {
        send_error(
            nullptr, RpcError::invalid_request,
            "the limit on nesting is " + std::to_string(limits_.nesting_max) + " (nesting_max)");
        return;
    }
    const Json message = Json::parse(content, nullptr, false);
    if (message.is_discarded()) {
        send_error(nullptr, RpcError::parse_error, "the message is not valid JSON");
        return;
    }
    if (!message.is_object()) {
        send_error(nullptr, RpcError::invalid_request, "the message is not an object");
        return;
    }
    handle_call(message);
}

void LanguageServer::State::handle_call(const Json& message) {
    const auto method = message.find("method");
    const auto id = message.find("id");
    const bool is_request = id != message.end();
    // The server asks nothing, so that an answer answers nothing.
    if (method == message.end() && is_request &&
        (message.contains("result") || message.contains("error"))) {
        return;
    }
    const bool has_id = is_request && (id->is_string() || id->is_number_integer());
    if (method == message.end() || !method->is_string() || (is_request && !has_id)) {
        send_error(has_id ? *id : Json(nullptr), RpcError::invalid_request,
                   "the message is neither a request nor a notification");
        return;
    }
    const auto& name = method->get_ref<const std::string&>();
    try {
        if (is_shut_down && name != "exit") {
            throw Refused{RpcError::invalid_request, "the server is shut down"};
        }
        if (!is_initialized_ && name != "initialize" && name != "exit") {
            throw Refused{RpcError::not_initialized, "`initialize` comes first"};
        }
        const Handler handler = handler_of(name);
        if (handler == nullptr) {
            throw Refused{RpcError::method_not_found, "there is no method `" + name + "`"};
        }
        const auto params = message.find("params");
        const Json answer = (this->*handler)(params == message.end() ? Json::object() : *params);
        if (is_request) send({{"jsonrpc", "2.0"}, {"id", *id}, {"result", answer}});
    } catch (const Refused& refused) {
        if (is_request) send_error(*id, refused.code, refused.message);
        // Notifications that begin so may be ignored.
        if (is_request || name.starts_with("$/")) return;
        if (refused.code != RpcError::method_not_found && is_initialized_) {
            notify("window/logMessage",
                   {{"type", 1}, {"message", "gyre lsp: " + name + ": " + refused.message}});
        }
    }
}

LanguageServer::State::Handler LanguageServer::State::handler_of(std::string_view method) {
    static const std::map<std::string_view, Handler> handlers = {
        {"initialize", &State::initialize},
        {"initialized", &State::nothing},
        {"shutdown", &State::shutdown},
        {"exit", &State::exit},
        {"$/cancelRequest", &State::nothing},
        {"$/setTrace", &State::nothing},
        {"textDocument/didOpen", &State::open},
        {"textDocument/didChange", &State::change},
        {"textDocument/didClose", &State::close},
        {"textDocument/didSave", &State::nothing},
        {"workspace/didChangeWatchedFiles", &State::files_changed},
        {"workspace/didChangeConfiguration", &State::nothing},
        {"textDocument/hover", &State::hover},
        {"textDocument/definition", &State::definition},
        {"textDocument/references", &State::references},
        {"textDocument/prepareRename", &State::prepare_rename},
        {"textDocument/rename", &State::rename},
        {"textDocument/completion", &State::completion},
        {"textDocument/documentSymbol", &State::symbols},
        {"textDocument/formatting", &State::format_document},
        {"textDocument/codeAction", &State::code_actions},
    };
    const auto found = handlers.find(method);
    return found == handlers.end() ? nullptr : found->second;
}

void LanguageServer::State::send(const Json& message) {
    const std::string content = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    output += concat("Content-Length: ", std::to_string(content.size()), "\r\n\r\n", content);
}

void LanguageServer::State::send_error(const Json& id, RpcError code, const std::string& text) {
    send({{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", static_cast<std::int32_t>(code)}, {"message", text}}}});
}

void LanguageServer::State::notify(const char* method, Json params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

LanguageServer::State::Json LanguageServer::State::initialize(const Json& params) {
    if (is_initialized_) {
        throw Refused{RpcError::invalid_request, "`initialize` has been sent before"};
    }
    is_initialized_ = true;
    const auto add_folder = [&](const Json& uri) {
        if (uri.is_string()) folders_.push_back(lsp::path_of_uri(uri.get<std::string>()));
    };
    const Json folders = params.is_object() ? params.value("workspaceFolders", Json()) : Json();
    if (folders.is_array()) {
        for (const Json& folder : folders) {
            if (folder.is_object()) add_folder(folder.value("uri", Json()));
        }
    }
    if (folders_.empty() && params.is_object()) add_folder(params.value("rootUri", Json()));

    static const Json::json_pointer encodings("/capabilities/general/positionEncodings");
    const Json offered =
        params.is_object() && params.contains(encodings) ? params.at(encodings) : Json();
    if (offered.is_array() && std::find(offered.begin(), offered.end(), "utf-8") != offered.end()) {
        encoding_ = lsp::Encoding::utf8;
    }
    Json capabilities = {
        {"positionEncoding", encoding_ == lsp::Encoding::utf8 ? "utf-8" : "utf-16"},
        {"textDocumentSync", {{"openClose", true}, {"change", 2}}},
        {"hoverProvider", true},
        {"definitionProvider", true},
        {"referencesProvider", true},
        {"renameProvider", {{"prepareProvider", true}}},
        {"completionProvider", {{"triggerCharacters", {".", ":", "'", "/"}}}},
        {"documentSymbolProvider", true},
        {"documentFormattingProvider", true},
        {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
    };
    return {{"capabilities", std::move(capabilities)}, {"serverInfo", {{"name", "gyre lsp"}}}};
}

LanguageServer::State::Json LanguageServer::State::nothing(const Json& /*params*/) {
    return nullptr;
}

LanguageServer::State::Json LanguageServer::State::shutdown(const Json& /*params*/) {
    is_shut_down = true;
    return nullptr;
}

LanguageServer::State::Json LanguageServer::State::exit(const Json& /*params*/) {
    is_over = true;
    return nullptr;
}

}  // namespace gyre::vela
