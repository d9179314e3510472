// SPDX-License-Identifier: Apache-2.0
// Algebraic effects: a function performs ops, and its host decides what they mean. Here two
// stations answer after a delay; then the journal replays their answers.
//
//     $ build/release/bin/examples/25_effects
//     value: Oslo 4, Rome 19
//     failed: no such city
//     cancelled: the user has left
//     again: Oslo 4, Rome 19

// [head]
#include <cstdio>

#include <gyre/effect/coroutine_tasks.hpp>
#include <gyre/effect/scheduler.hpp>
#include <gyre/gyre.hpp>

using namespace gyre;
using namespace gyre::effect;
using namespace std::chrono_literals;
// [/head]

// [effect]
struct Weather {
    static constexpr ResumeOp<int(std::string)> degrees{"example.weather", "degrees"};
};
// [/effect]
// [guest]
Effectful<std::string> line(std::string city) {
    const int degrees = co_await perform(Weather::degrees, city);
    co_return city + " " + std::to_string(degrees);
}
Effectful<std::string> report(std::string first, std::string second) {
    const Spawned<std::string> other = co_await spawn(line(second));  // a task of the same run
    const std::string mine = co_await line(first);
    co_return mine + ", " + co_await join(other);
}
// [/guest]
// [handler]
Future<int> ask_station(std::string city) {
    co_await sleep(city == "Oslo" ? 2ms : 1ms);
    if (city == "Atlantis") throw std::runtime_error("no such city");
    co_return city == "Oslo" ? 4 : 19;
}
// [/handler]
// [run]
Future<void> app(Scheduler& scheduler, Guest& guest) {
    Handlers handlers;
    handlers.on(Weather::degrees, ask_station);
    const Arguments cities = Arguments::of("Oslo", "Rome");
    MemoryJournal journal;
    auto run = scheduler.start<std::string>(guest, handlers, "report", cities, {&journal});
    const RunOutcome<std::string> outcome = co_await run;
    if (outcome.has_value()) std::printf("value: %s\n", outcome.value().c_str());
    auto lost = scheduler.start(guest, handlers, "report", Arguments::of("Rome", "Atlantis"));
    std::printf("failed: %s\n", (co_await lost).error().message.c_str());
    auto left = scheduler.start(guest, handlers, "report", cities);
    scheduler.cancel(left.id(), "the user has left");  // from any thread
    std::printf("cancelled: %s\n", (co_await left).reason().why.c_str());

    journal.rewind();
    const Handlers nobody;  // call: the value, or it throws RunFailed or RunCancelled
    auto again = co_await scheduler.call<std::string>(guest, nobody, "report", cities, {&journal});
    std::printf("again: %s\n", again.c_str());
}
// [/run]
// [main]
int main() {
    CoroutineGuest guest;
    guest.add("report", report);
    return gyre::run([&](Scope& root) -> Future<void> {
        Scheduler scheduler(root.executor());
        co_await app(scheduler, guest);
    });
}
// [/main]
