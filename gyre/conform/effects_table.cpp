// SPDX-License-Identifier: Apache-2.0
// Effect runs, as data: the ten scenarios and the trace of the Voyd specification, then its other
// rules.
#include "gyre/conform/effects.hpp"

namespace gyre::conform {
namespace {

constexpr Scenario effect_scenarios[] = {
    {"V30 V14 V15", "Resume step", R"(
        main: watch guest outcome; handle await; asks r await 1; gives r 40; start r; settle
        h1:start: resume 2)",
     "h1:start, r resumes 2, r value 40"},
    {"V30", "Tail step", R"(
        main: watch guest outcome; handle now; asks r now 1; gives r 40; start r; settle
        h1:start: tail 2)",
     "h1:start, r resumes 2, r value 40"},
    {"V30 V17", "Resume kind violation", R"(
        main: watch guest outcome; handle await; asks r await 1; gives r 40; start r; settle
        h1:start: tail 2)",
     "h1:start, r failed: protocol error"},
    {"V30 V17", "Tail kind violation", R"(
        main: watch guest outcome; handle now; asks r now 1; gives r 40; start r; settle
        h1:start: resume 2)",
     "h1:start, r failed: protocol error"},
    {"V30 V17", "Tail kind violation: end", R"(
        main: watch guest outcome; handle now; asks r now 1; gives r 40; start r; settle
        h1:start: end 2)",
     "h1:start, r failed: protocol error"},
    {"V30 V09", "Early host completion", R"(
        main: watch guest outcome; handle await; asks r await 1; gives r 40; start r; settle; held r
        h1:start: end 7)",
     "h1:start, r value 7, r is not held"},
    {"V30 V10 V29", "Missing capability", R"(
        main: watch guest outcome; handle other; handle now; asks r await 1; gives r 40; start r
        main: settle; held r)",
     "r failed: unhandled effect, r is not held"},
    {"V30 V23", "Async handler rejection", R"(
        main: watch guest outcome; handle_async await; asks r await 1; gives r 40; start r; settle
        main: finish 1; settle; held r
        h1:end: throw boom)",
     "h1:start, h1:end, r failed: boom, r is not held"},
    {"V30 V24", "Protocol mismatch", R"(
        main: watch guest outcome; handle await; lies r status; gives r 40; start r; settle)",
     "r failed: protocol error"},
    {"V30 V24", "Protocol mismatch: op", R"(
        main: watch guest outcome; handle await; lies r op; gives r 40; start r; settle)",
     "r failed: protocol error"},
    {"V30 V24", "Protocol mismatch: payload", R"(
        main: watch guest outcome; handle await; lies r payload; gives r 40; start r; settle)",
     "r failed: protocol error"},
    {"V30 V19", "Explicit cancellation", R"(
        main: watch guest outcome; handle_async await; asks r await 1; gives r 40; start r; settle
        main: cancel r; settle; finish 1; settle; held r
        h1:end: resume 2)",
     "h1:start, r cancelled, h1:end, r is not held"},
    {"V30 V08 V18", "Fairness pressure", R"(
        main: quiet; watch outcome; handle await; times 3000 asks long await 1; gives long 1
        main: asks short await 2; gives short 2; start long; start short; settle)",
     "short value 2, long value 1"},

    {"V31 V15", "Executable trace example", R"(
        main: handle_async await; asks r await 1; asks r await 3; gives r 40; start r; settle
        main: finish 1; settle
        h1:end: resume 2
        h2:start: resume 4)",
     "h1:start, h1:end, h2:start"},

    {"V02 V03", "the first outcome of a run is its only one", R"(
        main: watch outcome; handle await; asks r await 1; gives_last r; start r; settle; cancel r
        main: settle
        h1:start: resume 2)",
     "h1:start, r value 2"},
    {"V08 V18", "at the budget the host's other work goes first", R"(
        main: quiet; watch outcome; handle await; times 3000 asks r await 1; gives r 1
        main: start r; settle
        h1:start: post x)",
     "x, r value 1"},
    {"V08", "the budget can be set", R"(
        main: quiet; watch outcome; budget 10; handle await; times 30 asks r await 1; gives r 1
        main: start r; settle
        h1:start: post x)",
     "x, r value 1"},
    {"V11 V20", "a run can be cancelled from another thread, twice", R"(
        main: watch outcome; handle_async await; asks r await 1; gives r 1; start r; settle
        main: times 2 cancel_from_thread r; settle)",
     "h1:start, r cancelled"},
    {"V12", "the start of a run is queued", R"(
        main: handle await; asks r await 1; gives r 1; start r; say started; settle)",
     "started, h1:start"},
    {"V14 V15", "requests are served one after the other", R"(
        main: watch guest; handle_async await; handle now; asks r await 1; asks r now 2
        main: asks r await 3; gives r 1; start r; settle; finish 1; settle; finish 3; settle
        h1:end: resume 1
        h2:start: tail 2
        h3:end: resume 3)",
     "h1:start, h1:end, r resumes 1, h2:start, r resumes 2, h3:start, h3:end, r resumes 3"},
    {"V16", "a second answer changes nothing", R"(
        main: watch guest outcome; handle_async await; asks r await 1; gives r 1; start r; settle
        main: finish 1; settle
        h1:end: resume 2; resume 3)",
     "h1:start, h1:end, r resumes 2, r value 1"},
    {"V20", "cancelling touches no other run", R"(
        main: watch outcome; handle_async await; asks r await 1; asks s await 2; gives_last s
        main: start r; start s; settle; cancel r; finish 2; settle
        h2:end: resume 2)",
     "h1:start, h2:start, r cancelled, h2:end, s value 2"},
    {"V21", "clean-up runs once, however a run ends", R"(
        main: watch outcome; handle_async await
        main: asks a await 1; gives a 1; asks b await 2; gives b 2; asks c await 3; gives c 3
        main: start a; start b; start c; settle; finish 1; finish 2; settle; cancel c; settle
        h1:start: clean_up
        h2:start: clean_up
        h3:start: clean_up
        h1:end: resume 1
        h2:end: throw boom)",
     "h1:start, h2:start, h3:start, h1:end, h2:end, a value 1, a cleaned, b failed: boom, "
     "b cleaned, c cancelled, c cleaned"},
    {"V23 V25", "a handler that throws fails the run", R"(
        main: watch guest outcome; handle await; asks r await 1; asks r await 2; start r; settle
        h1:start: throw boom)",
     "h1:start, r failed: boom"},
    {"V28", "timers of one instant fire as registered", R"(
        main: watch guest; handle await; asks r await 1; asks s await 2; asks t await 3
        main: start r; start s; start t; settle
        h1:start: resume_after 1 100
        h2:start: resume_after 2 100
        h3:start: resume_after 3 3)",
     "h1:start, h2:start, h3:start, t resumes 3, r resumes 1, s resumes 2"},
    {"V33", "completions apply in the order they arrived", R"(
        main: watch guest; handle_async await; asks r await 1; asks s await 2
        main: start r; start s; settle; finish 2; finish 1; settle
        h1:end: resume 1
        h2:end: resume 2)",
     "h1:start, h2:start, h2:end, h1:end, s resumes 2, r resumes 1"},
};

}  // namespace

const Table& effect_runs() {
    static constexpr Table table{"effects", "runs of effectful functions", effect_scenarios};
    return table;
}

}  // namespace gyre::conform
