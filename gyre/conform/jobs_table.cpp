// SPDX-License-Identifier: Apache-2.0
// The order of jobs, as data: Node's rules 1 to 16, then the steps of JS2IL's iteration.
#include "gyre/conform/jobs.hpp"

namespace gyre::conform {
namespace {

constexpr Scenario node_scenarios[] = {
    {"J06 J13", "1: ticks, then microtasks, until there are none", R"(
        main: tick k; micro m; micro n
        k: tick k2; micro o
        m: tick k3; micro p)",
     "k, k2, m, n, o, p, k3"},
    {"J06", "1: ticks that ticks add come before microtasks", R"(
        main: tick k; tick l; micro m
        k: micro n; tick k2)",
     "k, l, k2, m, n"},
    {"J07 J13", "1: a checkpoint follows each callback", R"(
        main: timeout t 1; timeout u 1; immediate i; immediate j; callback c; block 5
        t: micro tm; tick tk
        c: micro cm
        i: micro im)",
     "t, tk, tm, u, c, cm, i, im, j"},
    {"J09", "1: a checkpoint has no bound", R"(
        main: timeout t 1; tick k; micro m; block 3
        k: until 3000 tick k
        m: until 3000 micro m)",
     "k*3000, m*3000, t"},
    {"J06", "2: in a module microtasks come before ticks", R"(
        main: micro body
        body: tick k; micro m)",
     "body, m, k"},
    {"J13", "3: a timer that is due comes before an immediate", R"(
        main: immediate i; timeout t 1; block 5)",
     "t, i"},
    {"J13", "3: a timer that is not due comes after it", R"(
        main: timeout t 0; immediate i)",
     "i, t", Time::simulated},
    {"J07 J13", "3: what was closed ends after the immediates", R"(
        main: callback c
        c: close x; close y; timeout t 0; immediate i; block 5
        y: micro m)",
     "c, i, y, m, x, t"},
    {"J13", "4: from a timer, an immediate precedes a new timer", R"(
        main: timeout t 1
        t: timeout u 0; immediate i; block 10)",
     "t, i, u"},
    {"J13", "4: from I/O, an immediate precedes a new timer", R"(
        main: callback c
        c: timeout u 0; immediate i; block 10)",
     "c, i, u"},
    {"J13", "5: one phase runs every timer that is due", R"(
        main: timeout a 1; timeout b 2; timeout c 3; block 10
        a: immediate i)",
     "a, b, c, i"},
    {"J13", "5: a timer made in a phase waits for the next", R"(
        main: timeout a 1; timeout b 2; block 10
        a: timeout c 1; immediate i; block 10)",
     "a, b, i, c"},
    {"J13", "6: a due list runs whole before the next list", R"(
        main: timeout a 5; block 2; timeout b 4; block 2; timeout c 5; block 10)",
     "a, c, b"},
    {"J13", "6: lists of one expiry run by age", R"(
        main: timeout a 3; block 1; timeout b 2; block 10)",
     "a, b", Time::simulated},
    {"J13", "6: timers of one duration run as inserted", R"(
        main: timeout a 1; timeout b 1; timeout c 1)",
     "a, b, c"},
    {"J13", "6: timers of one instant, set in different turns", R"(
        main: timeout a 5; timeout s 2
        s: timeout b 3)",
     "s, a, b", Time::simulated},
    {"J02 J13", "6: a refreshed timer goes behind its list", R"(
        main: timeout a 5; timeout b 5; block 2; refresh a)",
     "b, a"},
    {"J02 J13", "6: a timer refreshed by its callback runs again", R"(
        main: timeout a 1
        a: at 1 refresh a)",
     "a*2"},
    {"J02 J13", "7: delays are whole milliseconds from 1 to 2^31-1", R"(
        main: timeout a 0; timeout b -5; timeout c 1.9; timeout d 2147483648; timeout e nan
        main: timeout f 2.5; timeout g 2147483647
        a: now
        b: now
        c: now
        d: now
        e: now
        f: now
        g: now)",
     "a, at 1 ms, b, at 1 ms, c, at 1 ms, d, at 1 ms, e, at 1 ms, f, at 2 ms, g, at 2147483647 ms",
     Time::simulated},
    {"J03", "8: an interval counts from the start of its run", R"(
        main: interval i 10
        i: now; block 7; at 3 clear_interval i)",
     "i, at 10 ms, i, at 20 ms, i, at 30 ms", Time::simulated},
    {"J03", "8: an interval that is late does not catch up", R"(
        main: interval i 10
        i: now; at 1 block 25; at 3 clear_interval i)",
     "i, at 10 ms, i, at 35 ms, i, at 45 ms", Time::simulated},
    {"J03", "8: an interval is cleared inside its callback", R"(
        main: interval i 1
        i: at 2 clear_interval i; at 2 throw i)",
     "i*2, error i"},
    {"J03", "8: an interval goes behind what its callback set", R"(
        main: interval i 10
        i: at 1 timeout t 10; at 2 clear_interval i)",
     "i, t, i"},
    {"J03", "8: an interval of 0 repeats", R"(
        main: interval i 0
        i: at 3 clear_interval i)",
     "i*3"},
    {"J04", "9: an immediate of an immediate waits a round", R"(
        main: immediate a; immediate b
        a: immediate c; timeout t 0; block 5)",
     "a, b, t, c"},
    {"J02 J04", "9: immediates of the same batch can be cleared", R"(
        main: immediate a; immediate b; immediate c; immediate d
        a: clear_immediate b; micro m
        m: clear_immediate c)",
     "a, m, d"},
    {"J04 J13", "9: immediates have no bound", R"(
        main: times 3000 immediate i
        i: at 1 timeout t 0; at 1 block 3)",
     "i*3000, t"},
    {"J02 J03", "10: either name clears, twice does no harm", R"(
        main: timeout a 1; clear_interval a; interval b 1; clear_timeout b
        main: timeout c 1; clear_timeout c; clear_timeout c; clear_timeout none
        main: timeout d 1; clear_immediate d)",
     "d"},
    {"J02", "10: due timers of other lists can be cleared", R"(
        main: timeout a 1; timeout b 2; timeout c 3; block 5
        a: clear_timeout b; micro m
        m: clear_timeout c)",
     "a, m"},
    {"J05 J06", "11: promise jobs and microtasks are one queue", R"(
        main: then p 1; micro m; tick k
        p: tick k2; micro n)",
     "k, p, m, n, k2"},
    {"J05", "11: adopting a promise costs two jobs more", R"(
        main: adopt a; then b 1; then c 2; then d 3; then e 4)",
     "b, c, a, d, e"},
    {"J05", "11: adopting a thenable costs one job more", R"(
        main: thenable a; then b 1; then c 2; then d 3)",
     "b, a, c, d"},
    {"J16", "12: a rejection is reported after its checkpoint", R"(
        main: timeout t 1; timeout u 1; block 5
        t: reject p; reject q; micro m; tick k
        m: handle q)",
     "t, k, m, unhandled p, u"},
    {"J16", "12: a rejection waits for ticks of microtasks", R"(
        main: reject p; micro m
        m: tick k
        k: micro n)",
     "m, k, n, unhandled p"},
    {"J16", "12: a rejection that is handled later is withdrawn", R"(
        main: timeout t 1; timeout u 5
        t: reject p
        u: handle p)",
     "t, unhandled p, u, handled p"},
    {"J16", "12: rejections are reported as they came", R"(
        main: reject p; reject q; immediate i
        unhandled p: reject r; tick k)",
     "unhandled p, unhandled q, k, unhandled r, i"},
    {"J16", "12: a handler from a tick is in time", R"(
        main: reject p; micro m; immediate i
        m: tick k
        k: handle p)",
     "m, k, i"},
    {"J07 J15", "13: a timer that throws lets the next one go first", R"(
        main: timeout t 1; timeout u 1; timeout v 1; block 5
        t: tick k; throw t)",
     "t, error t, u, k, v"},
    {"J07 J15", "13: so does an immediate", R"(
        main: immediate i; immediate j
        i: micro m; throw i)",
     "i, error i, j, m"},
    {"J07 J15", "13: so does a callback of I/O", R"(
        main: callback c; callback d; immediate i
        c: tick k; throw c)",
     "c, error c, d, k, i"},
    {"J15", "13: a job that throws loses no other job", R"(
        main: tick a; tick b; micro c; micro d
        a: throw a
        c: throw c)",
     "a, error a, b, c, error c, d"},
    {"J13", "14: without a reference it runs, but keeps nothing", R"(
        main: timeout t 1; unref t; timeout u 5
        u: timeout w 1; unref w)",
     "t, u"},
    {"J13", "14: an immediate without a reference never runs", R"(
        main: immediate i; unref i)",
     ""},
    {"J13", "14: a reference that is given back counts", R"(
        main: timeout t 5; unref t; ref t)",
     "t"},
    {"J03 J13", "14: an interval may drop its own reference", R"(
        main: interval i 1
        i: at 2 unref i; at 9 clear_interval i)",
     "i*2"},
    {"J13", "15: before the exit microtasks start nothing", R"(
        main: micro a
        dry: micro m; timeout t 60000; unref t
        exit: say end)",
     "a, dry, m, exit, end"},
    {"J13", "15: before the exit more may start, in it no more", R"(
        main: immediate i
        dry: at 1 timeout t 1
        exit: micro m; tick k; immediate j; timeout u 1)",
     "i, dry, t, dry, exit, m"},
    {"J12", "16: the wait lasts until the next timer", R"(
        main: timeout t 60000; immediate i
        i: now
        t: now)",
     "i, at 0 ms, t, at 60000 ms", Time::simulated},
    {"J10", "a job runs in the context that it was queued in", R"(
        main: context 1; micro m; timeout t 1; context 2; micro n
        m: show
        n: show
        t: show)",
     "m, context 1, n, context 2, t, context 1"},
    {"J01 J11", "another thread's callback gets in", R"(
        main: post c; timeout t 60000
        c: micro m; clear_timeout t)",
     "c, m"},
    {"J18", "a job runs to its end before the next one starts", R"(
        main: micro a; tick k; say end-of-main
        k: tick l; say end-of-k
        a: micro b; say end-of-a)",
     "end-of-main, k, end-of-k, l, a, end-of-a, b"},
};

