// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/http/http_effects.hpp"

#include <gtest/gtest.h>

#include <array>

#include "gyre/effect/effect_world.test.hpp"
#include "gyre/http/server.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/listener.hpp"
#include "lang/wasm/detail/records.hpp"
#include "lang/wasm/fake_module.test.hpp"

namespace gyre::wasm {
namespace {

using effect::Arguments;
using effect::Lines;
using effect::Value;
using namespace std::chrono_literals;
namespace script = effect::script;

constexpr NamedOp http_ops[] = {
    {"voyd.std.http.client", "request"},
    {"voyd.std.http.server", "listen_raw"},
    {"voyd.std.http.server", "accept_raw", false},
    {"voyd.std.http.server", "read_request_raw", false},
    {"voyd.std.http.server", "respond_raw"},
    {"voyd.std.http.server", "start_response_raw"},
    {"voyd.std.http.server", "write_response_raw"},
    {"voyd.std.http.server", "finish_response_raw", false},
    {"voyd.std.http.server", "close_raw"},
    {"voyd.std.http.server", "other"},
};
enum HttpOp : std::size_t { request, listen, accept, read, respond, start, write, finish, close };

Value bytes(std::string_view text) {
    return Value(blob_of(text));
}
Value get(const std::string& url, Value policy = Value(), const char* method = "GET") {
    Value headers(Value::List{record({{"name", "Authorization"}, {"value", "secret"}}),
                              record({{"name", "Content-Length"}, {"value", "999"}})});
    return record({{"method", method},
                   {"url", url},
                   {"headers", headers},
                   {"body", bytes("sent")},
                   {"timeout_millis", 1'000},
                   {"redirect_policy", std::move(policy)}});
}
Value response(int id, int status, std::string_view body) {
    Value headers(Value::List{record({{"name", "X-Made"}, {"value", "here"}})});
    Value made =
        record({{"status", status}, {"reason", ""}, {"headers", headers}, {"body", bytes(body)}});
    return record({{"request_id", id}, {"response", made}});
}
Value chunk(int id, std::string_view text) {
    return record({{"request_id", id}, {"chunk", bytes(text)}});
}

std::string http_text(bool is_fine) {
    return std::string(R"({"ok": )") + (is_fine ? "true" : "false") +
           R"(, "value": {}, "error_code": 0, "error_message": ""})";
}
std::string joined(const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
}

struct HttpWorld {
    std::shared_ptr<const Program> program = program_with(http_ops);
    effect::EffectWorld world;
    HttpEffects network;
    effect::ScriptedGuest guest;
    std::vector<std::string> heard;  // by clients, in the order of their ends

    explicit HttpWorld(std::vector<std::string> allowed = {"net=127.0.0.1:8080"},
                       std::size_t body_max_bytes = 8'000'000)
        : network({.allowed = std::move(allowed), .body_max_bytes = body_max_bytes}),
          guest(std::vector<effect::OpInfo>(program->ops().begin(), program->ops().end())) {
        network.add_to(world.handlers, *program);
    }
    ~HttpWorld() {
        static_cast<void>(world.loop.run());
        world.loop.close();
    }

    // Sends the text after a while and reads to the end.
    void client(std::string text, Duration after = 1ms) {
        world.executor.root().spawn(
            [this](std::string sent, Duration wait) -> Future<void> {
                co_await sleep(wait);
                net::Connection stream = co_await net::connect(Address::loopback(8080));
                co_await stream.write(bytes_of(sent));
                std::string got;
                std::array<std::byte, 4096> buffer{};
                for (;;) {
                    const std::size_t size = co_await stream.read(buffer);
                    if (size == 0) break;
                    got += text_of(ConstBytes(buffer).first(size));
                }
                heard.push_back(got);
            },
            std::move(text), after);
    }
    // A server of ours, at port 8080, which stops after some time.
    void serve(http::Server& server) {
        world.executor.root().spawn([&server]() -> Future<void> {
            net::Listener listener = co_await net::listen(Address::loopback(8080));
            static_cast<void>(co_await server.serve(std::move(listener)));
        });
        world.executor.root().spawn([&server]() -> Future<void> {
            co_await sleep(5s);
            server.stop();
        });
    }
    effect::RunOutcome<Value> run(std::vector<script::Action> actions) {
        actions.push_back(script::give_last());
        guest.add("main", std::move(actions));
        return world.run(guest, "main");
    }
    // The same, and cancels the run after this time.
    void run_for(Duration time, std::vector<script::Action> actions) {
        guest.add("main", std::move(actions));
        auto handle = world.scheduler.start(guest, world.handlers, "main");
        world.executor.root().spawn([&]() -> Future<void> {
            co_await sleep(time);
            EXPECT_EQ(network.server_count(), 1u);
            EXPECT_TRUE(handle.cancel("enough"));
        });
        static_cast<void>(world.loop.run());
    }
};

std::string get_text(const char* path) {
    return std::string("GET ") + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
}
std::string post_text(std::string_view body) {
    return "POST /up HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}
Value config(std::initializer_list<std::pair<const char*, Value>> more = {}) {
    Value::Record made{{"port", 8080}};
    for (const auto& [name, value] : more) made.emplace_back(name, value);
    return Value(std::move(made));
}

TEST(HttpEffects, the_client_sends_a_request_and_gets_the_whole_response) {
    HttpWorld world;
    http::Server server;
    server.post("/a", [](http::Request& request, http::Response& response) -> Future<void> {
        const std::string body = co_await request.text();
        response.status(201)
            .field("X-Latin", "\xe9")
            .send(body + std::string(request.field("authorization")));
    });
    world.serve(server);
    const Value got =
        world.run({script::perform(request, {get("http://127.0.0.1:8080/a", Value(), "POST")})})
            .value();
    ASSERT_TRUE(got.field("ok")->boolean()) << got.to_text();
    const Value& value = *got.field("value");
    EXPECT_EQ(value.field("status")->integer(), 201);
    EXPECT_EQ(value.field("reason")->text(), "Created");
    EXPECT_EQ(view_of(value.field("body")->bytes()), "sentsecret");
    EXPECT_NE(value.field("headers")->to_text().find("\xc3\xa9"), std::string::npos);
}

TEST(HttpEffects, an_address_that_is_not_permitted_is_refused_with_the_option_that_permits_it) {
    HttpWorld world;
    http::Server server;
    server.get("/out", [](http::Request&, http::Response& response) -> Future<void> {
        response.status(302).field("Location", "http://127.0.0.1:9090/secret");
        co_return;
    });
    const auto refused = [&](script::Action action) {
        world.serve(server);
        const Value got = world.run({std::move(action)}).value();
        EXPECT_FALSE(got.field("ok")->boolean());
        EXPECT_EQ(got.field("error_code")->integer(), 1);
        return got.field("error_message")->text();
    };
    const std::string text = "is not permitted: --allow net=";
    EXPECT_EQ(refused(script::perform(request, {get("http://example.org/")})),
              "the address example.org:80 " + text + "example.org:80");
    EXPECT_EQ(refused(script::perform(request, {get("http://127.0.0.1:8080/out")})),
              "the address 127.0.0.1:9090 " + text + "127.0.0.1:9090");
    EXPECT_EQ(refused(script::perform(request, {get("http://[::1]:8080/")})),
              "the address [::1]:8080 " + text + "[::1]:8080");
    EXPECT_EQ(refused(script::perform(listen, {record({{"port", 8081}})})),
              "the address 127.0.0.1:8081 " + text + "127.0.0.1:8081");
    EXPECT_EQ(refused(script::perform(listen, {config({{"host", "0.0.0.0"}})})),
              "the address 0.0.0.0:8080 " + text + "0.0.0.0:8080");
    EXPECT_EQ(world.network.server_count(), 0u);
}

TEST(HttpEffects, redirects_are_followed_as_the_module_says) {
    HttpWorld world({"net=127.0.0.1:8080", "net=localhost:8080"});
    http::Server server;
    server.get("/loop", [](http::Request&, http::Response& response) -> Future<void> {
        response.status(302).field("Location", "/loop");
        co_return;
    });
    server.post("/see", [](http::Request&, http::Response& response) -> Future<void> {
        response.status(303).field("Location", "http://localhost:8080/seen");
        co_return;
    });
    server.get("/seen", [](http::Request& request, http::Response& response) -> Future<void> {
        response.send("as GET, authorization: " + std::string(request.field("authorization")));
        co_return;
    });
    world.world.platform.put_file("/etc/hosts", "127.0.0.1 localhost\n");
    const auto ask = [&](const char* path, Value policy, const char* method = "GET") {
        world.serve(server);
        return world
            .run({script::perform(request, {get(std::string("http://127.0.0.1:8080") + path,
                                                std::move(policy), method)})})
            .value();
    };
    const auto policy = [](const char* kind, int most) {
        return record({{"kind", kind}, {"max_redirects", most}});
    };
    const Value seen = ask("/see", policy("follow", 20), "POST");
    ASSERT_TRUE(seen.field("ok")->boolean()) << seen.to_text();
    EXPECT_EQ(view_of(seen.field("value")->field("body")->bytes()), "as GET, authorization: ");
    EXPECT_EQ(ask("/loop", policy("follow", 3)).field("error_message")->text(),
              "http redirect limit exceeded (3)");
    EXPECT_EQ(ask("/loop", policy("manual", 0)).field("value")->field("status")->integer(), 302);
    EXPECT_EQ(ask("/loop", policy("error", 0)).field("error_message")->text(),
              "the response is a redirect to /loop");
}

TEST(HttpEffects, a_response_that_is_late_or_too_large_is_an_error_of_the_effect) {
    HttpWorld world({"net=127.0.0.1:8080"}, 1'000);
    http::Server server;
    server.get("/late", [](http::Request&, http::Response& response) -> Future<void> {
        co_await sleep(3s);
        response.send("late");
    });
    server.get("/large", [](http::Request&, http::Response& response) -> Future<void> {
        response.send(std::string(2'000, 'x'));
        co_return;
    });
    world.serve(server);
    const Value late =
        world.run({script::perform(request, {get("http://127.0.0.1:8080/late")})}).value();
    EXPECT_EQ(late.field("error_code")->integer(), 2);
    world.serve(server);
    const Value large =
        world.run({script::perform(request, {get("http://127.0.0.1:8080/large")})}).value();
    EXPECT_NE(large.field("error_message")->text().find("body_max_bytes (1000)"), std::string::npos)
        << large.to_text();
    const Value none =
        world.run({script::perform(request, {get("http://127.0.0.1:8080/")})}).value();
    EXPECT_EQ(none.field("error_code")->integer(), 1);  // nobody listens
    EXPECT_FALSE(
        world.run({script::perform(request, {get("no address")})}).value().field("ok")->boolean());
    EXPECT_FALSE(world.run({script::perform(request, {7})}).value().field("ok")->boolean());
}

TEST(HttpEffects, a_server_accepts_requests_and_answers_them) {
    HttpWorld world;
    world.client(post_text("hello"));
    world.client(get_text("/x?q=1"), 5ms);
    const auto outcome =
        world.run({script::perform(listen, {config()}), script::perform(accept, {1}),
                   script::perform(respond, {response(1, 201, "made")}),
                   script::perform(accept, {1}), script::perform(respond, {response(2, 404, "")})});
    EXPECT_EQ(outcome.value().to_text(), http_text(true));
    ASSERT_EQ(world.heard.size(), 2u);
    EXPECT_TRUE(world.heard[0].starts_with("HTTP/1.1 201 Created\r\n")) << world.heard[0];
    EXPECT_NE(world.heard[0].find("X-Made: here\r\n"), std::string::npos);
    EXPECT_TRUE(world.heard[0].ends_with("\r\n\r\nmade"));
    EXPECT_TRUE(world.heard[1].starts_with("HTTP/1.1 404"));
    const std::string all = joined(world.guest.calls());
    EXPECT_NE(all.find(R"("request_id": 1, "method": "POST", "path": "/up", "headers")"),
              std::string::npos)
        << all;
    EXPECT_NE(all.find(R"("path": "/x", "query": "q=1")"), std::string::npos);
    EXPECT_EQ(world.network.server_count(), 0u);  // closed with its run
}

TEST(HttpEffects, bodies_are_streamed_both_ways) {
    HttpWorld world;
    world.client(post_text(std::string(20'000, 'x')));
    const auto outcome = world.run(
        {script::perform(listen, {config({{"stream_request_bodies", true}})}),
         script::perform(accept, {1}), script::perform(read, {1}), script::perform(read, {1}),
         script::perform(start, {response(1, 200, "ignored")}),
         script::perform(write, {chunk(1, "one")}),
         script::perform(write, {chunk(1, std::string(16'385, 'x'))}),
         script::perform(write, {chunk(1, "two")}), script::perform(finish, {1})});
    EXPECT_EQ(outcome.value().to_text(), http_text(true));
    ASSERT_EQ(world.heard.size(), 1u);
    EXPECT_TRUE(world.heard[0].ends_with("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")) << world.heard[0];
    const std::string all = joined(world.guest.calls());
    EXPECT_NE(all.find("body_streaming\": true"), std::string::npos);
    EXPECT_NE(all.find("HTTP stream chunks may not exceed 16384 bytes"), std::string::npos);
}

TEST(HttpEffects, requests_beyond_a_limit_are_refused_by_the_host) {
    HttpWorld world;
    world.client(post_text(std::string(200, 'x')), 1ms);  // more than max_body_bytes
    world.client(get_text("/waits"), 2ms);
    world.client(get_text("/other"), 3ms);  // one too many
    const Value limits = config(
        {{"max_body_bytes", 100}, {"max_pending_requests", 1}, {"response_timeout_millis", 50}});
    world.run_for(200ms, {script::perform(listen, {limits}), script::perform(accept, {1}),
                          script::perform(accept, {1})});
    ASSERT_EQ(world.heard.size(), 3u);
    EXPECT_TRUE(world.heard[0].starts_with("HTTP/1.1 413")) << world.heard[0];
    EXPECT_TRUE(world.heard[1].starts_with("HTTP/1.1 503"));
    EXPECT_TRUE(world.heard[2].starts_with("HTTP/1.1 500"));
    EXPECT_TRUE(world.heard[2].ends_with("server response timeout"));
}

TEST(HttpEffects, ops_on_what_is_closed_or_of_another_run_say_so) {
    HttpWorld world;
    world.client(get_text("/"), 2ms);
    const auto outcome = world.run(
        {script::perform(listen, {config()}), script::perform(accept, {1}),
         script::perform(finish, {1}), script::perform(write, {chunk(1, "x")}),
         script::perform(start, {response(1, 204, "")}),
         script::perform(respond, {response(1, 999, "")}), script::perform(close, {1}),
         script::perform(close, {1}), script::perform(respond, {response(1, 200, "late")}),
         script::perform(accept, {1})});
    EXPECT_FALSE(outcome.value().field("ok")->boolean());
    EXPECT_EQ(outcome.value().field("error_message")->text(), "http server 1 is closed or unknown");
    const std::string all = joined(world.guest.calls());
    EXPECT_NE(all.find("request 1 has no open response stream"), std::string::npos);
    EXPECT_NE(all.find("status 204 cannot open a response body stream"), std::string::npos);
    EXPECT_NE(all.find("a response has no status 999"), std::string::npos);
    EXPECT_NE(all.find("request 1 is closed or unknown"), std::string::npos);
    ASSERT_EQ(world.heard.size(), 1u);
    EXPECT_TRUE(world.heard[0].ends_with("server closed before response"));
    const Value other = world.run({script::perform(respond, {response(1, 200, "")})}).value();
    EXPECT_EQ(other.field("error_message")->text(), "request 1 is closed or unknown");
}

TEST(HttpEffects, a_cancelled_run_closes_its_servers_and_answers_its_clients) {
    HttpWorld world;
    world.client(get_text("/"), 2ms);
    world.run_for(20ms, {script::perform(listen, {config()}), script::perform(accept, {1}),
                         script::perform(accept, {1})});
    EXPECT_EQ(world.network.server_count(), 0u);
    ASSERT_EQ(world.heard.size(), 1u);
    EXPECT_TRUE(world.heard[0].ends_with("server closed before response"));
    EXPECT_EQ(world.world.executor.task_count(), 0u);
}

TEST(HttpEffects, a_run_has_a_limited_number_of_servers) {
    HttpWorld world({"net=127.0.0.1:0"});
    std::vector<script::Action> actions;
    for (int i = 0; i < 17; ++i)
        actions.push_back(script::perform(listen, {record({{"port", 0}})}));
    const Value last = world.run(std::move(actions)).value();
    EXPECT_NE(last.field("error_message")->text().find("servers_per_run_max (16)"),
              std::string::npos);
    EXPECT_EQ(world.network.server_count(), 0u);
}

}  // namespace
}  // namespace gyre::wasm
