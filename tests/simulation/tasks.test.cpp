// SPDX-License-Identifier: Apache-2.0
// Every primitive of gyre/task with sockets and files under it, which break, and with tasks that are
// cancelled at any moment: what a primitive promises holds, everything ends, and nothing is leaked.
#include <array>
#include <chrono>
#include <deque>
#include <string>
#include <system_error>

#include "gyre/fs/whole_file.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/task/combine/all.hpp"
#include "gyre/task/combine/race.hpp"
#include "gyre/task/combine/select.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/stream/merge.hpp"
#include "gyre/task/sync/channel.hpp"
#include "gyre/task/sync/event.hpp"
#include "gyre/task/sync/semaphore.hpp"
#include "gyre/task/thread/blocking.hpp"
#include "gyre/testing/checkers.hpp"
#include "tests/simulation/seeds.hpp"

namespace gyre::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t port = 7200;
constexpr int lane_count = 4;
constexpr int actions_of_lane = 25;
constexpr std::size_t permit_count = 2;

// In the memory of the test.
struct TaskLedger {
    Settling futures;
    ExactlyOnce items;
    std::string wrong;
    int finished_count = 0;

    void check(bool holds, const char* law) {
        const sim::OutsideHost outside;
        if (!holds && wrong.empty()) wrong = std::string("broken: ") + law;
    }
};

// The futures of one combinator: all have ended when it has, whatever it ends with.
class Crowd {
public:
    Crowd(TaskLedger& ledger, const char* law) noexcept : ledger_(ledger), law_(law) {}
    ~Crowd() { ledger_.check(alive_ == 0, law_); }
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;
    [[nodiscard]] bool is_empty() const noexcept { return alive_ == 0; }

    class Member {
    public:
        explicit Member(Crowd& crowd) noexcept : crowd_(crowd) { ++crowd_.alive_; }
        ~Member() { --crowd_.alive_; }
        Member(const Member&) = delete;
        Member& operator=(const Member&) = delete;

    private:
        Crowd& crowd_;
    };

private:
    TaskLedger& ledger_;
    const char* const law_;
    int alive_ = 0;
};

// ---- The program: one run of it, in the memory of its host ----

class Actions {
public:
    Actions(sim::Host& host, Address server, TaskLedger& ledger)
        : host_(host), server_(server), ledger_(ledger), random_(host.start_count()) {}

    Future<void> run() {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([this]() { return receive_all(); });
            co_await with_scope([&](Scope& lanes) -> Future<void> {
                for (int i = 0; i < lane_count; ++i) lanes.spawn([this]() { return lane(); });
                co_return;
            });
            channel_.close();
        });
        while (!dropped_.is_empty()) co_await sleep(10ms);
        ledger_.check(permits_.available() == permit_count, "every permit comes back");
        ledger_.check(!mutex_.is_locked(), "every lock is given back");
        for (const std::string& item : sent_) ledger_.items.answered(item);
        ++ledger_.finished_count;
    }

