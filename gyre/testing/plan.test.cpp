// SPDX-License-Identifier: Apache-2.0
// Plans: their text, how they are drawn, and what each kind does to a run.
#include "gyre/sim/plan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <system_error>
#include <vector>

#include "gyre/fs/file.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/datagram.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/testing/search.hpp"

namespace gyre::testing {
namespace {

using namespace std::chrono_literals;
using sim::FaultKind;
using sim::Plan;

const std::vector<std::string> hosts = {"a", "b", "c-d"};

std::string error_of(std::string_view text) {
    const auto plan = sim::parse_plan(text, hosts);
    return plan ? "" : plan.error();
}

TEST(Plans, are_read_as_they_are_spoken) {
    const auto plan = sim::parse_plan(
        "at 2 s cut a-b for 3s, at 5s heal\n"
        "# a comment\n"
        "at 5s crash c-d for 1.5s; at 6s slow a c-d 20ms for 1min",
        hosts);
    ASSERT_TRUE(plan) << plan.error();
    ASSERT_EQ(plan->events.size(), 4u);
    EXPECT_EQ(
        plan->events[0],
        (sim::PlanEvent{.at = 2s, .kind = FaultKind::cut, .host = "a", .other = "b", .lasts = 3s}));
    EXPECT_EQ(plan->events[2].host, "c-d");
    EXPECT_EQ(plan->events[2].lasts, 1500ms);
    EXPECT_EQ(plan->events[3].number, 20'000'000u);
    EXPECT_EQ(plan->end(), 66s);
}

TEST(Plans, name_what_is_wrong) {
    EXPECT_EQ(error_of("at 1s explode a"), "line 1: in \"at 1s explode a\": 'explode' is no fault");
    EXPECT_NE(error_of("\nat 1s cut a z for 1s").find("line 2: "), std::string::npos);
    EXPECT_NE(error_of("at 1s cut a z for 1s").find("there is no host 'z'"), std::string::npos);
    EXPECT_NE(error_of("at 2s heal, at 1s heal").find("the time goes back"), std::string::npos);
    EXPECT_NE(error_of("at 1s cut a a for 1s").find("two different ones"), std::string::npos);
    EXPECT_NE(error_of("at 1s cut a b").find("for TIME"), std::string::npos);
    EXPECT_NE(error_of("at 1s crash").find("no host ''"), std::string::npos);
    EXPECT_NE(error_of("at soon heal").find("a time is"), std::string::npos);
    EXPECT_NE(error_of("at -1s heal").find("a time is"), std::string::npos);
    EXPECT_NE(error_of("at 1e300s heal").find("a time is"), std::string::npos);
    EXPECT_NE(error_of("at nans heal").find("a time is"), std::string::npos);
    EXPECT_NE(error_of("at 1s lose a b 0 for 1s").find("a number from 1"), std::string::npos);
    EXPECT_NE(error_of("at 1s rot a x").find("an absolute path"), std::string::npos);
    EXPECT_NE(error_of("at 1s heal now").find("'now' is too much"), std::string::npos);
    std::string many;
    for (std::size_t i = 0; i <= sim::plan_events_max; ++i) many += "at 1s heal\n";
    EXPECT_NE(error_of(many).find("plan_events_max"), std::string::npos);
}

TEST(Plans, that_are_drawn_read_back_and_end_in_time) {
    std::array<int, sim::fault_kind_count> drawn{};
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Plan plan = sim::draw_plan(sim::PlanLevel::hostile, seed, hosts, 10s);
        const auto again = sim::parse_plan(to_text(plan), hosts);
        ASSERT_TRUE(again) << again.error();
        EXPECT_EQ(*again, plan);
        EXPECT_LE(plan.end(), 10s);
        EXPECT_EQ(plan, sim::draw_plan(sim::PlanLevel::hostile, seed, hosts, 10s));
        for (const auto& event : plan.events) ++drawn[static_cast<std::size_t>(event.kind)];
    }
    for (std::size_t kind = 0; kind < drawn.size(); ++kind) {
        const bool is_expected =
            sim::events_per_minute(sim::PlanLevel::hostile, static_cast<FaultKind>(kind)) > 0;
        EXPECT_EQ(drawn[kind] > 100, is_expected) << word_of(static_cast<FaultKind>(kind));
    }
    EXPECT_TRUE(sim::draw_plan(sim::PlanLevel::calm, 1, hosts, 10s).events.empty());
}

TEST(Plans, do_their_rates) {
    double events = 0;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        for (const auto& event : sim::draw_plan(sim::PlanLevel::rough, seed, hosts, 60s).events) {
            events += event.kind == FaultKind::reset ? 1 : 0;
        }
    }
    const double expected = sim::events_per_minute(sim::PlanLevel::rough, FaultKind::reset) * 1000;
    EXPECT_NEAR(events, expected, expected / 5);
}

