// SPDX-License-Identifier: Apache-2.0
// A right program survives each kind of fault by itself: twenty faults of one kind in ten seconds. The
// tests that show what a kind does are in simulation.test.cpp, simulation_disk.test.cpp and
// simulation_system.test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "gyre/fs/tree.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/datagram.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/resolver.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/sync/semaphore.hpp"
#include "gyre/testing/search.hpp"
#include "tests/support/sanitizers.hpp"

namespace gyre::testing {
namespace {

using namespace std::chrono_literals;
using sim::FaultKind;

constexpr int entry_count = 40;
constexpr std::size_t entry_size = 4;
constexpr std::uint16_t entries_port = 80;
constexpr std::uint16_t echo_port = 81;

std::string entry_of(int number) {
    const std::string digits = std::to_string(number);
    return std::string(entry_size - digits.size(), '0') + digits;
}

// A request that was given up may arrive long after the next ones.
bool has(std::string_view text, std::string_view entry) {
    for (; !text.empty(); text.remove_prefix(entry_size)) {
        if (text.starts_with(entry)) return true;
    }
    return false;
}

// A failed operation, or one that took too long: try again.
template <class F>
Future<void> until_it_works(F attempt) {
    for (;;) {
        bool has_failed = false;
        try {
            Future<void> attempted = attempt();
            co_await timeout(std::move(attempted), 1s);
        } catch (const std::system_error&) {
            has_failed = true;
        }
        if (!has_failed) co_return;
        co_await sleep(50ms);
    }
}

// A server keeps a list of entries in a file. A client adds one after the other, each until it is
// acknowledged, and sends a datagram to and fro for each. Both go on where they were after a crash.
class Ledger : public Trial {
public:
    // A wrong server adds an entry that it has already.
    explicit Ledger(bool looks_for_entry = true) : looks_for_entry_(looks_for_entry) {}

    void set_up(Simulation& simulation) override {
        server_ = &simulation.add_host("server", [this](sim::Host& host) { return serve(&host); });
        simulation.add_host("client", [this](sim::Host&) { return add_all(); });
    }
    bool is_at_rest(Simulation&) override { return has_finished_; }
    std::string check(Simulation&) override {
        std::string expected;
        for (int number = 1; number <= entry_count; ++number) expected += entry_of(number);
        const std::string kept = server_->file_content("/entries").value_or("");
        return kept == expected ? "" : "the file has " + kept;
    }

private:
    struct Server {
        Semaphore one_at_a_time{1};
        bool is_safe = false;  // what the file has is on the disk
    };

    // ---- The server ----

    Future<void> add(Server* server, std::string entry) {
        const Permits turn = co_await server->one_at_a_time.acquire();
        std::string text;
        if (co_await fs::exists("/entries")) text = co_await fs::read_file("/entries");
        const bool has_entry = looks_for_entry_ && has(text, entry);
        if (has_entry && server->is_safe) co_return;
        if (!has_entry) text += entry;
        server->is_safe = false;
        co_await fs::replace("/entries", text);
        server->is_safe = true;
    }
    Future<void> answer(Server* server, net::Connection stream) {
        std::string entry(entry_size, '\0');
        try {
            const std::size_t size = co_await stream.read(std::as_writable_bytes(std::span(entry)));
            if (size != entry_size) co_return;
            co_await add(server, entry);
            co_await stream.write(bytes_of(entry));
        } catch (const std::system_error&) {  // The client asks again.
        }
    }
    Future<void> accept_all(Server* server, const Address at) {
        const net::Listener listener = co_await net::listen(at);
        co_await with_scope([&](Scope& scope) -> Future<void> {
            for (;;) scope.spawn(answer(server, co_await listener.accept()));
        });
    }
    static Future<void> echo_all(const Address at) {
        const net::Datagram socket = co_await net::bind_datagram(at);
        std::array<std::byte, 64> buffer{};
        for (;;) {
            const net::Received got = co_await socket.receive_from(buffer);
            co_await socket.send_to(Bytes(buffer).first(got.size), got.from);
        }
    }
    // A socket that fails is opened again.
    Future<void> serve_entries(Server* server, Address at) {
        for (;;) {
            try {
                co_await accept_all(server, at);
            } catch (const std::system_error&) {
            }
            co_await sleep(20ms);
        }
    }
    static Future<void> serve_echo(Address at) {
        for (;;) {
            try {
                co_await echo_all(at);
            } catch (const std::system_error&) {
            }
            co_await sleep(20ms);
        }
    }
    Future<void> serve(sim::Host* host) {
        Server server;
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn(serve_echo(host->address(echo_port)));
            co_await serve_entries(&server, host->address(entries_port));
        });
    }

