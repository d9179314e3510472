// SPDX-License-Identifier: Apache-2.0
// What functions of the user may throw into a server: a failure ends the request or the connection
// that it came from, and no other. Clause A34.
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gyre/http/server.hpp"
#include "gyre/http/server_world.test.hpp"
#include "gyre/http/static_files.hpp"
#include "gyre/io/file_tree.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::http {
namespace {

using namespace std::chrono_literals;

// Awaits a task that it has cancelled, and so throws a Cancelled that is not aimed at itself.
Future<void> throw_foreign_cancelled() {
    co_await with_scope([](Scope& scope) -> Future<void> {
        auto child = scope.spawn([]() -> Future<void> { co_await sleep(1h); });
        child.cancel("no longer needed");
        co_await child;
    });
}

struct Throw {
    const char* name;
    Future<void> (*function)();
};
const std::vector<Throw>& all_throws() {
    static const std::vector<Throw> all = {
        {"std",
         []() -> Future<void> {
             throw std::runtime_error("no");
             co_return;
         }},
        {"not_std",
         []() -> Future<void> {
             throw 7;
             co_return;
         }},
        {"bad_alloc",
         []() -> Future<void> {
             throw std::bad_alloc();
             co_return;
         }},
        {"foreign_cancelled", throw_foreign_cancelled},
    };
    return all;
}

struct HttpServerFailures : ServerWorld, testing::WithParamInterface<Throw> {
    // Another request in flight must be answered, and one that comes afterwards.
    void expect_that_others_are_served(const std::string& path) {
        server.get("/slow", [](Request&, Response& response) -> Future<void> {
            co_await sleep(1s);
            response.send("slow");
        });
        server.get("/a", sends("A"));
        with_server([&](Address at) -> Future<void> {
            std::string slow;
            co_await with_scope([&](Scope& scope) -> Future<void> {
                scope.spawn([&]() -> Future<void> {
                    slow = co_await talk(at, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
                });
                co_await sleep(1ms);
                failed = co_await talk(at, "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n" + get_a);
                after = co_await talk(at, get_a);
            });
            EXPECT_EQ(body_of(slow), "slow");
        });
        EXPECT_EQ(body_of(after), "A");
    }

    std::string failed;
    std::string after;
};
INSTANTIATE_TEST_SUITE_P(, HttpServerFailures, testing::ValuesIn(all_throws()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(HttpServerFailures, of_a_handler_are_a_500_and_the_connection_goes_on) {
    // clause: A34
    server.get("/fails", [](Request&, Response&) -> Future<void> { return GetParam().function(); });
    expect_that_others_are_served("/fails");
    EXPECT_EQ(status_of_answer(failed), 500);
    EXPECT_EQ(bodies_of(failed).back(), "A");
    EXPECT_EQ(server.counts().failed, 1U);
}

TEST_P(HttpServerFailures, of_a_middleware_are_a_500_and_the_connection_goes_on) {
    server.use([](Request& request, Response&, Next next) -> Future<void> {
        if (request.path() == "/fails") co_await GetParam().function();
        co_await next();
    });
    expect_that_others_are_served("/fails");
    EXPECT_EQ(status_of_answer(failed), 500);
    EXPECT_EQ(bodies_of(failed).back(), "A");
}

TEST_P(HttpServerFailures, of_a_handler_in_the_middle_of_a_body_end_its_connection_alone) {
    server.get("/fails", [](Request&, Response& response) -> Future<void> {
        co_await response.write("some");
        co_await GetParam().function();
    });
    expect_that_others_are_served("/fails");
    EXPECT_EQ(status_of_answer(failed), 200);
    EXPECT_EQ(failed.find("0\r\n\r\n"), std::string::npos) << "the client sees a truncated body";
}

TEST_P(HttpServerFailures, of_a_wrapping_end_its_connection_alone) {
    int wrapped_count = 0;
    server.over([&](net::Connection below) -> Future<std::unique_ptr<net::ByteStream>> {
        if (++wrapped_count == 2) co_await GetParam().function();
        co_return std::make_unique<net::Connection>(std::move(below));
    });
    expect_that_others_are_served("/a");
    EXPECT_EQ(failed, "");
    EXPECT_EQ(server.counts().refused, 1U);
}

struct HttpServed : ServerWorld {};

TEST_F(HttpServed, may_throw_anything_and_the_request_is_served) {
    int call_count = 0;
    server.get("/a", sends("A"));
    server.on_served([&](const Served&) {
        ++call_count;
        if (call_count == 1) throw std::runtime_error("no");
        if (call_count == 2) throw 7;
    });
    EXPECT_EQ(bodies_of(exchange(get_a + get_a + get_a)).size(), 3U);
    EXPECT_EQ(call_count, 3);
}

TEST_F(HttpServed, file_that_cannot_be_opened_is_a_503_and_not_a_404) {
    platform().put_file("/www/a", "A");
    std::optional<StaticFiles> files;
    run([&]() -> Future<void> { files.emplace(co_await StaticFiles::open("/www")); });
    server.get("/*path", [&](Request& request, Response& response) {
        return files->serve(request, response);
    });
    FileTree& tree = *platform().file_tree();
    std::vector<Fd> taken;
    for (auto fd = tree.open_to_read("/www/a"); fd; fd = tree.open_to_read("/www/a")) {
        taken.push_back(*fd);
    }
    EXPECT_EQ(status_of_answer(converse({get_a}).text), 503);
    EXPECT_EQ(status_of_answer(converse({"GET /b HTTP/1.1\r\nHost: x\r\n\r\n"}).text), 404);
    for (const Fd fd : taken) tree.close(fd);
    EXPECT_EQ(body_of(converse({get_a}).text), "A");
}

TEST_F(HttpServed, links_that_are_put_on_a_path_after_it_was_looked_up_are_refused) {
    platform().put_file("/www/a", "A");
    platform().put_file("/secret", "secret");
    FileTree& tree = *platform().file_tree();
    ASSERT_TRUE(tree.symbolic_link("/secret", "/www/link"));
    ASSERT_TRUE(tree.symbolic_link("/www", "/other"));
    const Error refused(std::errc::too_many_symbolic_link_levels);
    EXPECT_EQ(tree.open_to_read("/www/link", Links::refused).error(), refused);
    EXPECT_EQ(tree.open_to_read("/other/a", Links::refused).error(), refused);
    EXPECT_EQ(tree.list("/other", 10, Links::refused).error(), refused);
    EXPECT_EQ(tree.list("/www", 10, Links::refused)->size(), 2U);
    const Result<Fd> fd = tree.open_to_read("/www/a", Links::refused);
    ASSERT_TRUE(fd);
    tree.close(*fd);
}

}  // namespace
}  // namespace gyre::http
