// SPDX-License-Identifier: Apache-2.0
// What is wrong with a message is answered, and the next one is served.
#include <gtest/gtest.h>

#include <string>

#include "lang/vela/lsp/editor.test.hpp"

namespace gyre::vela {
namespace {

Json error_of(Editor& editor) {
    for (const Json& message : editor.take()) {
        if (message.contains("error")) return message["error"];
    }
    return {{"code", 0}, {"message", "none"}};
}

TEST(LanguageServerProtocol, a_client_starts_and_ends_it) {
    Editor editor;
    EXPECT_EQ(editor.call("textDocument/hover", {})["error"]["code"], -32002);
    const Json capabilities = editor.start()["capabilities"];
    EXPECT_EQ(capabilities["textDocumentSync"]["change"], 2);
    EXPECT_EQ(editor.call("initialize", {})["error"]["code"], -32600);
    EXPECT_TRUE(editor.ask("shutdown", nullptr).is_null());
    EXPECT_EQ(editor.call("textDocument/hover", {})["error"]["code"], -32600);
    EXPECT_FALSE(editor.server().is_over());
    editor.notify("exit", nullptr);
    EXPECT_TRUE(editor.server().is_over());
    EXPECT_EQ(editor.server().exit_code(), 0);
}

TEST(LanguageServerProtocol, an_exit_without_shutdown_is_a_failure) {
    Editor editor;
    editor.start();
    editor.notify("exit", nullptr);
    EXPECT_EQ(editor.server().exit_code(), 1);
}

TEST(LanguageServerProtocol, messages_may_come_byte_by_byte) {
    Editor editor;
    const std::string bytes =
        framed(R"({"jsonrpc":"2.0","id":"a","method":"initialize","params":{}})");
    for (const char byte : bytes) editor.send_raw(std::string(1, byte));
    const auto messages = editor.take();
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0]["id"], "a");
}

TEST(LanguageServerProtocol, answers_what_it_cannot_read) {
    Editor editor;
    editor.start();
    editor.send_raw(framed("{\"jsonrpc\": "));
    EXPECT_EQ(error_of(editor)["code"], -32700);
    editor.send_raw(framed("[]"));
    EXPECT_EQ(error_of(editor)["code"], -32600);
    editor.send_raw(framed(R"({"id": 1})"));
    EXPECT_EQ(error_of(editor)["code"], -32600);
    editor.send_raw("Content-Type: x\r\n\r\n");
    EXPECT_TRUE(has(error_of(editor)["message"], "Content-Length"));
    editor.send_raw("Content-Length: -1\r\n\r\n");
    EXPECT_TRUE(has(error_of(editor)["message"], "Content-Length"));
    EXPECT_EQ(editor.call("textDocument/unheardOf", {})["error"]["code"], -32601);
    EXPECT_EQ(editor.call("textDocument/hover", {})["error"]["code"], -32602);
    EXPECT_EQ(editor.call("textDocument/hover", Json::array())["error"]["code"], -32602);
    editor.open("/w/a.vela", "x = 1\n");
    Json params = editor.at("/w/a.vela", 0);
    params["position"]["line"] = 1e300;
    EXPECT_EQ(editor.call("textDocument/hover", params)["error"]["code"], -32602);
    params["position"]["line"] = -3;
    EXPECT_TRUE(editor.call("textDocument/hover", params).contains("result"));
    params["position"]["line"] = 1'000'000;
    EXPECT_TRUE(editor.call("textDocument/hover", params).contains("result"));
}

TEST(LanguageServerProtocol, a_wrong_notification_is_logged) {
    Editor editor;
    editor.start();
    editor.notify("textDocument/didChange", {{"textDocument", {{"uri", "file:///w/no.vela"}}}});
    editor.notify("unheardOf", {});
    editor.notify("$/unheardOf", {});
    const auto messages = editor.take();
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0]["method"], "window/logMessage");
    EXPECT_TRUE(has(messages[0]["params"]["message"], "is not open"));
}

TEST(LanguageServerProtocol, limits_are_named_and_the_next_message_is_served) {
    LanguageServerLimits limits;
    limits.message_bytes_max = 2000;
    limits.nesting_max = 10;
    limits.document_bytes_max = 100;
    limits.document_count_max = 1;
    limits.header_bytes_max = 200;
    Editor editor(limits);
    editor.start();
    editor.send_raw(framed(std::string(3000, ' ')));
    EXPECT_TRUE(has(error_of(editor)["message"], "message_bytes_max"));
    editor.send_raw(framed(std::string(500, '[')));
    EXPECT_TRUE(has(error_of(editor)["message"], "nesting_max"));
    editor.open("/w/large.vela", std::string(200, '#'));
    EXPECT_TRUE(has(editor.take().back()["params"]["message"], "document_bytes_max"));
    editor.open("/w/a.vela", "x = 1\n");
    editor.open("/w/b.vela", "x = 1\n");
    EXPECT_TRUE(has(editor.take().back()["params"]["message"], "document_count_max"));
    EXPECT_TRUE(editor.call("textDocument/hover", editor.at("/w/a.vela", 0)).contains("result"));
    editor.send_raw(std::string(300, 'x'));
    EXPECT_TRUE(has(error_of(editor)["message"], "header_bytes_max"));
    EXPECT_TRUE(editor.call("textDocument/hover", editor.at("/w/a.vela", 0)).contains("result"));
}

TEST(LanguageServerProtocol, a_search_checks_a_bounded_number_of_files) {
    LanguageServerLimits limits;
    limits.workspace_checks_max = 3;
    Editor editor(limits);
    editor.start();
    for (int i = 0; i < 5; ++i) {
        editor.files.texts["/w/f" + std::to_string(i) + ".vela"] = "fn f() -> void { }\n";
    }
    editor.open("/w/a.vela", "fn f() -> void { }\n");
    const Json answer = editor.call("textDocument/references", editor.at("/w/a.vela", 3));
    EXPECT_TRUE(has(answer["error"]["message"], "workspace_checks_max"));
}

}  // namespace
}  // namespace gyre::vela
