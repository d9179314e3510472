// SPDX-License-Identifier: Apache-2.0
#include "tests/boundaries/rows.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "gyre/actor/actor.hpp"
#include "gyre/base/log.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/effect/scripted_guest.hpp"
#include "gyre/http/server.hpp"
#include "gyre/job/pump.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/task/thread/blocking.hpp"
#include "tests/support/named_platform.hpp"
#include "tests/support/test_world.hpp"

namespace gyre::test {
namespace {

using namespace std::chrono_literals;
using World = TestWorld<Executor, NamedPlatform>;

constexpr const char* unaffected = "nothing happened";
const std::string get_first = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const std::string get_second = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

Future<std::string> talk(Address at, std::string text) {
    net::Connection stream = co_await net::connect(at);
    static_cast<void>(co_await try_(stream.write(bytes_of(text))));
    static_cast<void>(co_await try_(stream.finish()));
    std::string heard;
    std::array<std::byte, 1024> buffer{};
    for (;;) {
        const auto size = co_await try_(stream.read(buffer));
        if (!size || *size == 0) co_return heard;
        heard += text_of(ConstBytes(buffer).first(*size));
    }
}

// Two requests on one connection, of which the first meets the throw; then a third one on another
// connection, which must be answered.
std::string outcome_of(http::Server& server, const char* platform) {
    World world({.name = platform});
    server.get("/a", [](http::Request&, http::Response& response) -> Future<void> {
        response.send("second");
        co_return;
    });
    std::string heard;
    std::string after;
    world.run([&]() -> Future<void> {
        auto body = [&](Scope& scope) -> Future<void> {
            net::Listener listener = co_await net::listen(Address::loopback());
            const Address at = listener.local_address().value();
            scope.spawn([&](net::Listener given) { return server.serve(std::move(given)); },
                        std::move(listener));
            heard = co_await talk(at, get_first + get_second);
            after = co_await talk(at, get_second);
            server.stop();
        };
        co_await with_scope(std::move(body));
    });
    EXPECT_NE(after.find("second"), std::string::npos) << "another connection is affected";
    if (heard.find("second") == std::string::npos) return "the connection ends";
    return heard.find(" 500 ") != std::string::npos ? "500, and the connection goes on"
                                                    : "logged; the request is answered";
}

std::string of_http_handler(const char* platform, Thrown thrown) {
    http::Server server;
    server.get("/", [thrown](http::Request&, http::Response&) { return throw_later(thrown); });
    return outcome_of(server, platform);
}

std::string of_http_wrapping(const char* platform, Thrown thrown) {
    http::Server server;
    bool is_first = true;
    server.over([&](net::Connection below) -> Future<std::unique_ptr<net::ByteStream>> {
        if (std::exchange(is_first, false)) co_await throw_later(thrown);
        co_return std::make_unique<net::Connection>(std::move(below));
    });
    return outcome_of(server, platform);
}

std::string of_http_on_served(const char* platform, Thrown thrown) {
    http::Server server;
    server.get("/", [](http::Request&, http::Response& response) -> Future<void> {
        response.send("first");
        co_return;
    });
    server.on_served([thrown](const http::Served&) { throw_now(thrown); });
    return outcome_of(server, platform);
}

std::string of_task(const char* platform, Thrown thrown) {
    World world({.name = platform});
    return world.run([&]() -> Future<std::string> {
        bool has_sibling_ended = false;
        std::string outcome = "the task ends as cancelled; its scope goes on";
        auto body = [&](Scope& scope) -> Future<void> {
            scope.spawn([thrown] { return throw_later(thrown); });
            scope.spawn([&]() -> Future<void> {
                co_await sleep(5ms);
                has_sibling_ended = true;
            });
            co_return;
        };
        try {
            co_await with_scope(std::move(body));
        } catch (...) {
            outcome = "the scope cancels its other tasks and throws it";
            EXPECT_FALSE(has_sibling_ended);
            co_return outcome;
        }
        EXPECT_TRUE(has_sibling_ended);
        co_return outcome;
    });
}

std::string of_blocking_work(const char* platform, Thrown thrown) {
    World world({.name = platform});
    return world.run([&]() -> Future<std::string> {
        try {
            co_await blocking([thrown] { throw_now(thrown); });
        } catch (...) {
            co_return "thrown by the await";
        }
        co_return unaffected;
    });
}

class Thrower : public actor::Actor<Thrower> {
public:
    Future<void> handle(Thrown thrown) { return throw_later(thrown); }
    int handle(int number) { return number; }
};

std::string of_actor_message(const char* platform, Thrown thrown) {
    World world({.name = platform});
    const auto body = [thrown](actor::System& system) -> Future<std::string> {
        const auto other = system.spawn<Thrower>();
        const auto failing = system.spawn<Thrower>();
        EXPECT_TRUE(failing.send(thrown));
        co_await sleep(1ms);  // A handler that suspends has ended by then.
        const auto answer = co_await try_(failing.ask(1, 1s));
        EXPECT_EQ(co_await other.ask(2), 2) << "another actor is affected";
        if (!answer) co_return "the actor fails: it stops, goes on or restarts, as on_failure says";
        co_return "the message ends; the actor goes on";
    };
    return world.run([&] { return actor::with_actors(body, {}); });
}

std::string of_actor_dead_letter(const char* platform, Thrown thrown) {
    World world({.name = platform});
    const auto body = [](actor::System& system) -> Future<std::string> {
        const auto ended = system.spawn<Thrower>();
        ended.stop();
        co_await ended.ended();
        EXPECT_FALSE(ended.send(1));
        const auto other = system.spawn<Thrower>();
        EXPECT_EQ(co_await other.ask(2), 2) << "another actor is affected";
        co_return "logged; the send fails as it would";
    };
    actor::SystemOptions options;
    options.on_dead_letter = [thrown](const actor::DeadLetter&) { throw_now(thrown); };
    return world.run([&] { return actor::with_actors(body, options); });
}

constexpr effect::ResumeOp<int(int)> ask_op{"com.example.boundary", "ask"};

std::string run_effect(World& world, effect::SchedulerOptions options,
                       const effect::Handlers& handlers) {
    effect::Scheduler scheduler(world.app, std::move(options));
    effect::ScriptedGuest guest({ask_op.info});
    guest.add("main", {effect::script::perform(0, {1}), effect::script::give_last()});
    guest.add("other", {effect::script::perform(0, {2}), effect::script::give_last()});
    auto failing = scheduler.start(guest, handlers, "main");
    auto other = scheduler.start(guest, handlers, "other");
    static_cast<void>(world.loop.run());
    EXPECT_TRUE(other.outcome().has_value()) << "another run is affected";
    const auto outcome = failing.outcome();
    world.loop.close();
    if (outcome.has_value()) return "logged; the run goes on";
    return outcome.kind() == effect::RunEndKind::cancelled ? "the run is cancelled"
                                                           : "the run fails as handler_failed";
}

std::string of_effect_handler(const char* platform, Thrown thrown) {
    World world({.name = platform});
    effect::Handlers handlers;
    handlers.on(ask_op, [thrown](int number) -> Future<effect::Answer> {
        if (number == 1) co_await throw_later(thrown);
        co_return effect::resume(number);
    });
    return run_effect(world, {}, handlers);
}

std::string of_effect_failure_sink(const char* platform, Thrown thrown) {
    World world({.name = platform});
    effect::Handlers handlers;
    handlers.on(ask_op, [](int number) -> effect::Answer {
        if (number == 1) throw std::runtime_error("the handler fails");
        return effect::resume(number);
    });
    effect::SchedulerOptions options;
    options.failure_sink = [thrown](effect::RunId, const effect::RunError&) { throw_now(thrown); };
    const std::string outcome = run_effect(world, std::move(options), handlers);
    return outcome == "the run fails as handler_failed" ? "logged; the outcome stays" : outcome;
}

class CountingHost final : public job::Host {
public:
    job::AfterError on_error(std::exception_ptr /*error*/) override {
        ++error_count;
        return job::AfterError::go_on;
    }
    int error_count = 0;
};

std::string of_job(const char* platform, Thrown thrown) {
    NamedPlatform outside({.name = platform});
    Clock& clock = outside.is_simulated() ? static_cast<Clock&>(outside.virtual_clock)
                                          : static_cast<Clock&>(outside.system_clock);
    CountingHost host;
    job::Scheduler jobs(clock, host);
    job::Pump pump(jobs);
    Loop loop(outside.platform(), pump);
    bool has_next_run = false;
    pump.start([&] {
        jobs.set_timeout([thrown] { throw_now(thrown); }, 1ms);
        jobs.set_timeout([&] { has_next_run = true; }, 2ms);
    });
    static_cast<void>(run_to_exit(loop, pump));
    loop.close();
    EXPECT_TRUE(has_next_run) << "another job is affected";
    return host.error_count == 1 ? "Host::on_error is told, and decides" : unaffected;
}

Thrown thrown_by_sink = Thrown::standard;

std::string of_log_sink(const char* /*platform*/, Thrown thrown) {
    thrown_by_sink = thrown;
    set_log_sink([](LogLevel, std::string_view) { throw_now(thrown_by_sink); });
    std::string outcome = "the line is lost";
    try {
        log(LogLevel::error, "a line");
    } catch (...) {
        outcome = "thrown by the call that logs";
    }
    set_log_sink(nullptr);
    return outcome;
}

constexpr BoundaryRow rows[] = {
    {"handler or middleware of an HTTP server", "500, and the connection goes on",
     "the connection ends", &of_http_handler},
    {"`Server::over`", "the connection ends", "the connection ends", &of_http_wrapping},
    {"`Server::on_served`", "logged; the request is answered", "as a failure", &of_http_on_served},
    {"task of a scope", "the scope cancels its other tasks and throws it",
     "the task ends as cancelled; its scope goes on", &of_task},
    {"`blocking`, `compute`", "thrown by the await", "as a failure", &of_blocking_work},
    {"message of an actor", "the actor fails: it stops, goes on or restarts, as on_failure says",
     "the message ends; the actor goes on", &of_actor_message},
    {"`on_dead_letter` of actors", "logged; the send fails as it would", "as a failure",
     &of_actor_dead_letter},
    {"handler of an effect", "the run fails as handler_failed", "the run fails as handler_failed",
     &of_effect_handler},
    {"`failure_sink` of effects", "logged; the outcome stays", "as a failure",
     &of_effect_failure_sink},
    {"job: timer, tick, microtask, immediate, post", "Host::on_error is told, and decides",
     "as a failure", &of_job},
    {"log sink", "the line is lost", "as a failure", &of_log_sink},
};

}  // namespace

std::span<const BoundaryRow> boundary_rows() {
    return rows;
}

}  // namespace gyre::test