constexpr Scenario js2il_scenarios[] = {
    {"J13", "immediates, one timer, then microtasks", R"(
        main: timeout t 0; timeout u 0; immediate i; micro m
        i: immediate j)",
     "i, m, t, j, u"},
    {"J13", "no checkpoint stands after the main script", R"(
        main: micro m; timeout t 0)",
     "t, m"},
    {"J07", "a checkpoint follows each immediate", R"(
        main: immediate i; immediate j
        i: micro m)",
     "i, m, j"},
    {"J08 J09", "a checkpoint runs 1024 microtasks, then others", R"(
        main: micro m; timeout t 0; timeout u 0
        m: until 1500 micro m)",
     "t, m*1024, u, m*476"},
    {"J08 J13", "an iteration runs 1024 immediates, then a timer", R"(
        main: times 1500 immediate i; timeout t 0)",
     "i*1024, t, i*476"},
    {"J13", "an iteration runs one callback or one timer", R"(
        main: callback c; callback d; timeout t 0
        c: immediate i)",
     "c, i, d, t"},
    {"J06", "a tick is a microtask", R"(
        main: micro m; tick k)",
     "m, k"},
    {"J13", "timers run by due time, then in start order", R"(
        main: timeout a 2.5; timeout b 2.4; timeout c 2.5; timeout d -3; block 5)",
     "d, b, a, c", Time::simulated},
    {"J03", "an interval repeats, also after an error", R"(
        main: interval i 1
        i: at 1 throw i; at 3 clear_interval i)",
     "i, error i, i*2"},
    {"J03", "an interval of 0 fires once", R"(
        main: interval i 0
        i: at 2 clear_interval i)",
     "i"},
    {"J02 J03", "clear_interval leaves a timeout alone", R"(
        main: timeout t 1; clear_interval t; interval i 1; clear_timeout i)",
     "t"},
    {"J12", "the wait is at most 50 ms", R"(
        main: timeout t 10; timeout u 10000
        t: wait)",
     "t, wait 50 ms, u", Time::simulated},
    {"J01 J11", "another thread's callback gets in", R"(
        main: post c; timeout t 60000
        c: micro m; clear_timeout t)",
     "c, m"},
};

}  // namespace

const Table& jobs_as_node() {
    static constexpr Table table{"jobs", "jobs, Node's order", node_scenarios};
    return table;
}

const Table& jobs_as_js2il() {
    static constexpr Table table{"jobs", "jobs, JS2IL's order", js2il_scenarios};
    return table;
}

}  // namespace gyre::conform