private:
    using Action = Future<void> (Actions::*)();

    // ---- What the primitives wait for ----

    Future<int> input(Crowd* crowd) {
        const Crowd::Member member(*crowd);
        switch (random_.below(5)) {
            case 0:
                co_await sleep(some_time());
                break;
            case 1:
                co_await echo();
                break;
            case 2:
                co_await fs::replace("/file", std::string(random_.below(3000), 'x'));
                break;
            case 3:
                static_cast<void>(co_await fs::read_file("/file"));
                break;
            default:
                co_await yield();
        }
        co_return 1;
    }
    Future<void> echo() {
        net::Connection stream = co_await timeout(open(), 1s);
        const std::string text(1 + random_.below(2000), 'e');
        co_await timeout(exchange(&stream, &text), 1s);
    }
    Future<net::Connection> open() { co_return co_await net::connect(server_); }
    static Future<void> exchange(net::Connection* stream, const std::string* text) {
        co_await stream->write(bytes_of(*text));
        std::array<std::byte, 512> buffer;
        for (std::size_t left = text->size(); left > 0;) {
            const std::size_t size = co_await stream->read(buffer);
            if (size == 0) co_return;
            left -= size;
        }
    }
    Duration some_time() { return Duration(static_cast<Duration::rep>(random_.below(80'000'000))); }

    // ---- A lane: actions one after another, each a task that may be cancelled ----

    Future<void> lane() {
        static constexpr std::array<Action, 17> actions = {
            &Actions::await_all,    &Actions::await_settled, &Actions::race_some,
            &Actions::await_any,    &Actions::select_some,   &Actions::hurry,
            &Actions::shield_some,  &Actions::take_permits,  &Actions::lock,
            &Actions::wait_a_while, &Actions::send,          &Actions::promise,
            &Actions::share_some,   &Actions::read_stream,   &Actions::read_merged,
            &Actions::open_scope,   &Actions::call_blocking};
        for (int i = 0; i < actions_of_lane; ++i) {
            const std::size_t number = random_.below(actions.size());
            Future<void> action = ledger_.futures.follow(host_, "action " + std::to_string(number),
                                                         (this->*actions[number])());
            co_await with_scope([&](Scope& scope) -> Future<void> {
                TaskHandle<void> task = scope.spawn(forgive(std::move(action)));
                if (random_.one_in(3)) {
                    co_await sleep(some_time());
                    task.cancel("by chance");
                }
            });
        }
    }
    static Future<void> forgive(Future<void> action) {
        try {
            co_await std::move(action);
        } catch (const std::exception&) {  // Of a fault below. A cancel passes.
        }
    }

    // ---- The actions ----

    Future<void> await_all() {
        Crowd crowd(ledger_, "all ends after its futures");
        const auto both = co_await all(input(&crowd), input(&crowd));
        ledger_.check(std::get<0>(both) + std::get<1>(both) == 2, "all gives each value");
    }
    Future<void> await_settled() {
        Crowd crowd(ledger_, "all_settled ends after its futures");
        static_cast<void>(co_await all_settled(input(&crowd), input(&crowd)));
    }
    Future<void> race_some() {
        Crowd crowd(ledger_, "a race ends after its losers");
        static_cast<void>(co_await race(input(&crowd), input(&crowd), input(&crowd)));
    }
    Future<void> await_any() {
        Crowd crowd(ledger_, "any ends after its losers");
        static_cast<void>(co_await any(input(&crowd), input(&crowd)));
    }
    Future<void> select_some() {
        Crowd crowd(ledger_, "select ends after its futures");
        const auto [one, other] = co_await select(input(&crowd), input(&crowd));
        ledger_.check(one || other, "a select ends with at least one");
    }
    Future<void> hurry() {
        Crowd crowd(ledger_, "a timeout ends after its future");
        static_cast<void>(co_await timeout(input(&crowd), some_time()));
    }
    Future<void> shield_some() {
        bool has_ended = false;
        co_await shield(rest(&has_ended));
        ledger_.check(has_ended, "what is shielded runs to its end");
    }
    Future<void> rest(bool* has_ended) {
        co_await sleep(some_time());
        *has_ended = true;
    }
    Future<void> take_permits() {
        const std::size_t count = 1 + random_.below(permit_count);
        const Permits held = co_await permits_.acquire(count);
        const Held holder(permits_out_, static_cast<int>(count));
        ledger_.check(permits_out_ <= static_cast<int>(permit_count), "no permit is given twice");
        Crowd crowd(ledger_, "a holder of permits ends after its future");
        static_cast<void>(co_await input(&crowd));
    }
    Future<void> lock() {
        const MutexGuard guard = co_await mutex_.lock();
        const Held holder(locks_out_, 1);
        ledger_.check(locks_out_ == 1, "one task has the lock");
        Crowd crowd(ledger_, "a holder of a lock ends after its future");
        static_cast<void>(co_await input(&crowd));
    }
    // For an event that another task sets, and that is set again and again.
    Future<void> wait_a_while() {
        Event event;
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([](Event* waited) -> Future<void> { co_await waited->wait(); }, &event);
            co_await sleep(some_time());
            event.set();
        });
    }
    Future<void> send() {
        const std::string item =
            std::to_string(host_.start_count()) + "." + std::to_string(++last_item_);
        ledger_.items.asked(item);
        co_await channel_.send(item);
        sent_.push_back(item);
    }
    Future<void> receive_all() {
        while (auto item = co_await channel_.receive()) {
            ledger_.items.took_effect(*item);
            co_await sleep(some_time() / 10);
        }
    }
    Future<void> promise() {
        Promise<int> promise;
        const int value = co_await with_scope([&](Scope& scope) -> Future<int> {
            scope.spawn([this](Promise<int>* settled) { return settle(settled); }, &promise);
            co_return co_await promise.future();
        });
        ledger_.check(value == 7, "a future gives what its promise was resolved with");
    }
    Future<void> settle(Promise<int>* promise) {
        co_await sleep(some_time());
        promise->resolve(7);
    }
    // What is shared and a stream end later, in a task of the root scope, when the task that drops
    // them is cancelled.
    Future<void> share_some() {
        const SharedFuture<int> shared = share(input(&dropped_));
        co_await all(await_shared(shared), await_shared(shared));
    }
    static Future<void> await_shared(SharedFuture<int> shared) {
        static_cast<void>(co_await shared);
    }
    Stream<int> numbers(int first, int count) {
        const Crowd::Member member(dropped_);
        for (int i = 0; i < count; ++i) {
            static_cast<void>(co_await input(&dropped_));
            co_yield first + i;
        }
    }
    Future<void> read_stream() {
        auto stream = numbers(0, 3);
        int next = 0;
        while (const auto value = co_await stream.next()) {
            ledger_.check(*value == next++, "a stream gives its values in their order");
        }
        ledger_.check(next == 3, "a stream gives all its values");
    }
    Future<void> read_merged() {
        auto merged = merge(numbers(0, 2), numbers(10, 2));
        std::array<int, 2> next = {0, 10};
        while (const auto value = co_await merged.next()) {
            ledger_.check(*value == next[*value < 10 ? 0 : 1]++,
                          "merged streams keep their orders");
        }
        ledger_.check(next == std::array{2, 12}, "merged streams lose nothing");
    }
    Future<void> open_scope() {
        Crowd crowd(ledger_, "a scope ends after its tasks");
        const ScopeOptions options{.concurrency_max = 1 + random_.below(2),
                                   .cancels_on_failure = random_.one_in(2)};
        co_await with_scope(
            [&](Scope& scope) -> Future<void> {
                for (int i = 0; i < 3; ++i) {
                    scope.spawn(
                        [this](Crowd* of) -> Future<void> {
                            static_cast<void>(co_await input(of));
                        },
                        &crowd);
                }
                co_return;
            },
            options);
    }
    Future<void> call_blocking() {
        const auto give = [] { return 5; };
        const int value = co_await blocking(give);
        ledger_.check(value == 5, "a call gives what its function returns");
    }

    // Counts what is held, for as long as it is.
    class Held {
    public:
        Held(int& count, int by) noexcept : count_(count), by_(by) { count_ += by_; }
        ~Held() { count_ -= by_; }
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;

    private:
        int& count_;
        const int by_;
    };

    sim::Host& host_;
    const Address server_;
    TaskLedger& ledger_;
    Random random_;
    Crowd dropped_{ledger_, "what a task drops ends"};
    Channel<std::string> channel_{2};
    Semaphore permits_{permit_count};
    Mutex mutex_;
    int permits_out_ = 0;
    int locks_out_ = 0;
    int last_item_ = 0;
    std::deque<std::string> sent_;
};

