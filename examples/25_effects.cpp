// SPDX-License-Identifier: Apache-2.0
// Algebraic effects: a function asks for what it needs, and its host decides what that means. The
// same function runs with a network that takes its time, with a script in JSON, and again from the
// journal of what it was answered.
//
//     $ build/release/bin/examples/25_effects
//     log: two cities
//     value: Oslo 4, Rome 19
//     log: two cities
//     failed: no such city
//     cancelled: the user has left
//     value: Oslo -30, Rome -30
//     again, 3 answers from the journal: Oslo -30, Rome -30

#include <cstdio>
#include <string>

#include "gyre/effect/coroutine_guest.hpp"
#include "gyre/effect/coroutine_tasks.hpp"
#include "gyre/effect/json/handler_script.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/task/run.hpp"
#include "gyre/task/sleep.hpp"

using namespace gyre;
using namespace gyre::effect;
using namespace std::chrono_literals;

// [effect]
struct Weather {
    static constexpr ResumeOp<int(std::string)> degrees{"example.weather", "degrees"};
    static constexpr TailOp<void(std::string)> log{"example.weather", "log"};
};
// [/effect]
// [guest]
Effectful<std::string> line(std::string city) {
    const int degrees = co_await perform(Weather::degrees, city);
    co_return city + " " + std::to_string(degrees);
}

Effectful<std::string> report(std::string first, std::string second) {
    const Spawned<std::string> other = co_await spawn(line(second));  // a task of the same run
    co_await perform(Weather::log, "two cities");
    const std::string mine = co_await line(first);
    co_return mine + ", " + co_await join(other);
}
// [/guest]
// [handlers]
Future<int> ask_station(Context& context, std::string city) {
    context.on_end([] { /* however the run ends: close the connection */ });
    co_await sleep(city == "Oslo" ? 2ms : 1ms);
    if (city == "Atlantis") throw std::runtime_error("no such city");
    co_return city == "Oslo" ? 4 : 19;
}

Handlers network() {
    Handlers handlers;
    handlers.on(Weather::degrees, ask_station);
    handlers.on(Weather::log,
                [](const std::string& text) { std::printf("log: %s\n", text.c_str()); });
    return handlers;
}
// [/handlers]
// [outcome]
void show(const RunOutcome<std::string>& outcome) {
    switch (outcome.kind()) {
        case RunEndKind::value:
            std::printf("value: %s\n", outcome.value().c_str());
            break;
        case RunEndKind::failed:
            std::printf("failed: %s\n", outcome.error().message.c_str());
            break;
        case RunEndKind::cancelled:
            std::printf("cancelled: %s\n", outcome.reason().why.c_str());
            break;
    }
}
// [/outcome]
// [script]
constexpr const char* winter = R"({"handlers": [
    {"effect": "example.weather", "op": "degrees", "answers": [{"resume": -30}], "then": "last"},
    {"effect": "example.weather", "op": "log", "answers": [{"tail": null}]}]})";
// [/script]
// [run]
Future<void> app(Scheduler& scheduler, Guest& guest) {
    const Handlers real = network();
    auto run = scheduler.start<std::string>(guest, real, "report", Arguments::of("Oslo", "Rome"));
    show(co_await run);
    auto lost =
        scheduler.start<std::string>(guest, real, "report", Arguments::of("Oslo", "Atlantis"));
    show(co_await lost);
    auto slow = scheduler.start<std::string>(guest, real, "report", Arguments::of("Rome", "Oslo"));
    scheduler.cancel(slow.id(), "the user has left");  // from any thread
    show(co_await slow);

    Handlers scripted;
    if (!add_handler_script(scripted, winter)) co_return;
    MemoryJournal journal;
    auto cold = scheduler.start<std::string>(guest, scripted, "report",
                                             Arguments::of("Oslo", "Rome"), {.journal = &journal});
    show(co_await cold);
    journal.rewind();
    const Handlers nobody;
    // The value, or it throws RunFailed or RunCancelled.
    const std::string again = co_await scheduler.call<std::string>(
        guest, nobody, "report", Arguments::of("Oslo", "Rome"), {.journal = &journal});
    std::printf("again, %zu answers from the journal: %s\n", journal.entries().size(),
                again.c_str());
}
// [/run]
// [main]
int main() {
    platform::SystemClock clock;
    auto platform = platform::make_platform(clock).value();
    CoroutineGuest guest;
    guest.add("report", report);
    Executor executor;
    Scheduler scheduler(executor);
    Loop loop(*platform, executor);
    executor.root().spawn(app(scheduler, guest));
    loop.run();
    loop.close();
}
// [/main]
