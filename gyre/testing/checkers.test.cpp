// SPDX-License-Identifier: Apache-2.0
// The checkers: each finds what is wrong, and nothing in what is right.
#include "gyre/testing/checkers.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

#include "gyre/net/listener.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/support/sanitizers.hpp"

namespace gyre::testing {
namespace {

using namespace std::chrono_literals;
using sim::Host;

TEST(ExactlyOnce, allows_what_was_not_answered_to_happen_once_or_never) {
    ExactlyOnce calls;
    for (const char* name : {"answered", "lost before", "lost after"}) calls.asked(name);
    calls.took_effect("answered");
    calls.answered("answered");
    calls.took_effect("lost after");
    calls.asked("refused");
    calls.refused("refused");
    EXPECT_EQ(calls.check(), "");
    EXPECT_EQ(calls.answered_count(), 1u);
}

TEST(ExactlyOnce, names_what_happened_too_often_or_not_at_all) {
    ExactlyOnce twice;
    twice.asked("a");
    twice.took_effect("a");
    twice.took_effect("a");
    EXPECT_EQ(twice.check(), "'a' took effect 2 times");
    ExactlyOnce never;
    never.asked("b");
    never.answered("b");
    EXPECT_EQ(never.check(), "'b' was answered, and did not take effect");
    ExactlyOnce refused;
    refused.asked("c");
    refused.took_effect("c");
    refused.refused("c");
    EXPECT_EQ(refused.check(), "'c' was refused, and took effect");
    ExactlyOnce unasked;
    unasked.took_effect("d");
    EXPECT_EQ(unasked.check(), "'d' took effect, and nobody asked for it");
}

TEST(Conservation, counts_what_is_held_and_what_is_on_its_way) {
    Conservation money(100);
    money.set("alice", 60);
    money.set("bob", 40);
    EXPECT_EQ(money.check(), "");
    money.add("alice", -10);
    money.add("transfer 1", 10);
    EXPECT_EQ(money.check(), "");
    money.set("transfer 1", 0);
    EXPECT_EQ(money.check(), "there are 90 of 100: alice 50, bob 40");
    money.add("bob", 10);
    EXPECT_EQ(money.check(), "");
    money.add("bob", -60);
    money.add("alice", 60);
    EXPECT_EQ(money.check(), "bob has -10");
}

Future<void> nap(Duration time) {
    co_await sleep(time);
}

Future<void> wait_for(Promise<void>* promise) {
    co_await promise->future();
}

// Three futures: one ends, one fails and one is cancelled; a fourth waits if it is told to.
auto run_futures(Settling& settling, bool waits) {
    return [&settling, waits](Host& host) -> Future<void> {
        co_await settling.follow(host, "ends", nap(1ms));
        bool has_failed = false;
        Future<void> failing = settling.follow(host, "fails", []() -> Future<void> {
            co_await sleep(1ms);
            throw std::runtime_error("on purpose");
        }());
        try {
            co_await std::move(failing);
        } catch (const std::runtime_error&) {
            has_failed = true;
        }
        EXPECT_TRUE(has_failed);
        co_await with_scope([&](Scope& scope) -> Future<void> {
            Future<void> late = settling.follow(host, "is cancelled", nap(1h));
            TaskHandle<void> handle = scope.spawn(std::move(late));
            co_await sleep(1ms);
            handle.cancel();
        });
        Promise<void> never;
        if (waits) co_await settling.follow(host, "waits", wait_for(&never));
    };
}

TEST(Settling, names_a_future_that_has_not_ended) {
    for (const bool waits : {false, true}) {
        Settling settling;
        Simulation simulation;
        simulation.add_host("a", run_futures(settling, waits));
        simulation.start_all();
        simulation.run_for(500us);
        EXPECT_EQ(settling.check(), "'ends' of host a never ends");
        simulation.run_for(1min);
        EXPECT_EQ(settling.check(), waits ? "'waits' of host a never ends" : "");
        EXPECT_TRUE(simulation.failures().empty());
    }
}

TEST(Settling, does_not_count_what_a_crash_took_away) {
    Settling settling;
    Simulation simulation;
    Host& host = simulation.add_host("a", run_futures(settling, true));
    simulation.start_all();
    simulation.run_for(1min);
    host.crash();
    EXPECT_EQ(settling.check(), "");
    host.start();
    simulation.run_for(500us);
    EXPECT_EQ(settling.check(), "'ends' of host a never ends");
}

TEST(Quiescence, comes_when_no_loop_has_turned_for_a_while) {
    Simulation simulation;
    simulation.add_host("a", [](Host&) -> Future<void> {
        for (int i = 0; i < 10; ++i) co_await sleep(1s);
        Promise<void> never;
        co_await never.future();
    });
    simulation.start_all();
    Quiescence quiescence(3s);
    for (int second = 0; second < 12; ++second) {
        EXPECT_FALSE(quiescence.is_quiet(simulation)) << second;
        simulation.run_for(1s);
    }
    simulation.run_for(2s);
    EXPECT_TRUE(quiescence.is_quiet(simulation));
}

TEST(WhatLeaks, is_nothing_of_a_program_that_cleans_up) {
    Simulation simulation;
    Host& host = simulation.add_host("a", [](Host& at) -> Future<void> {
        const net::Listener listener = co_await net::listen(at.address(80));
        const std::string text(1000, 'x');
        co_await sleep(1h);
    });
    simulation.start_all();
    simulation.run_for(1s);
    EXPECT_EQ(host.descriptor_count(), 1);
    EXPECT_EQ(what_leaks(host), "");
    EXPECT_FALSE(host.is_running());
    EXPECT_EQ(what_leaks(host), "");
}

TEST(WhatLeaks, counts_descriptors_and_allocations) {
    if (test::has_thread_sanitizer) GTEST_SKIP() << "skipped: its operator new stays";
    Simulation simulation;
    Host& host = simulation.add_host("a", [](Host& at) -> Future<void> {
        // Never destroyed: its string and its descriptor stay.
        auto* const text = new std::string(1000, 'x');
        net::Listener listener = co_await net::listen(at.address(80));
        auto* const kept = new net::Listener(std::move(listener));
        EXPECT_TRUE(text != nullptr && kept != nullptr);
    });
    simulation.start_all();
    simulation.run_for(1s);
    EXPECT_EQ(what_leaks(host), "host a leaks 1 descriptors and 3 allocations");
    host.start();
    simulation.run_for(1s);
    EXPECT_EQ(host.descriptor_count(), 1);
}

}  // namespace
}  // namespace gyre::testing