    // ---- The client ----

    static Future<void> send_entry(std::string entry) {
        net::Resolver resolver;
        net::Connection stream = co_await net::connect(resolver, "server", entries_port);
        co_await stream.write(bytes_of(entry));
        std::string got(entry_size, '\0');
        const std::size_t size = co_await stream.read(std::as_writable_bytes(std::span(got)));
        if (size != entry_size || got != entry) {
            throw std::system_error(std::make_error_code(std::errc::protocol_error));
        }
    }
    // Answers to earlier datagrams may still come, or come twice.
    static Future<void> send_datagram(std::string entry) {
        net::Resolver resolver;
        const std::vector<Address> found = co_await resolver.resolve("server", echo_port);
        const net::Datagram socket = co_await net::open_datagram(Address::Family::ipv4);
        co_await socket.send_to(bytes_of(entry), found.front());
        std::string got(entry_size, '\0');
        do {
            (void)co_await socket.receive_from(std::as_writable_bytes(std::span(got)));
        } while (got != entry);
    }
    static Future<void> read_next(int* number) {
        const bool is_there = co_await fs::exists("/next");
        if (!is_there) co_return;
        const std::string text = co_await fs::read_file("/next");
        *number = std::stoi(text);
    }
    Future<void> add_all() {
        int number = 1;
        co_await until_it_works([&] { return read_next(&number); });
        for (; number <= entry_count; ++number) {
            co_await until_it_works([&] { return send_entry(entry_of(number)); });
            co_await until_it_works([&] { return send_datagram(entry_of(number)); });
            co_await until_it_works(
                [&] { return fs::replace("/next", std::to_string(number + 1)); });
            co_await sleep(200ms);
        }
        has_finished_ = true;
    }

    const bool looks_for_entry_;
    sim::Host* server_ = nullptr;
    bool has_finished_ = false;
};

Scenario ledger(bool looks_for_entry = true) {
    return {.name = "ledger",
            .make = [looks_for_entry] { return std::make_unique<Ledger>(looks_for_entry); }};
}

// What follows the word of a kind.
std::uint64_t number_of(FaultKind kind) {
    const auto time = [](Duration duration) {
        return static_cast<std::uint64_t>(duration.count());
    };
    switch (kind) {
        case FaultKind::slow:
        case FaultKind::disk_slow:
        case FaultKind::late_timers:
        case FaultKind::late_wakes:
            return time(100ms);
        case FaultKind::slow_work:
            return time(500ms);
        case FaultKind::clock_jump:
        case FaultKind::clock_back:
            return time(1h);
        case FaultKind::throttle:
            return 20;
        case FaultKind::descriptors:
            return 4;
        case FaultKind::clock_drift:
            return 500;
        default:
            return 2;
    }
}

bool happens_at_once(FaultKind kind) {
    using enum FaultKind;
    return kind == reset || kind == heal || kind == clock_jump || kind == clock_back;
}

sim::Plan plan_of(FaultKind kind) {
    sim::Plan plan;
    for (int i = 0; i < 20; ++i) {
        const bool is_at_server = i % 2 == 0;
        plan.events.push_back({.at = i * 500ms + 100ms,
                               .kind = kind,
                               .host = is_at_server ? "server" : "client",
                               .other = is_at_server ? "client" : "server",
                               .number = number_of(kind),
                               .lasts = happens_at_once(kind) ? 0ms : 350ms});
    }
    return plan;
}

class Survival : public ::testing::TestWithParam<int> {};

TEST_P(Survival, of_faults_of_one_kind) {
    const auto kind = static_cast<FaultKind>(GetParam());
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const TrialResult result = run_trial(ledger(), seed, plan_of(kind));
        EXPECT_EQ(result.why, "") << "seed " << seed << "\n" << result.tasks;
        EXPECT_GE(result.faults[static_cast<std::size_t>(kind)], 10u);
    }
}

