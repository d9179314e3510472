// SPDX-License-Identifier: Apache-2.0
// planted_bugs BUG: programs with one mistake each. planted_bugs.test.py runs them and compares
// what they print with the file BUG.txt.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>

#include "gyre/net/listener.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/task/async.hpp"

namespace {

using namespace gyre;
using namespace std::chrono_literals;

Mutex accounts("accounts");
Mutex journal("journal");
Channel<int> orders(1, "orders");
int locked_count = 0;

void say_ready() {
    std::puts("ready");
    std::fflush(stdout);
}

// ---- two_mutexes: two tasks lock the same mutexes in another order ----

Future<void> lock_both(Mutex* first, Mutex* second) {
    const MutexGuard one = co_await first->lock();
    ++locked_count;
    while (locked_count < 2) co_await yield();
    const MutexGuard two = co_await second->lock();
}

Future<void> accept_all() {
    net::Listener listener = co_await net::listen(Address::loopback(), {});
    for (;;) {
        const net::Connection connection = co_await listener.accept();
    }
}

Future<void> print_statistics() {
    for (;;) co_await sleep(1h);
}

Future<void> two_mutexes(Scope& root) {
    root.spawn(lock_both, &accounts, &journal).set_name("transfer");
    root.spawn(lock_both, &journal, &accounts).set_name("audit");
    root.spawn(accept_all).set_name("listener");
    root.spawn_daemon(print_statistics).set_name("statistics");
    while (locked_count < 2) co_await yield();
    co_await sleep(1ms);
    say_ready();
}

// ---- blocked_loop: a read of standard input without blocking() ----

void read_a_line() {
    std::array<char, 64> line{};
    static_cast<void>(::read(STDIN_FILENO, line.data(), line.size()));
}

Future<void> blocked_loop() {
    for (int i = 0; i < 2; ++i) {
        co_await sleep(1ms);
        say_ready();
        read_a_line();
    }
    co_await sleep(200ms);  // The loop goes on: it hears the signal that came meanwhile.
}

// ---- leaked_task: main has ended, but a task that it started waits for orders ----

Future<void> take_orders() {
    while (const auto order = co_await orders.receive()) std::printf("order %d\n", *order);
}

Future<void> leaked_task(Scope& root) {
    root.spawn(take_orders).set_name("orders");
    root.spawn(print_statistics).set_name("statistics");
    co_await sleep(1ms);
    say_ready();
}

// ---- lost_cancel: a task catches Cancelled and goes on ----

Future<void> keep_trying() {
    for (;;) {
        try {
            co_await sleep(1h);
        } catch (const std::exception&) {
            continue;  // also the Cancelled
        }
    }
}

Future<void> lost_cancel(Scope& root) {
    root.spawn(keep_trying).set_name("stubborn");
    co_await sleep(1ms);
    say_ready();
}

// ---- forgotten_await: a future that nobody awaits ----

Future<void> save() {
    co_return;
}

Future<void> forgotten_await() {
    auto saved = save();
    co_await sleep(1ms);
}

int run_bug(std::string_view name) {
    platform::SystemClock clock;
    auto platform = platform::make_platform(clock).value();
    if (name == "two_mutexes") return run(*platform, two_mutexes).exit_code();
    if (name == "blocked_loop") return run(*platform, blocked_loop).exit_code();
    if (name == "leaked_task") return run(*platform, leaked_task).exit_code();
    if (name == "forgotten_await") return run(*platform, forgotten_await).exit_code();
    if (name == "lost_cancel") {
        return run(*platform, lost_cancel, {.stop_within = 50ms}).exit_code();
    }
    std::fprintf(stderr, "planted_bugs: there is no bug of this name: see planted_bugs.cpp\n");
    return 2;
}

}  // namespace

int main(int argument_count, char** arguments) {
    return run_bug(argument_count == 2 ? arguments[1] : "");
}
