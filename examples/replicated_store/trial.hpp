// SPDX-License-Identifier: Apache-2.0
// Three servers of the replicated store and three clients on a host of their own, and the check that
// what the clients were told is linearizable.
#pragma once

#include <gyre/testing/linearizable.hpp>
#include <gyre/testing/search.hpp>

#include "examples/replicated_store/server.hpp"

namespace store {

using gyre::testing::MapHistory;
using gyre::testing::Simulation;

class StoreTrial : public gyre::testing::Trial {
public:
    StoreTrial(int bug, const gyre::testing::Sizes& sizes)
        : bug_(bug), request_count_(static_cast<int>(sizes["requests"])), done_(sizes["clients"]) {}

    void set_up(Simulation& simulation) override {
        simulation_ = &simulation;
        for (std::size_t i = 0; i < server_count; ++i) {
            const auto run = [this, i](sim::Host& host) { return serve(host, i); };
            servers_.push_back(simulation.add_host("s" + std::to_string(i + 1), run).address(port));
        }
        simulation.add_host("clients", [this](sim::Host& host) -> Future<void> {
            co_await with_scope([&](Scope& scope) -> Future<void> {
                for (std::size_t i = 0; i < done_.size(); ++i) {
                    scope.spawn([this, &host, i]() { return ask(host, i); });
                }
                co_return;
            });
        });
    }
    bool is_at_rest(Simulation& /*simulation*/) override {
        return std::ranges::all_of(done_, [this](int done) { return done == request_count_; });
    }
    std::string check(Simulation& /*simulation*/) override {
        verdict_ = history_.check();
        const bool is_wrong = verdict_.outcome == MapHistory::Outcome::not_linearizable;
        return is_wrong ? "the history of key " + verdict_.key + " is not linearizable" : "";
    }
    std::vector<std::string> history() override { return verdict_.text; }

private:
    static constexpr std::size_t server_count = 3;

    // A server that fails starts again from its disk, as a supervisor would do it.
    Future<void> serve(sim::Host& host, std::size_t own) {
        for (std::uint64_t attempt = 0;; ++attempt) {
            const std::uint64_t seed =
                simulation_->seed() * 1000 + host.start_count() * 10 + attempt;
            Server server(servers_, own, Random(seed + own).next(), bug_);
            try {
                co_await server.run();
            } catch (const std::system_error&) {
            }
            co_await sleep(50ms);
        }
    }

    // One request after the other; each is sent again until it is answered, or a few times.
    Future<void> ask(sim::Host& host, std::size_t client) {
        Random random(simulation_->seed() + 17 * client + host.start_count());
        std::uint64_t number = 0;
        const std::uint64_t session = ++last_session_;
        const net::Datagram socket = co_await open_socket(host);
        for (; done_[client] < request_count_; ++done_[client]) {
            co_await sleep(Duration(static_cast<Duration::rep>(random.below(500'000'000))));
            Entry entry{.client = session, .number = ++number, .kind = random.below(2) * 2};
            entry.key = random.one_in(2) ? "x" : "y";
            if (entry.kind != 0) {
                entry.value = std::to_string(session) + "." + std::to_string(number) + " ";
            }
            const std::size_t asked = begin(client, entry);
            std::size_t server = random.below(server_count);
            for (int attempt = 0; attempt < 15; ++attempt, ++server) {
                const auto result =
                    co_await ask_once(socket, servers_[server % server_count], entry);
                if (!result) continue;
                end(asked, *result);
                break;
            }
        }
    }
    static Future<net::Datagram> open_socket(sim::Host& host) {
        for (;;) {
            try {
                co_return co_await net::bind_datagram(host.address());
            } catch (const std::system_error&) {  // No descriptor is free.
            }
            co_await sleep(50ms);
        }
    }
    static Future<std::optional<std::string>> ask_once(const net::Datagram& socket, Address server,
                                                       Entry entry) {
        Message message{.type = Type::request};
        message.entries.push_back(entry);
        const std::string text = to_text(message);
        co_await socket.send_to(bytes_of(text), server);
        std::array<std::byte, 4096> buffer;
        try {
            for (;;) {
                const net::Received got = co_await timeout(socket.receive_from(buffer), 150ms);
                const std::optional<Message> reply = parse(text_of(Bytes(buffer).first(got.size)));
                const bool is_mine =
                    reply && reply->entries.size() == 1 && reply->entries[0].number == entry.number;
                if (is_mine) co_return reply->entries[0].value;
            }
        } catch (const TimeoutError&) {
        }
        co_return std::nullopt;
    }

    // The history is of the test: a crash of the clients' host does not take it away.
    std::size_t begin(std::size_t client, const Entry& entry) {
        const sim::OutsideHost outside;
        return history_.begin("client " + std::to_string(client + 1),
                              static_cast<MapHistory::Kind>(entry.kind), entry.key, entry.value,
                              simulation_->clock().peek());
    }
    void end(std::size_t asked, const std::string& result) {
        const sim::OutsideHost outside;
        history_.end(asked, result, simulation_->clock().peek());
    }

    const int bug_;
    const int request_count_;
    Simulation* simulation_ = nullptr;
    std::vector<Address> servers_;
    MapHistory history_;
    MapHistory::Verdict verdict_;
    std::uint64_t last_session_ = 0;
    std::vector<int> done_;  // by client: its requests
};

}  // namespace store
