// SPDX-License-Identifier: Apache-2.0
// A run that replays a journal made from the input: it ends as the journal says, or with
// journal_mismatch; its own recording replays to the same outcome.
#include <cstddef>
#include <cstdint>
#include <span>

#include "gyre/base/assert.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/effect/scripted_guest.hpp"
#include "gyre/sim/platform.hpp"

using namespace gyre;
using namespace gyre::effect;

namespace {

std::vector<JournalEntry> entries_of(std::span<const std::uint8_t> input) {
    std::vector<JournalEntry> entries;
    for (; input.size() >= 4; input = input.subspan(4)) {
        JournalEntry entry;
        entry.task = input[0] % 4;
        entry.effect = "e";
        entry.op = input[1] % 8 == 7 ? "x" : (input[1] % 2 == 0 ? "o" : "t");
        entry.signature = 1;
        entry.arguments = {input[2] % 4};
        entry.kind = static_cast<AnswerKind>(input[3] % 3);
        entry.value = input[3];
        entry.is_failure = input[3] % 16 == 15;
        entry.failure = "recorded";
        entry.failure_kind = static_cast<ErrorKind>(input[2] % 15);
        entries.push_back(std::move(entry));
    }
    return entries;
}

struct End {
    RunEndKind kind;
    std::string text;
    friend bool operator==(const End&, const End&) = default;
};

End run_with(Journal& journal, int& calls) {
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Executor executor;
    Scheduler scheduler(executor);
    Loop loop(platform, executor);
    Handlers handlers;
    for (const char* op : {"o", "t"}) {
        handlers.on("e", op, 1, [&calls, op](Context&, const Arguments& arguments) {
            ++calls;
            return op[0] == 'o' ? resume(arguments[0]) : tail(arguments[0]);
        });
    }
    ScriptedGuest guest(
        {OpInfo("e", "o", ResumeKind::resume, 1), OpInfo("e", "t", ResumeKind::tail, 1)});
    guest.add("main", {script::spawn("child"), script::perform(0, {0}), script::perform(1, {1}),
                       script::perform(0, {2}), script::wait(0), script::give_last()});
    guest.add("child", {script::perform(0, {3}), script::perform(1, {0})});
    auto run = scheduler.start(guest, handlers, "main", {}, {.journal = &journal});
    static_cast<void>(loop.run());
    // A task whose answer never comes is not in the journal of such a run.
    scheduler.cancel_all("stuck");
    GYRE_ASSERT(guest.held_count() == 0, "a continuation is left");
    const RunOutcome<Value> outcome = run.outcome();
    loop.close();
    return {outcome.kind(), outcome.has_value() ? outcome.value().to_text()
                            : outcome.kind() == RunEndKind::failed
                                ? name_of(outcome.error().kind) + outcome.error().message
                                : ""};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 256) return 0;
    int calls = 0;
    MemoryJournal journal(entries_of({data, size}));
    const End first = run_with(journal, calls);
    const bool is_whole = first.kind == RunEndKind::value;
    if (!is_whole) return 0;
    calls = 0;
    journal.rewind();
    const End again = run_with(journal, calls);
    GYRE_ASSERT(again == first, "a recorded run replays to something else");
    GYRE_ASSERT(calls == 0, "a handler was asked in a replay");
    return 0;
}
