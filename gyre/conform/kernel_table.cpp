// SPDX-License-Identifier: Apache-2.0
// The seven correctness properties of a kernel, as data, by number, and the order that they need.
#include "gyre/conform/kernel.hpp"

namespace gyre::conform {
namespace {

constexpr Scenario kernel_scenarios[] = {
    {"K05 K07", "1 no data races: an op is handed over, not shared", R"(
        main: machine server; submit app a server; say submitted; settle
        server gets a: complete server a 7; say answered)",
     "submitted, server gets a, answered, app has a 7"},
    {"K05 K19 K27", "1 no data races: a child writes to its parent only", R"(
        main: machine server; machine parent; machine child parent; submit child a server; settle
        server gets a: complete server a 7)",
     "parent passes a, server gets a, child has a 7"},

    {"K04 K07", "2 no allocation races: the owner gets its op back", R"(
        main: machine server; submit app a server; settle
        server gets a: complete server a 7
        app has a 7: at 1 submit app a server)",
     "server gets a, app has a 7, server gets a, app has a 7"},
    {"K04", "2 no allocation races: it is the server's till then", R"(
        main: machine server; submit app a server; settle; say held; complete server a 7; settle)",
     "server gets a, held, app has a 7"},

    {"K10", "3 no cancellation races: it waits to be confirmed", R"(
        main: machine server; submit app a server; settle; cancel app a; say asked; settle; say held
        main: complete server a cancelled; settle)",
     "server gets a, asked, server cancels a, held, app has a cancelled"},
    {"K10", "3 no cancellation races: the result may come first", R"(
        main: machine server; submit app a server; settle; cancel app a; settle
        server cancels a: complete server a 7)",
     "server gets a, server cancels a, app has a 7"},
    {"K10", "3 no cancellation races: one answer, asked twice", R"(
        main: machine server; submit app a server; settle; times 2 cancel app a; settle
        server cancels a: complete server a cancelled)",
     "server gets a, server cancels a, app has a cancelled"},
    {"K10", "3 no cancellation races: one answer, asked late", R"(
        main: machine server; submit app a server; settle; cancel app a; settle
        server gets a: complete server a 7; cancel app a)",
     "server gets a, app has a 7"},
    {"K10 K12", "3 no cancellation races: a timer comes back too", R"(
        main: timer app t 3600000; cancel app t; settle)",
     "app has t cancelled"},

    {"K02 K21", "4 no queue overflow: ten thousand at once", R"(
        main: echo server; flood app 10000 server; settle)",
     "app has 1..10000"},

    {"K06 K21", "5 no cross-thread corruption: all back, in order", R"(
        main: far_echo server; flood app 2000 server; settle)",
     "app has 1..2000"},

    {"K20", "6 no resource leaks: children close first", R"(
        main: machine parent; machine child parent; submit child a app; settle; close)",
     "parent passes a, app gets a, child closes, parent closes, app closes, child has a cancelled"},
    {"K20 K12", "6 no resource leaks: closing brings timers back", R"(
        main: timer app t 3600000; close)",
     "app closes, app has t cancelled"},

    {"K08 K09", "7 no lost completions: rings before a look are one", R"(
        main: machine server; stand app s server; settle; times 3 ring server s; settle
        main: ring server s; settle)",
     "server gets s, app hears s with 3, app hears s with 1"},
    {"K08 K09", "7 no lost completions: a ring while it is heard", R"(
        main: machine server; stand app s server; settle; times 2 ring server s; settle
        app hears s with 2: ring server s)",
     "server gets s, app hears s with 2, app hears s with 1"},
    {"K08 K09", "7 no lost completions: a ring before the end", R"(
        main: machine server; stand app s server; settle; ring server s; complete server s 7; settle)",
     "server gets s, app hears s with 1, app has s 7"},
    {"K08 K10", "7 no lost completions: cancelled, it ends once", R"(
        main: machine server; stand app s server; settle; ring server s; settle; cancel app s; settle
        server cancels s: complete server s cancelled)",
     "server gets s, app hears s with 1, server cancels s, app has s cancelled"},

    {"K12", "timers fire by deadline, then in start order", R"(
        main: timer app a 5; timer app b 3; timer app c 5; settle)",
     "app has b 0, app has a 0, app has c 0"},
    {"K21", "ops of one pair of machines keep their order", R"(
        main: machine server; submit app a server; submit app b server; submit app c server; settle
        server gets a: complete server a 1
        server gets b: complete server b 2
        server gets c: complete server c 3)",
     "server gets a, server gets b, server gets c, app has a 1, app has b 2, app has c 3"},
};

}  // namespace

const Table& kernel_properties() {
    static constexpr Table table{"kernel", "the properties of a kernel", kernel_scenarios};
    return table;
}

}  // namespace gyre::conform
