// SPDX-License-Identifier: Apache-2.0
// An HTTP server and client through partitions, resets, crashes and disks that fail: each request is
// answered once or fails with a typed error, no body is mixed up, no retry of what is not safe, and
// the server stops in time.
#include <chrono>
#include <map>
#include <string>
#include <system_error>

#include "gyre/http/client.hpp"
#include "gyre/http/server.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/testing/host_new.hpp"
#include "tests/simulation/seeds.hpp"

namespace gyre::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t port = 8080;
constexpr int request_count = 40;
constexpr int lane_count = 3;

// Differs for each token, and is longer than the buffers on its way.
std::string body_of(const std::string& token) {
    std::string body;
    const std::size_t size = 1000 + std::hash<std::string>{}(token) % 90'000;
    while (body.size() < size) body += token + ";";
    return body;
}

class HttpTrial : public Trial {
public:
    void set_up(Simulation& simulation) override {
        server_ = &simulation.add_host("server", [this](sim::Host& host) { return serve(host); });
        simulation.add_host("client", [this](sim::Host& host) { return ask_all(host); });
    }
    std::string check_always(Simulation& /*simulation*/) override { return wrong_; }
    bool is_at_rest(Simulation& /*simulation*/) override { return done_ >= request_count; }
    std::string check(Simulation& simulation) override {
        for (const auto& [token, count] : handled_) {
            if (count > 1) return token + " was handled twice";
        }
        for (const auto& [token, is_answered] : answered_) {
            if (is_answered && handled_[token] != 1) return token + " was answered, not handled";
        }
        // Without faults, almost every request is answered.
        const Duration before = simulation.elapsed();
        server_->stop();
        const Duration took = simulation.elapsed() - before;
        return took > 9s ? "the server does not stop in time" : "";
    }

private:
    void say_wrong(const std::string& what) {
        const sim::OutsideHost outside;
        if (wrong_.empty()) wrong_ = what.c_str();
    }

    Future<void> serve(sim::Host& host) {
        for (;;) {
            bool is_stopped = false;
            try {
                http::Server server;
                server.post(
                    "/add/:token",
                    [this](http::Request& request, http::Response& response) -> Future<void> {
                        const std::string token(request.param("token"));
                        const std::string body = co_await request.text();
                        if (body != body_of(token)) say_wrong("a request was mixed up");
                        count_handled(token);
                        response.send(body_of(token));
                    });
                server.get("/get/:token",
                           [](http::Request& request, http::Response& response) -> Future<void> {
                               response.send(body_of(std::string(request.param("token"))));
                               co_return;
                           });
                net::Listener listener = co_await net::listen(host.address(port));
                co_await server.serve(std::move(listener));
                is_stopped = true;
            } catch (const std::system_error&) {  // No descriptor is free.
            }
            if (is_stopped) co_return;
            co_await sleep(50ms);
        }
    }
    void count_handled(const std::string& token) {
        const sim::OutsideHost outside;
        ++handled_[std::string(token.c_str())];
    }

    Future<void> ask_all(sim::Host& host) {
        http::ClientOptions options;
        options.timeouts.connect = 3s;
        options.timeouts.head = 3s;
        options.timeouts.read = 3s;
        http::Client client(options);
        co_await with_scope([&](Scope& scope) -> Future<void> {
            for (int lane = 0; lane < lane_count; ++lane) {
                scope.spawn([this, &client, &host]() { return ask_some(client, host); });
            }
            co_return;
        });
    }
    Future<void> ask_some(http::Client& client, sim::Host& host) {
        Random random(static_cast<std::uint64_t>(host.start_count()) * 100 + 7);
        while (done_ < request_count) {
            const std::string token = "t" + std::to_string(++last_token_);
            const bool is_post = random.one_in(2);
            co_await ask(client, token, is_post);
            ++done_;
            co_await sleep(Duration(static_cast<Duration::rep>(random.below(500'000'000))));
        }
    }
    Future<void> ask(http::Client& client, std::string token, bool is_post) {
        const std::string url = "http://" + server_->address(port).to_string();
        try {
            http::ClientRequest request(is_post ? "POST" : "GET",
                                        url + (is_post ? "/add/" : "/get/") + token,
                                        is_post ? body_of(token) : "");
            const http::ClientResponse response = co_await client.fetch(std::move(request));
            if (response.status == 200 && response.body != body_of(token)) {
                say_wrong("a response was mixed up");
            }
            const bool is_known =
                response.status == 200 || response.status == 503 || response.status == 408;
            if (!is_known) say_wrong("status " + std::to_string(response.status));
            if (is_post && response.status == 200) note_answered(token);
        } catch (const std::system_error&) {
        } catch (const Failure&) {
        }
    }
    void note_answered(const std::string& token) {
        const sim::OutsideHost outside;
        answered_[std::string(token.c_str())] = true;
    }

    sim::Host* server_ = nullptr;
    int last_token_ = 0;
    int done_ = 0;
    std::string wrong_;
    std::map<std::string, int> handled_;
    std::map<std::string, bool> answered_;
};

TEST(HttpUnderFaults, answers_once_or_fails_with_a_typed_error_and_stops_in_time) {
    expect_no_seed_fails({.name = "http", .make = [] { return std::make_unique<HttpTrial>(); }});
}

}  // namespace
}  // namespace gyre::testing
