// SPDX-License-Identifier: Apache-2.0
// Effects with replay: a function performs effects, its host answers them and keeps a journal; a run
// that failed is repeated from the journal, without the world it ran in.
//
//     $ replay
//     first: failed, the balance of bob is negative
//     again: failed, the balance of bob is negative
//     the database was asked 2 times

#include <gyre/effect/coroutine_tasks.hpp>
#include <gyre/effect/scheduler.hpp>
#include <gyre/gyre.hpp>

#include <cstdio>
#include <string>

using namespace gyre;
using namespace gyre::effect;
using namespace std::chrono_literals;

struct Database {
    static constexpr ResumeOp<int(std::string)> balance{"example.database", "balance"};
};

Effectful<int> total(std::string first, std::string second) {
    const int one = co_await perform(Database::balance, first);
    const int two = co_await perform(Database::balance, second);
    if (two < 0) throw std::runtime_error("the balance of " + second + " is negative");
    co_return one + two;
}

Future<void> app() {
    int asked_count = 0;
    Handlers handlers;
    handlers.on(Database::balance, [&](std::string name) -> Future<int> {
        ++asked_count;
        co_await sleep(1ms);
        co_return name == "ada" ? 10 : -5;
    });
    CoroutineGuest guest;
    guest.add("total", total);
    Scheduler scheduler((co_await this_task()).executor());
    const Arguments names = Arguments::of("ada", "bob");
    MemoryJournal journal;
    auto first = scheduler.start<int>(guest, handlers, "total", names, {&journal});
    std::printf("first: failed, %s\n", (co_await first).error().message.c_str());
    journal.rewind();
    const Handlers nobody;
    auto again = scheduler.start<int>(guest, nobody, "total", names, {&journal});
    std::printf("again: failed, %s\n", (co_await again).error().message.c_str());
    std::printf("the database was asked %d times\n", asked_count);
}

int main() {
    return gyre::run(app);
}
