// SPDX-License-Identifier: Apache-2.0
// Editor: drives a LanguageServer as an editor does: messages with headers, in and out. Files are a
// table in memory. One thread.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/vela/lsp/language_server.hpp"

namespace gyre::vela {

using Json = nlohmann::json;

class TableFiles final : public WorkspaceFiles {
public:
    std::map<std::string, std::string> texts;

    std::expected<std::string, std::string> read(const std::string& path) override {
        const auto found = texts.find(path);
        if (found == texts.end()) return std::unexpected(path + ": there is none");
        return found->second;
    }
    std::vector<std::string> list(const std::string& folder, std::size_t count_max) override {
        std::vector<std::string> paths;
        for (const auto& [path, text] : texts) {
            if (path.starts_with(folder) && paths.size() < count_max) paths.push_back(path);
        }
        return paths;
    }
};

inline testing::AssertionResult has(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "no '" << part << "' in: " << text;
}

using Words = std::vector<std::string>;
inline testing::AssertionResult has_all(const Words& all, const Words& wanted) {
    for (const std::string& word : wanted) {
        if (std::find(all.begin(), all.end(), word) != all.end()) continue;
        return testing::AssertionFailure() << word << " is not among " << Json(all).dump();
    }
    return testing::AssertionSuccess();
}

inline std::string framed(const std::string& content) {
    return "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + content;
}

class Editor {
public:
    explicit Editor(LanguageServerLimits limits = {}) : server_(files, limits) {}

    TableFiles files;
    std::vector<Json> notifications;

    void send_raw(const std::string& bytes) { server_.receive(bytes); }
    void notify(const char* method, Json params) {
        send_raw(framed(
            Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}.dump()));
    }
    // The whole answer to a request.
    Json call(const char* method, Json params) {
        const int id = ++last_id_;
        send_raw(framed(
            Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}
                .dump()));
        Json answer;
        for (Json& message : take()) {
            if (message.contains("id") && message["id"] == id) answer = std::move(message);
        }
        return answer;
    }
    Json ask(const char* method, Json params) {
        const Json answer = call(method, std::move(params));
        EXPECT_TRUE(answer.contains("result")) << method << ": " << answer.dump();
        return answer.value("result", Json());
    }
    // The messages that the server has sent, notifications kept apart as well.
    std::vector<Json> take() {
        std::vector<Json> messages;
        std::string rest = server_.take_output();
        while (!rest.empty()) {
            constexpr std::string_view name = "Content-Length: ";
            EXPECT_TRUE(rest.starts_with(name)) << rest;
            const std::size_t end = rest.find("\r\n\r\n");
            const auto length = std::stoul(rest.substr(name.size(), end - name.size()));
            messages.push_back(Json::parse(rest.substr(end + 4, length)));
            if (!messages.back().contains("id")) notifications.push_back(messages.back());
            rest.erase(0, end + 4 + length);
        }
        return messages;
    }

    Json start() {
        Json answer =
            ask("initialize", {{"rootUri", "file:///w"}, {"capabilities", Json::object()}});
        notify("initialized", Json::object());
        return answer;
    }
    // `|` in the text is the place of later requests.
    void open(const std::string& path, std::string text) {
        place = text.find('|');
        if (place != std::string::npos) text.erase(place, 1);
        texts_[path] = text;
        notify("textDocument/didOpen", {{"textDocument",
                                         {{"uri", "file://" + path},
                                          {"languageId", "vela"},
                                          {"version", 1},
                                          {"text", text}}}});
    }
    std::size_t place = 0;

    // The parameters of a request at the place of a document; ASCII only.
    Json at_place(const std::string& path) { return at(path, place); }
    Json at(const std::string& path, std::size_t offset) {
        return {{"textDocument", {{"uri", "file://" + path}}},
                {"position", position(path, offset)}};
    }
    Json position(const std::string& path, std::size_t offset) {
        const std::string& text = texts_[path];
        int line = 0;
        int character = 0;
        for (std::size_t i = 0; i < offset; ++i) {
            ++character;
            if (text[i] == '\n') {
                ++line;
                character = 0;
            }
        }
        return {{"line", line}, {"character", character}};
    }
    // The text of the document in a range of the protocol.
    std::string text_in(const std::string& path, const Json& range) {
        const std::string& text = texts_[path];
        const auto offset = [&](const Json& at) {
            std::size_t begin = 0;
            for (int line = at["line"]; line > 0; --line) begin = text.find('\n', begin) + 1;
            return begin + at["character"].get<std::size_t>();
        };
        return text.substr(offset(range["start"]), offset(range["end"]) - offset(range["start"]));
    }
    // The document after the edits of a file, which are in order.
    std::string edited(const std::string& path, const Json& edits) {
        std::string text = texts_[path];
        const std::string before = text;
        for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
            const std::size_t line = (*edit)["range"]["start"]["line"];
            std::size_t begin = 0;
            for (std::size_t i = 0; i < line; ++i) begin = before.find('\n', begin) + 1;
            begin += (*edit)["range"]["start"]["character"].get<std::size_t>();
            const std::size_t length = text_in(path, (*edit)["range"]).size();
            text.replace(begin, length, (*edit)["newText"].get<std::string>());
        }
        return text;
    }
    // The diagnostics of a document after all work is done.
    Json diagnostics(const std::string& path) {
        while (server_.has_work()) server_.work();
        static_cast<void>(take());
        Json last;
        for (const Json& message : notifications) {
            const bool is_it = message["method"] == "textDocument/publishDiagnostics" &&
                               message["params"]["uri"] == "file://" + path;
            if (is_it) last = message["params"]["diagnostics"];
        }
        return last;
    }
    std::vector<std::string> labels(const Json& items) {
        std::vector<std::string> names;
        for (const Json& item : items) names.push_back(item["label"]);
        return names;
    }
    LanguageServer& server() { return server_; }

private:
    LanguageServer server_;
    std::map<std::string, std::string> texts_;
    int last_id_ = 0;
};

}  // namespace gyre::vela