// ---- A scenario under every kind ----

// A server that stores a number for each request and a client that counts with it, again and again.
class Counting : public Trial {
public:
    void set_up(Simulation& simulation) override {
        server_ = &simulation.add_host("server", [](sim::Host& host) { return serve(host); });
        simulation.add_host("client", [this](sim::Host&) { return count(); });
    }
    bool is_at_rest(Simulation& simulation) override {
        if (rested_from_ == 0) rested_from_ = answered_;
        return answered_ > rested_from_ + 3 && simulation.failures().empty();
    }
    std::string check(Simulation&) override { return is_wrong_ ? "a wrong answer" : ""; }

private:
    static Future<void> answer(net::Connection stream) {
        std::array<std::byte, 1> buffer{};
        try {
            while (co_await stream.read(buffer) == 1) {
                // A request of a connection that was reset may still be on its way.
                const std::string path = "/" + std::to_string(static_cast<int>(buffer[0]));
                co_await fs::write_file(path, std::string(1, static_cast<char>(buffer[0])));
                const std::string stored = co_await fs::read_file(path);
                if (stored.size() == 1) co_await stream.write(bytes_of(stored));
            }
        } catch (const std::system_error&) {  // The client asks again.
        }
    }
    static Future<void> serve(sim::Host& host) {
        for (;;) {
            bool is_refused = false;
            try {
                net::Listener listener = co_await net::listen(host.address(80));
                co_await with_scope([&](Scope& scope) -> Future<void> {
                    for (;;) scope.spawn(answer, co_await listener.accept());
                });
            } catch (const std::system_error&) {
                is_refused = true;
            }
            if (is_refused) co_await sleep(10ms);
        }
    }
    Future<void> ask() {
        net::Connection stream = co_await net::connect(server_->address(80));
        for (;;) {
            const std::array<std::byte, 1> sent = {static_cast<std::byte>(++last_)};
            std::array<std::byte, 1> got{};
            co_await stream.write(sent);
            // A server that crashed after the request was acknowledged never answers.
            if (co_await timeout(stream.read(got), 5s) == 0) co_return;
            is_wrong_ = is_wrong_ || got != sent;
            ++answered_;
            co_await sleep(5ms);
        }
    }
    Future<void> count() {
        for (;;) {
            try {
                co_await ask();
            } catch (const std::system_error&) {
            }
            co_await sleep(10ms);
        }
    }

    sim::Host* server_ = nullptr;
    unsigned char last_ = 0;
    int answered_ = 0;
    int rested_from_ = 0;
    bool is_wrong_ = false;
};

const Scenario counting = {.name = "counting",
                           .make = [] { return std::make_unique<Counting>(); },
                           .tasks_may_fail = true};

