// SPDX-License-Identifier: Apache-2.0
#include "lang/script/inspect/internal/debug_request.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gyre::script {
namespace {

const DebugTarget target{
    .id = "ab12", .title = "a \"b\".js", .url = "file:///a.js", .host = "127.0.0.1:9229"};

std::string status_of(const std::string& line, const std::string& fields) {
    const DebugAnswer answer = answer_debug_request(line + "\r\n" + fields + "\r\n", target);
    return answer.response.substr(9, 3) + (answer.is_upgrade ? " upgrade" : "");
}

TEST(DebugRequest, serves_only_clients_that_name_this_machine) {
    for (const char* host :
         {"127.0.0.1:9229", "localhost", "LOCALHOST:1", "[::1]:9229", "127.1.2.3"})
        EXPECT_EQ(status_of("GET /json HTTP/1.1", std::string("Host: ") + host + "\r\n"), "200")
            << host;
    for (const char* host :
         {"a.example", "127.0.0.1.a.example", "localhost.a.example:9229", "[::2]", "", "127.a"})
        EXPECT_EQ(status_of("GET /json HTTP/1.1", std::string("Host: ") + host + "\r\n"), "400")
            << host;
    EXPECT_EQ(status_of("GET /json HTTP/1.1", ""), "400");
    EXPECT_EQ(status_of("GET /json HTTP/1.1", "Host: localhost\r\nhost: a.example\r\n"), "400");
}

TEST(DebugRequest, opens_a_socket_by_the_id_alone) {
    const std::string fields =
        "Host: localhost\r\nUpgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
        "dGhlIHNhbXBsZSBub25jZQ==\r\n";
    EXPECT_EQ(status_of("GET /ab12 HTTP/1.1", fields), "101 upgrade");
    EXPECT_EQ(status_of("GET /ab1 HTTP/1.1", fields), "404");
    EXPECT_EQ(status_of("GET / HTTP/1.1", fields), "404");
    EXPECT_EQ(status_of("GET /ab12 HTTP/1.1", "Host: localhost\r\nUpgrade: websocket\r\n"), "400");
    EXPECT_EQ(status_of("GET /ab12 HTTP/1.1", "Host: localhost\r\n"), "404");
    EXPECT_EQ(status_of("POST /ab12 HTTP/1.1", fields), "400");
    EXPECT_EQ(status_of("GET /ab12", fields), "400");
}

TEST(DebugRequest, tells_of_the_script) {
    const DebugAnswer answer =
        answer_debug_request("GET /json/list HTTP/1.1\r\nHost: localhost\r\n\r\n", target);
    EXPECT_NE(answer.response.find(R"("title": "a \"b\".js")"), std::string::npos);
    EXPECT_NE(answer.response.find(R"("webSocketDebuggerUrl": "ws://127.0.0.1:9229/ab12")"),
              std::string::npos);
}

}  // namespace
}  // namespace gyre::script
