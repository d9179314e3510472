// SPDX-License-Identifier: Apache-2.0
// Hosts, links and disks that break, with real sockets and files of tasks on them.
#include "gyre/testing/simulation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "gyre/fs/file.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/datagram.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/testing/host_new.hpp"
#include "tests/support/sanitizers.hpp"

namespace gyre::testing {
namespace {

using namespace std::chrono_literals;
using sim::Host;

// What happened, in the memory of the test.
struct Log {
    void add(std::string text) {
        const sim::OutsideHost outside;
        lines.emplace_back(text.c_str());
    }
    [[nodiscard]] bool has(std::string_view text) const {
        return std::find(lines.begin(), lines.end(), text) != lines.end();
    }
    std::vector<std::string> lines;
};

constexpr std::uint16_t port = 7000;

Future<void> echo(net::Connection stream) {
    std::array<std::byte, 1024> buffer;
    for (;;) {
        const std::size_t size = co_await stream.read(buffer);
        if (size == 0) co_return;
        co_await stream.write(Bytes(buffer).first(size));
    }
}

Future<void> echo_quietly(net::Connection stream) {
    try {
        co_await echo(std::move(stream));
    } catch (const std::system_error&) {  // The client is gone.
    }
}

Future<void> serve_echo(Host& host) {
    net::Listener listener = co_await net::listen(host.address(port));
    co_await with_scope([&](Scope& scope) -> Future<void> {
        for (;;) {
            net::Connection stream = co_await listener.accept();
            scope.spawn(echo_quietly, std::move(stream));
        }
    });
}

// Sends a line every 100 ms and logs "ok" or the error that ends it.
auto ask_for(Log& log, const Host& server, int count) {
    return [&log, to = server.address(port), count](Host&) -> Future<void> {
        try {
            net::Connection stream = co_await net::connect(to);
            std::array<std::byte, 64> buffer;
            for (int i = 0; i < count; ++i) {
                co_await stream.write(bytes_of("hello"));
                const std::size_t size = co_await stream.read(buffer);
                if (size == 0) {
                    log.add("end");
                    co_return;
                }
                co_await sleep(100ms);
            }
            log.add("ok");
        } catch (const std::system_error& error) {
            const sim::OutsideHost outside;
            log.add(error.code() == std::errc::connection_reset     ? "reset"
                    : error.code() == std::errc::timed_out          ? "timed out"
                    : error.code() == std::errc::connection_refused ? "refused"
                                                                    : error.what());
        }
    };
}

struct Pair {
    explicit Pair(int count = 100, std::uint64_t seed = 1, sim::HostOptions options = {})
        : simulation({.seed = seed}),
          server(simulation.add_host("server", serve_echo, options)),
          client(simulation.add_host("client", ask_for(log, server, count), options)) {}
    sim::World& world() { return simulation.world(); }

