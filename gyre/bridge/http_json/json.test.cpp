// SPDX-License-Identifier: Apache-2.0
// JSON bodies as values, and values and errors as responses.
#include "gyre/bridge/http_json/json.hpp"

#include <gtest/gtest.h>

#include "gyre/http/server_world.test.hpp"

namespace gyre::http {
namespace {

class HttpJson : public ServerWorld {
protected:
    std::string post(const std::string& text) {
        return exchange("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: " +
                        std::to_string(text.size()) + "\r\n\r\n" + text);
    }
};

TEST_F(HttpJson, values_come_and_go) {
    server.use(&json_errors);
    server.post("/a", [](Request& request, Response& response) -> Future<void> {
        Json value = co_await read_json(request);
        value["more"] = 1;
        send_json(response.status(201), value);
    });
    const std::string answer = post(R"({"a":[1,"b"]})");
    EXPECT_EQ(status_of_answer(answer), 201);
    EXPECT_EQ(body_of(answer), R"({"a":[1,"b"],"more":1})");
    EXPECT_NE(answer.find("Content-Type: application/json\r\n"), std::string::npos);
    EXPECT_EQ(body_of(post(R"({"a":)")), R"({"error":"this is no JSON"})");
    EXPECT_EQ(status_of_answer(post("")), 400);
    EXPECT_EQ(body_of(post(std::string(200, '[') + std::string(200, ']'))),
              R"({"error":"this JSON is nested too deep"})");
}

// Looking through the whole array at each object took minutes for this body.
TEST_F(HttpJson, a_list_of_many_objects_is_read_in_time_that_its_length_bounds) {
    server.use(&json_errors);
    server.post("/a", [](Request& request, Response& response) -> Future<void> {
        const Json value = co_await read_json(request);
        send_json(response, value.size());
    });
    std::string text = "[{}";
    for (int i = 1; i < 200'000; ++i) text += ",{}";
    EXPECT_EQ(body_of(post(text + "]")), "200000");
}

TEST_F(HttpJson, errors_have_their_status) {
    server.use(&json_errors);
    server.post("/a", [](Request&, Response& response) -> Future<void> {
        response.field("X", "1");
        throw JsonError(418, "no \"coffee\"\r\n");
        co_return;
    });
    const std::string answer = post("{}");
    EXPECT_EQ(status_of_answer(answer), 418);
    EXPECT_EQ(body_of(answer), R"({"error":"no \"coffee\"\r\n"})");
}

}  // namespace
}  // namespace gyre::http