TEST(Trials, survive_every_kind_of_fault_and_count_it) {
    const std::vector<std::string> names = host_names(counting);
    std::array<std::uint64_t, sim::fault_kind_count> faults{};
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Plan plan = sim::draw_plan(sim::PlanLevel::hostile, seed, names, 10s);
        const TrialResult result = run_trial(counting, seed, plan);
        EXPECT_EQ(result.why, "") << "seed " << seed << "\n" << to_text(plan) << result.tasks;
        for (std::size_t kind = 0; kind < faults.size(); ++kind)
            faults[kind] += result.faults[kind];
        if (seed % 10 == 0) {
            EXPECT_EQ(run_trial(counting, seed, plan).trace_hash, result.trace_hash);
        }
    }
    for (std::size_t kind = 0; kind < faults.size(); ++kind) {
        if (sim::events_per_minute(sim::PlanLevel::hostile, static_cast<FaultKind>(kind)) == 0) {
            continue;
        }
        EXPECT_GT(faults[kind], 5u) << word_of(static_cast<FaultKind>(kind));
    }
}

// Fails if the link was cut while the server was down: two events of many.
class TwoAtOnce : public Trial {
public:
    void set_up(Simulation& simulation) override {
        const auto idle = [](sim::Host&) -> Future<void> { co_await sleep(1h); };
        a_ = &simulation.add_host("a", idle);
        b_ = &simulation.add_host("b", idle);
    }
    std::string check_always(Simulation& simulation) override {
        const bool is_cut = simulation.world().link(*a_, *b_).is_cut;
        return is_cut && !a_->is_running() ? "cut and down" : "";
    }
    bool is_at_rest(Simulation&) override { return true; }
    std::string check(Simulation&) override { return {}; }

private:
    sim::Host* a_ = nullptr;
    sim::Host* b_ = nullptr;
};

TEST(Trials, shrink_to_the_events_that_matter) {
    const Scenario scenario = {.name = "two", .make = [] { return std::make_unique<TwoAtOnce>(); }};
    const std::vector<std::string> names = host_names(scenario);
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 200 && found < 3; ++seed) {
        const Plan plan = sim::draw_plan(sim::PlanLevel::hostile, seed, names, 10s);
        if (run_trial(scenario, seed, plan).why.empty()) continue;
        ++found;
        const Plan small = shrink_plan(scenario, seed, plan);
        ASSERT_EQ(small.events.size(), 2u) << to_text(small);
        EXPECT_EQ(run_trial(scenario, seed, small).why, "cut and down");
    }
    EXPECT_EQ(found, 3);
}

// ---- Points in the program ----

// Fails if client 2 makes at least five calls while the server is down: more clients and calls do not
// matter, and neither do faults of other hosts.
class Calls : public Trial {
public:
    explicit Calls(const Sizes& sizes) : clients_(sizes["clients"]), calls_(sizes["calls"]) {}
    void set_up(Simulation& simulation) override {
        server_ =
            &simulation.add_host("server", [](sim::Host&) -> Future<void> { co_await sleep(1h); });
        for (std::uint64_t i = 1; i <= clients_; ++i) {
            simulation.add_host("c" + std::to_string(i), [this, i](sim::Host&) { return call(i); });
        }
    }
    std::string check_always(Simulation&) override {
        return missed_ >= 5 ? "five calls without an answer" : "";
    }
    bool is_at_rest(Simulation&) override { return true; }
    std::string check(Simulation&) override { return {}; }

private:
    Future<void> call(std::uint64_t client) {
        for (std::uint64_t i = 0; i < calls_; ++i) {
            co_await sleep(10ms);
            if (client == 2 && !server_->is_running()) ++missed_;
        }
    }

    const std::uint64_t clients_;
    const std::uint64_t calls_;
    sim::Host* server_ = nullptr;
    int missed_ = 0;
};