std::string name_of_test(const ::testing::TestParamInfo<int>& info) {
    std::string name(sim::word_of(static_cast<FaultKind>(info.param)));
    for (char& letter : name) letter = letter == '-' ? '_' : letter;
    return name;
}
// The two that are left out have tests of their own below.
std::vector<int> kinds() {
    std::vector<int> all;
    for (int kind = 0; kind < static_cast<int>(sim::fault_kind_count); ++kind) {
        const bool has_own_test = static_cast<FaultKind>(kind) == FaultKind::memory ||
                                  static_cast<FaultKind>(kind) == FaultKind::rot;
        if (!has_own_test) all.push_back(kind);
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(EachKind, Survival, ::testing::ValuesIn(kinds()), name_of_test);

// Requests that the client gave up wait in the queue of the server.
TEST(SurvivalOfPauses, is_not_given_to_a_program_that_adds_an_entry_twice) {
    const std::vector<std::string> names = {"server", "client"};
    const auto plan = sim::parse_plan("at 1s pause server for 3s", names);
    ASSERT_TRUE(plan) << plan.error();
    EXPECT_EQ(run_trial(ledger(), 1, *plan).why, "");
    EXPECT_NE(run_trial(ledger(false), 1, *plan).why, "");
}

// Makes a hundred allocations for each number, and begins a number again that has failed.
TEST(SurvivalOfFailedAllocations, is_to_try_again) {
    if (test::has_thread_sanitizer) GTEST_SKIP() << "skipped: its operator new stays";
    Simulation simulation;
    std::vector<int> finished;
    finished.reserve(100);
    int failure_count = 0;
    auto& host = simulation.add_host("a", [&](sim::Host& at) -> Future<void> {
        for (int number = 0; number < 20;) {
            co_await sleep(10ms);
            if (failure_count < 10 && number % 2 == 1) at.memory().fail_at(50);
            try {
                std::vector<std::unique_ptr<int>> parts(100);
                for (auto& part : parts) part = std::make_unique<int>(number);
                finished.push_back(number++);
            } catch (const std::bad_alloc&) {
                at.memory().fail_at(0);
                ++failure_count;
            }
        }
    });
    host.start();
    simulation.run_for(10s);
    EXPECT_EQ(failure_count, 10);
    EXPECT_EQ(finished.size(), 20u);
    EXPECT_TRUE(simulation.failures().empty());
}

// A record in two files, each with a check sum: the one that is whole repairs the other.
std::string sealed(const std::string& text) {
    std::uint32_t sum = 2166136261u;
    for (const char letter : text) sum = (sum ^ static_cast<unsigned char>(letter)) * 16777619u;
    return text + "#" + std::to_string(sum);
}
std::optional<std::string> opened(const std::string& text) {
    const std::string content = text.substr(0, text.rfind('#'));
    return sealed(content) == text ? std::optional(content) : std::nullopt;
}

Future<void> read_and_repair(std::vector<std::string>* seen) {
    const std::array<std::string, 2> paths = {"/one", "/other"};
    for (int i = 0; i < 100; ++i) {
        std::array<std::optional<std::string>, 2> found;
        for (std::size_t file = 0; file < 2; ++file) {
            const std::string text = co_await fs::read_file(paths[file]);
            found[file] = opened(text);
        }
        for (std::size_t file = 0; file < 2; ++file) {
            if (found[file] || !found[1 - file]) continue;
            co_await fs::replace(paths[file], sealed(*found[1 - file]));
        }
        {
            const sim::OutsideHost outside;
            seen->push_back(found[0].value_or(found[1].value_or("lost")));
        }
        co_await sleep(100ms);
    }
}

TEST(SurvivalOfRot, is_a_second_copy_with_a_check_sum) {
    const std::vector<std::string> names = {"a"};
    std::string text;
    for (int i = 0; i < 10; ++i) {
        text +=
            "at " + std::to_string(i * 800 + 50) + "ms rot a " + (i % 2 == 0 ? "/one" : "/other");
        text += "\n";
    }
    const auto plan = sim::parse_plan(text, names);
    ASSERT_TRUE(plan) << plan.error();
    Simulation simulation({.seed = 2});
    std::vector<std::string> seen;
    auto& host = simulation.add_host("a", [&](sim::Host&) { return read_and_repair(&seen); });
    for (const char* const path : {"/one", "/other"}) host.put_file(path, sealed("what matters"));
    host.start();
    const sim::PlanRun run(*plan, simulation.world());
    simulation.run_for(1min);
    EXPECT_EQ(run.count(FaultKind::rot), 10u);
    EXPECT_EQ(seen, std::vector<std::string>(100, "what matters"));
    for (const char* const path : {"/one", "/other"}) {
        EXPECT_EQ(host.file_content(path), sealed("what matters"));
    }
}

}  // namespace
}  // namespace gyre::testing
