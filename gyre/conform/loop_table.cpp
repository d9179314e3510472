// SPDX-License-Identifier: Apache-2.0
// A libuv-style loop, as data: its liveness rules, its phases, and its poll timeout.
#include "gyre/conform/loop.hpp"

namespace gyre::conform {
namespace {

constexpr Scenario loop_scenarios[] = {
    {"L01", "now stands still until it is updated", R"(
        main: timer t 1; run
        t: now; block 7; now; update_now; now)",
     "t, now 1 ms*2, now 8 ms", Time::simulated},

    {"L02", "a loop without anything is not alive", R"(
        main: alive; run; say returned)",
     "not alive, returned"},
    {"L02 L03", "an active handle with a reference is alive", R"(
        main: timer t 3600000; alive; unref t; alive; ref t; alive; stop t; alive)",
     "alive, not alive, alive, not alive"},
    {"L02", "an active request is alive", R"(
        main: request r; run no_wait; alive; finish r 0; run; alive)",
     "alive, r 0, not alive"},
    {"L02 L14", "a closing handle is alive", R"(
        main: timer t 3600000; close t; alive; run; alive)",
     "alive, t closed, not alive"},
    {"L02", "a loop that is not alive runs nothing", R"(
        main: prepare p; unref p; run)",
     ""},
    {"L03", "a reference counts once, given or taken twice", R"(
        main: timer t 3600000; unref t; unref t; ref t; alive; ref t; unref t; alive)",
     "alive, not alive"},

    {"L04 L06 L14", "the phases of an iteration", R"(
        main: timer t 0; idle i; prepare p; check c; wake w; send w; defer d
        main: timer x 3600000; close x; run once)",
     "d, i, p, w, c, x closed, t"},
    {"L15", "default mode first runs timers that are due", R"(
        main: timer t 0; idle i; prepare p; check c; wake w; send w; defer d
        main: timer x 3600000; close x; run
        c: stop_loop)",
     "t, d, i, p, w, c, x closed"},
    {"L04", "what is deferred while pending runs behind the wait", R"(
        main: defer d; idle i; run no_wait; say next; run no_wait
        d: defer e)",
     "d, i, e, next, i"},
    {"L05", "an idle handle runs once in every iteration", R"(
        main: idle i; check c; run once; run once; stop i; run no_wait)",
     "i, c, i, c*2"},
    {"L06", "prepare is right before the wait, check after it", R"(
        main: wake w; prepare p; check c; run once
        p: send w)",
     "p, w, c"},

    {"L07", "the wait is 0 for a request marked do-not-wait", R"(
        main: request_no_wait r; times 2 run no_wait; timeout; finish r 0; run)",
     "timeout 0 ms, r 0"},
    {"L08", "the wait is 0 when the loop is stopping", R"(
        main: timer t 3600000; timeout; stop_loop; timeout)",
     "timeout 3600000 ms, timeout 0 ms"},
    {"L09", "the wait is 0 without active handles or requests", R"(
        main: timeout; timer t 3600000; unref t; timeout)",
     "timeout 0 ms*2"},
    {"L10", "the wait is 0 while an idle handle is active", R"(
        main: timer t 3600000; idle i; timeout; stop i; timeout)",
     "timeout 0 ms, timeout 3600000 ms"},
    {"L11", "the wait is 0 while a handle is being closed", R"(
        main: timer t 3600000; timer x 7000; close x; timeout)",
     "timeout 0 ms"},
    {"L12", "the wait is else the nearest timer's", R"(
        main: timer t 7000; timer u 3000; timer v 5000; timeout; stop u; timeout)",
     "timeout 3000 ms, timeout 5000 ms"},
    {"L12", "the wait is without limit where there is no timer", R"(
        main: request r; times 2 run no_wait; timeout)",
     "timeout none"},
    {"L13", "the wait lasts no longer than computed", R"(
        main: timer t 7; timer u 9; run once; now; run once; now)",
     "t, now 7 ms, u, now 9 ms", Time::simulated},

    {"L14", "a close callback is never inside the close call", R"(
        main: timer t 3600000; check c; close t; say after; run no_wait; run no_wait)",
     "after, c, t closed, c"},
    {"L14", "what is closed while closing waits an iteration", R"(
        main: timer t 3600000; timer u 3600000; check c; close t; run no_wait; run no_wait
        t closed: close u)",
     "c, t closed, c, u closed"},
    {"L15", "default mode runs until nothing is alive", R"(
        main: timer t 1 1; run; say returned
        t: at 3 stop t)",
     "t*3, returned"},
    {"L15", "once makes progress: a timer has run", R"(
        main: timer t 2; run once; say returned)",
     "t, returned"},
    {"L15", "no-wait does not wait", R"(
        main: timer t 3600000; check c; run no_wait; say returned)",
     "c, returned"},
    {"L22", "a stop ends the run after its iteration", R"(
        main: idle i; check c; run; say returned
        i: stop_loop)",
     "i, c, returned"},
    {"L22", "a stop before the run lets nothing run", R"(
        main: timer t 1; stop_loop; run; say returned)",
     "returned"},
    {"L17 L22", "a wake from another thread ends the wait", R"(
        main: wake w; send_from_thread w; run
        w: close w)",
     "w, w closed"},
    {"L25", "an operation's callback gets its status", R"(
        main: request r; run no_wait; finish r 7; run once)",
     "r 7"},
    {"L25", "a request that is cancelled calls back once", R"(
        main: request r; run no_wait; cancel r; say after; run; run no_wait)",
     "after, r cancelled"},
};

}  // namespace

const Table& loop_phases() {
    static constexpr Table table{"loop", "the phases of a loop", loop_scenarios};
    return table;
}

}  // namespace gyre::conform