TEST(Trials, shrink_to_the_hosts_and_operations_that_matter) {
    const Scenario whole = {
        .name = "calls",
        .make_sized = [](const Sizes& sizes) { return std::make_unique<Calls>(sizes); },
        .sizes = {{"clients", 9, 1}, {"calls", 400, 1}}};
    sim::Plan plan =
        *sim::parse_plan("at 20ms crash server for 2s; at 1s crash c5 for 1s", host_names(whole));
    ASSERT_EQ(run_trial(whole, 1, plan).why, "five calls without an answer");
    const Scenario small = shrink_sizes(whole, 1, plan);
    EXPECT_EQ(small.sizes["clients"], 2u);
    EXPECT_LE(small.sizes["calls"], 7u);
    ASSERT_EQ(plan.events.size(), 1u) << "a fault of a host that is gone stays";
    EXPECT_EQ(run_trial(small, 1, plan).why, "five calls without an answer");
}

TEST(ChancePoints, are_never_taken_outside_of_a_simulation) {
    for (int i = 0; i < 1000; ++i) {
        EXPECT_FALSE(sim::chance("outside", 1, 1));
        EXPECT_EQ(sim::delay_at("outside"), Duration(0));
    }
}

TEST(ChancePoints, are_drawn_counted_and_left_out_in_some_runs) {
    int left_out = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Simulation simulation({.seed = seed});
        auto& host = simulation.add_host("a", [](sim::Host&) -> Future<void> {
            for (int i = 0; i < 1000; ++i) {
                if (sim::chance("rare", 1, 10)) co_await sleep(1ms);
                if (const Duration wait = sim::delay_at("late"); wait > 0s) co_await sleep(wait);
            }
        });
        host.start();
        simulation.run_for(1h);
        const auto& counts = simulation.world().chance_points().counts();
        EXPECT_EQ(counts.at("rare").reached, 1000u);
        const std::uint64_t taken = counts.at("rare").taken;
        EXPECT_TRUE(taken == 0 || (taken > 50 && taken < 200)) << taken;
        left_out += taken == 0 ? 1 : 0;
    }
    EXPECT_GT(left_out, 10);
    EXPECT_LT(left_out, 45);
}

// ---- The command line ----

int search(std::vector<std::string> words, const Scenario& scenario = counting) {
    std::vector<char*> pointers = {const_cast<char*>("search")};
    for (std::string& word : words) pointers.push_back(word.data());
    return search_seeds(static_cast<int>(pointers.size()), pointers.data(), scenario);
}

TEST(Search, refuses_what_it_does_not_know) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"--what"},
                                                  {"--seeds"},
                                                  {"--seeds", "0"},
                                                  {"--seeds", "many"},
                                                  {"--plan", "rogh"},
                                                  {"--plan", "at 1s cut server nobody for 1s"},
                                                  {"--jobs", "1000"},
                                                  {"--size", "clients=1"},
                                                  {"--seed", "3", "--trace", "1"}}) {
        ::testing::internal::CaptureStderr();
        EXPECT_EQ(search(words), 2) << words[0];
        const std::string text = ::testing::internal::GetCapturedStderr();
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    }
    EXPECT_EQ(search({"--help"}), 0);
}

TEST(Search, finds_a_failure_prints_it_and_repeats_it) {
    const Scenario scenario = {.name = "two", .make = [] { return std::make_unique<TwoAtOnce>(); }};
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(search({"--seeds", "500", "--plan", "hostile", "--shrink", "--quiet"}, scenario), 1);
    const std::string line = ::testing::internal::GetCapturedStdout();
    EXPECT_TRUE(line.starts_with("{\"seed\":")) << line;
    EXPECT_NE(line.find("\"why\":\"cut and down\""), std::string::npos) << line;
    const std::string seed = line.substr(8, line.find(',') - 8);
    const std::size_t trace = line.find("\"trace\":\"") + 9;
    const std::size_t plan = line.find("\"plan\":[") + 8;
    std::string events = line.substr(plan, line.rfind(']') - plan);
    std::erase(events, '"');
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(
        search({"--seed", seed, "--trace", line.substr(trace, 16), "--plan", events}, scenario), 1);
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), line);
    EXPECT_EQ(search({"--seeds", "20", "--jobs", "2", "--quiet"}), 0);
}

}  // namespace
}  // namespace gyre::testing
