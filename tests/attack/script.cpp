// SPDX-License-Identifier: Apache-2.0
// ./dev attack script: hostile scripts, one after the other, beside a C++ timer of 1 ms. Chains of jobs
// run on the timer's own loop, scripts that never return on another loop of the process. Prints what is
// promised, what was seen, how long after its limit the script ended, and how late the timer was at
// worst, not counting the start of the engine. Exits with 1 if an end is another, comes more than 60 ms after the limit, or the timer was more
// than 15 ms late. The first row has no attack: on a busy machine it is late too.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

#include "gyre/app/program.hpp"
#include "gyre/kernel/loop.hpp"
#include "lang/script/script.hpp"
#include "lang/script/v8/engine.hpp"
#include "tests/attack/metronome.hpp"

namespace gyre::attack {
namespace {

using namespace std::chrono_literals;

constexpr Duration lateness_max = 15ms;
constexpr Duration limit = 300ms;  // of a hostile script
constexpr Duration end_max = 60ms;

struct Hostile {
    const char* name;
    const char* text;
    bool blocks;  // the script never returns to its loop
};
constexpr Hostile scripts[] = {
    {"none", "setInterval(() => {}, 50)", false},
    {"a chain of promises", "(function f() { Promise.resolve().then(f); })()", false},
    {"a chain of ticks", "(function f() { process.nextTick(f); })()", false},
    {"a chain of immediates", "(function f() { setImmediate(f); })()", false},
    {"a chain of microtasks", "(function f() { queueMicrotask(f); })()", false},
    {"awaits in a loop", "(async () => { for (;;) await 0; })()", false},
    {"awaits in 1,000 loops",
     "for (let i = 0; i < 1000; i += 1) (async () => { for (;;) await 0; })()", false},
    {"rejections without end",
     "process.on('unhandledRejection', () => Promise.reject(1)); Promise.reject(2)", false},
    {"timers of no delay", "for (let i = 0; i < 1000; i += 1) setInterval(() => {}, 0)", false},
    {"while (true)", "while (true);", true},
    {"a pattern that backtracks", "/(a+)+$/.test('a'.repeat(60) + 'b')", true},
    {"finally after the end", "try { while (true); } finally { while (true); }", true},
    {"a sort that never ends", "for (;;) new Array(1e4).fill(0).map(Math.random).sort()", true},
};

struct Seen {
    int status = 0;
    Duration worst{0};
    Duration after_limit{0};
};

// Runs the script to its end, which a second thread brings about.
Seen attack(const Hostile& hostile) {
    Program program;
    script::System system;
    script::Script script(program.clock(), system, {.engine = script::v8::make_engine});
    Metronome beside;
    script.pump().add_child(beside);
    Loop loop(program.platform(), script.pump(), program.loop_options());
    if (!hostile.blocks) beside.start();
    script.start_text(hostile.text);
    std::jthread stopper([&script] {
        std::this_thread::sleep_for(limit);
        script.stop(script::Stop::time_limit);
    });
    const Instant began = program.clock().now();
    Seen seen;
    seen.status = script.run(loop);
    seen.after_limit = program.clock().now() - began - limit;
    seen.worst = beside.worst();
    loop.close();
    return seen;
}

Seen attack_beside_another_loop(const Hostile& hostile) {
    std::atomic<bool> is_over = false;
    Duration worst{0};
    std::jthread other([&is_over, &worst] {
        Program program;
        Metronome metronome;
        Loop loop(program.platform(), metronome, program.loop_options());
        metronome.start();
        while (!is_over.load()) loop.turn();
        worst = metronome.worst();
        loop.close();
    });
    Seen seen = attack(hostile);
    is_over.store(true);
    other.join();
    seen.worst = worst;
    return seen;
}

double milliseconds(Duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace
}  // namespace gyre::attack

int main() {
    using namespace gyre::attack;
    std::printf("%-28s %-10s %-10s %-18s %s\n", "attack", "promised", "seen", "end after limit",
                "worst lateness");
    int failed_count = 0;
    for (const Hostile& hostile : scripts) {
        const Seen seen = hostile.blocks ? attack_beside_another_loop(hostile) : attack(hostile);
        const bool is_late = seen.worst > lateness_max;
        const bool is_slow = seen.after_limit > end_max;
        if (is_late || is_slow || seen.status != 4) ++failed_count;
        std::printf("%-28s %-10s status %-3d %7.1f ms %12.1f ms%s%s\n", hostile.name, "status 4",
                    seen.status, milliseconds(seen.after_limit), milliseconds(seen.worst),
                    is_late ? "  LATE" : "", is_slow ? "  SLOW END" : "");
        std::fflush(stdout);
    }
    return failed_count == 0 ? 0 : 1;
}