// ---- The scenario ----

Future<void> serve_echo(sim::Host& host) {
    for (;;) {
        try {
            net::Listener listener = co_await net::listen(host.address(port));
            co_await with_scope([&](Scope& scope) -> Future<void> {
                for (;;) {
                    net::Connection stream = co_await listener.accept();
                    scope.spawn(
                        [](net::Connection its) -> Future<void> {
                            std::array<std::byte, 700> buffer;
                            try {
                                for (;;) {
                                    const std::size_t size = co_await its.read(buffer);
                                    if (size == 0) co_return;
                                    co_await its.write(Bytes(buffer).first(size));
                                }
                            } catch (const std::system_error&) {
                            }
                        },
                        std::move(stream));
                }
            });
        } catch (const std::system_error&) {  // No descriptor is free.
        }
        co_await sleep(20ms);
    }
}

class TasksTrial : public Trial {
public:
    void set_up(Simulation& simulation) override {
        sim::Host& server = simulation.add_host("server", serve_echo);
        client_ = &simulation.add_host(
            "client", [this, to = server.address(port)](sim::Host& at) { return run(at, to); });
    }
    std::string check_always(Simulation& /*simulation*/) override { return ledger_.wrong; }
    bool is_at_rest(Simulation& /*simulation*/) override { return ledger_.finished_count > 0; }
    std::string check(Simulation& /*simulation*/) override {
        if (std::string why = ledger_.items.check(); !why.empty()) return why;
        std::string why = what_leaks(*client_);
        return why.empty() ? ledger_.futures.check() : why;
    }

private:
    Future<void> run(sim::Host& host, Address server) {
        Actions actions(host, server, ledger_);
        co_await actions.run();
    }

    sim::Host* client_ = nullptr;
    TaskLedger ledger_;
};

// The second failure of a combinator is logged.
class TasksUnderFaults : public QuietTest {};

TEST_F(TasksUnderFaults, keep_what_each_primitive_promises) {
    expect_no_seed_fails({.name = "tasks", .make = [] { return std::make_unique<TasksTrial>(); }});
}

}  // namespace
}  // namespace gyre::testing