    Log log;
    Simulation simulation;
    Host& server;
    Host& client;
};

// ---- The network ----

TEST(Hosts, talk_over_their_addresses) {
    Pair pair(3);
    pair.simulation.start_all();
    pair.simulation.run_for(10s);
    EXPECT_TRUE(pair.log.has("ok"));
    EXPECT_TRUE(pair.simulation.failures().empty());
}

TEST(Hosts, bytes_wait_for_a_cut_link_and_go_on_when_it_heals) {
    Pair pair(30);
    pair.simulation.start_all();
    pair.simulation.at(1s, [&] { pair.world().cut(pair.server, pair.client); });
    pair.simulation.run_for(100s);
    EXPECT_TRUE(pair.log.lines.empty());
    pair.world().heal();
    pair.simulation.run_for(10s);
    EXPECT_TRUE(pair.log.has("ok"));
}

TEST(Hosts, a_cut_in_one_direction_is_enough) {
    Pair pair(30);
    pair.simulation.start_all();
    pair.simulation.at(1s,
                       [&] { pair.world().set_link(pair.server, pair.client, {.is_cut = true}); });
    pair.simulation.run_for(100s);
    EXPECT_TRUE(pair.log.lines.empty());
    pair.world().heal();
    pair.simulation.run_for(10s);
    EXPECT_TRUE(pair.log.has("ok"));
}

TEST(Hosts, the_sender_gives_up_on_a_link_that_stays_cut) {
    Pair pair(30);
    pair.simulation.start_all();
    pair.simulation.at(1s, [&] { pair.world().cut(pair.server, pair.client); });
    pair.simulation.run_for(920s);
    EXPECT_TRUE(pair.log.lines.empty());
    pair.simulation.run_for(20s);
    EXPECT_TRUE(pair.log.has("timed out"));
}

TEST(Hosts, a_connect_over_a_cut_link_gets_no_answer) {
    Pair pair;
    pair.world().cut(pair.server, pair.client);
    pair.simulation.start_all();
    pair.simulation.run_for(120s);
    EXPECT_TRUE(pair.log.lines.empty());
    pair.simulation.run_for(20s);
    EXPECT_TRUE(pair.log.has("timed out"));
}

TEST(Hosts, a_link_can_refuse_connects) {
    Pair pair;
    pair.world().set_link(pair.client, pair.server, {.refuses_connects = true});
    pair.simulation.start_all();
    pair.simulation.run_for(1s);
    EXPECT_TRUE(pair.log.has("refused"));
}

TEST(Hosts, a_reset_reaches_both_ends) {
    Pair pair;
    pair.simulation.start_all();
    pair.simulation.at(1s, [&] { pair.world().reset(pair.server, pair.client); });
    pair.simulation.run_for(2s);
    EXPECT_TRUE(pair.log.has("reset"));
    EXPECT_EQ(pair.server.descriptor_count(), 1);  // the listener
    EXPECT_EQ(pair.client.descriptor_count(), 0);
}

TEST(Hosts, a_stall_delays_and_loses_nothing) {
    Pair pair(20);
    pair.simulation.start_all();
    pair.simulation.at(1s, [&] { pair.world().stall(pair.server, pair.client, 5s); });
    pair.simulation.run_for(5s);
    EXPECT_TRUE(pair.log.lines.empty());
    pair.simulation.run_for(5s);
    EXPECT_TRUE(pair.log.has("ok"));
}

TEST(Hosts, latency_and_bandwidth_take_their_time) {
    const auto time_of = [](const sim::LinkFaults& faults) {
        Pair pair(1);
        pair.world().set_link(pair.client, pair.server, faults);
        pair.simulation.start_all();
        while (pair.log.lines.empty()) pair.simulation.run_for(1ms);
        return pair.simulation.elapsed();
    };
    const Duration plain = time_of({});
    EXPECT_LT(plain, 110ms);
    EXPECT_GT(time_of({.latency = {1s, 2s}}), 2s);    // the connect and the request
    EXPECT_GT(time_of({.bytes_per_second = 5}), 1s);  // five bytes
    EXPECT_LT(time_of({.bytes_per_second = 5000}), 200ms);
}

// ---- Datagrams ----

// Sends 1,000 numbers; returns them as they came.
std::vector<int> numbers_over(const sim::LinkFaults& faults) {
    std::vector<int> came;
    Simulation simulation({.seed = 3});
    auto& to = simulation.add_host("to", [&came](Host& host) -> Future<void> {
        net::Datagram socket = co_await net::bind_datagram(host.address(port));
        std::array<std::byte, 16> buffer;
        for (;;) {
            const net::Received got = co_await socket.receive_from(buffer);
            const sim::OutsideHost outside;
            came.push_back(std::stoi(std::string(text_of(Bytes(buffer).first(got.size)))));
        }
    });
    auto& from = simulation.add_host("from", [at = to.address(port)](Host& host) -> Future<void> {
        net::Datagram socket = co_await net::bind_datagram(host.address());
        for (int i = 0; i < 1000; ++i) {
            const std::string text = std::to_string(i);
            co_await socket.send_to(bytes_of(text), at);
            co_await sleep(10us);
        }
    });
    simulation.world().set_link(from, to, faults);
    to.start();
    from.start();
    simulation.run_for(10s);
    return came;
}

TEST(HostDatagrams, arrive_in_order_without_faults) {
    const std::vector<int> came = numbers_over({});
    EXPECT_EQ(came.size(), 1000u);
    EXPECT_TRUE(std::is_sorted(came.begin(), came.end()));
}

TEST(HostDatagrams, are_lost_doubled_and_overtaken) {
    const std::size_t lost = 1000 - numbers_over({.loss_one_in = 10}).size();
    EXPECT_GT(lost, 50u);
    EXPECT_LT(lost, 200u);
    const std::vector<int> doubled = numbers_over({.duplicate_one_in = 10});
    EXPECT_GT(doubled.size(), 1050u);
    EXPECT_EQ(std::set<int>(doubled.begin(), doubled.end()).size(), 1000u);
    const std::vector<int> overtaken = numbers_over({.overtaken_one_in = 10});
    EXPECT_EQ(overtaken.size(), 1000u);
    EXPECT_FALSE(std::is_sorted(overtaken.begin(), overtaken.end()));
    EXPECT_TRUE(numbers_over({.is_cut = true}).empty());
}

// ---- Life ----

TEST(Hosts, a_killed_process_leaves_its_sockets_to_the_system) {
    Pair pair;
    pair.simulation.start_all();
    pair.simulation.at(1s, [&] { pair.server.kill(); });
    pair.simulation.run_for(1200ms);
    ASSERT_EQ(pair.log.lines.size(), 1u);
    EXPECT_TRUE(pair.log.has("end") || pair.log.has("reset")) << pair.log.lines[0];
    EXPECT_EQ(pair.server.descriptor_count(), 0);
}

TEST(Hosts, a_crashed_machine_says_nothing_and_resets_when_it_is_back) {
    Pair pair;
    pair.simulation.start_all();
    pair.simulation.at(1s, [&] { pair.server.crash(); });
    pair.simulation.run_for(100s);
    EXPECT_TRUE(pair.log.lines.empty());
    pair.server.start();
    pair.simulation.run_for(1s);
    EXPECT_TRUE(pair.log.has("reset"));
}

TEST(Hosts, a_new_program_serves_new_connections_on_the_same_port) {
    Pair pair(3);
    pair.server.start();
    for (int i = 0; i < 3; ++i) {
        pair.client.start();
        pair.simulation.run_for(1s);
        pair.client.kill();
        i % 2 == 0 ? pair.server.crash() : pair.server.kill();
        pair.server.start();
    }
    EXPECT_EQ(pair.log.lines, std::vector<std::string>(3, "ok"));
    EXPECT_EQ(pair.server.start_count(), 4u);
}

TEST(Hosts, may_have_several_loops) {
    sim::HostOptions options;
    options.loop_count = 2;
    Pair pair(3, 1, options);
    pair.simulation.start_all();
    EXPECT_EQ(pair.server.loop_count(), 2u);
    EXPECT_NE(pair.server.loop(0).thread_id(), pair.server.loop(1).thread_id());
    pair.simulation.run_for(10s);
    EXPECT_TRUE(pair.log.has("ok"));
    pair.server.crash();
    EXPECT_EQ(pair.server.loop_count(), 0u);
}

// A destructor would log.
TEST(Hosts, a_crash_runs_no_clean_up_and_a_stop_does) {
    struct Loud {
        ~Loud() { log.add("cleaned up"); }
        Log& log;
    };
    for (const bool is_crash : {true, false}) {
        Log log;
        Simulation simulation;
        auto& host = simulation.add_host("a", [&log](Host&) -> Future<void> {
            const Loud loud{log};
            co_await sleep(1h);
        });
        host.start();
        simulation.run_for(1s);
        if (is_crash) {
            host.crash();
        } else {
            host.stop();
        }
        EXPECT_EQ(log.has("cleaned up"), !is_crash);
        EXPECT_FALSE(host.is_running());
    }
}

TEST(Hosts, a_crash_takes_the_memory_back) {
    if (test::has_thread_sanitizer) GTEST_SKIP() << "skipped: its operator new stays";
    Simulation simulation;
    auto& host = simulation.add_host("a", [](Host&) -> Future<void> {
        const std::vector<std::string> much(1000, std::string(1000, 'x'));
        co_await sleep(1h);
        EXPECT_EQ(much.size(), 1000u);
    });
    for (int i = 0; i < 100; ++i) {
        host.start();
        simulation.run_for(1s);
        EXPECT_GT(host.memory().used_bytes(), 1'000'000u);
        EXPECT_LT(host.memory().used_bytes(), 20'000'000u);
        host.crash();
        EXPECT_EQ(host.memory().used_bytes(), 0u);
    }
}

TEST(Hosts, an_idle_host_needs_little_memory) {
    Pair pair;
    pair.simulation.start_all();
    pair.simulation.run_for(1s);
    EXPECT_LT(pair.server.memory().used_bytes(), 256u * 1024);
}

TEST(Hosts, an_allocation_fails_where_it_is_told_to) {
    if (test::has_thread_sanitizer) GTEST_SKIP() << "skipped: its operator new stays";
    Log log;
    Simulation simulation;
    auto& host = simulation.add_host("a", [&log](Host& at) -> Future<void> {
        at.memory().fail_at(3);
        for (int i = 1; i <= 4; ++i) {
            try {
                delete new int(i);
                log.add("ok");
            } catch (const std::bad_alloc&) {
                log.add("none");
            }
        }
        co_return;
    });
    host.start();
    simulation.run_for(1s);
    EXPECT_EQ(log.lines, (std::vector<std::string>{"ok", "ok", "none", "ok"}));
}

TEST(Hosts, a_paused_process_does_not_run_and_loses_nothing) {
    Pair pair(20);
    pair.simulation.start_all();
    pair.simulation.at(1s, [&] { pair.server.pause_until(pair.simulation.clock().peek() + 10s); });
    pair.simulation.run_for(9s);
    EXPECT_TRUE(pair.log.lines.empty());
    pair.simulation.run_for(9s);
    EXPECT_TRUE(pair.log.has("ok"));
}

TEST(Hosts, descriptors_can_run_out) {
    Log log;
    Simulation simulation;
    auto& host = simulation.add_host("a", [&log](Host&) -> Future<void> {
        try {
            net::Datagram socket = co_await net::bind_datagram(Address::loopback());
            log.add("open");
        } catch (const std::system_error& error) {
            log.add(error.code() == std::errc::too_many_files_open ? "EMFILE" : "other");
        }
    });
    host.set_descriptor_count_max(3);
    host.start();
    simulation.run_for(1s);
    EXPECT_TRUE(log.has("EMFILE"));
}

TEST(Hosts, one_seed_is_one_trace_and_another_seed_another) {
    const auto hash_of = [](std::uint64_t seed) {
        Pair pair(20, seed);
        pair.simulation.start_all();
        pair.simulation.at(500ms, [&] { pair.server.crash(); });
        pair.simulation.at(600ms, [&] { pair.server.start(); });
        pair.simulation.run_for(10s);
        return pair.world().trace_hash();
    };
    std::set<std::uint64_t> hashes;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const std::uint64_t hash = hash_of(seed);
        EXPECT_EQ(hash, hash_of(seed));
        hashes.insert(hash);
    }
    EXPECT_EQ(hashes.size(), 20u);
}

}  // namespace
}  // namespace gyre::testing
