// SPDX-License-Identifier: Apache-2.0
// Recording a run and replaying its answers.
#include "gyre/effect/journal.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "gyre/effect/effect_world.test.hpp"

namespace gyre::effect {
namespace {

using script::give_last;
using script::perform;

// The lines of the trace that do not name the run.
Lines without_ids(Lines lines) {
    for (std::string& line : lines) line = line.substr(line.find(':'));
    return lines;
}

struct Recorded {
    int calls = 0;
    Lines trace;
    std::optional<RunOutcome<Value>> outcome;
};

Recorded run_with(MemoryJournal& journal, const std::vector<script::Action>& main,
                  const std::function<void(EffectWorld&, int& calls)>& add_handlers) {
    Recorded recorded;
    EffectWorld world;
    add_handlers(world, recorded.calls);
    ScriptedGuest guest(async_ops());
    guest.add("main", main);
    guest.add("child", {perform(0, {5}), perform(0, {6}), give_last()});
    recorded.outcome.emplace(world.run(guest, "main", {}, {.journal = &journal}));
    recorded.trace = without_ids(world.observer.lines);
    EXPECT_EQ(guest.held_count(), 0u);
    return recorded;
}

void answer_async(EffectWorld& world, int& calls) {
    world.handlers.on(Async::await, [&calls](int n) -> Future<Answer> {
        ++calls;
        co_await sleep(std::chrono::milliseconds(n));
        co_return resume(n * 10);
    });
    world.handlers.on(Async::other, [&calls](int) -> Answer {
        ++calls;
        throw std::runtime_error("refused");
    });
}

TEST(Journal, a_replayed_run_leaves_the_same_trace_and_asks_no_handler) {
    for (const std::vector<script::Action>& main :
         {std::vector<script::Action>{perform(0, {1}), perform(0, {2}), give_last()},
          {perform(0, {1}), perform(1, {2}), give_last()},  // fails
          {script::spawn("child"), perform(0, {9}), script::wait(0), script::take(0),
           give_last()}}) {
        MemoryJournal journal;
        const Recorded live = run_with(journal, main, answer_async);
        EXPECT_GT(live.calls, 0);
        EXPECT_EQ(journal.entries().size(), static_cast<std::size_t>(live.calls));
        const std::vector<JournalEntry> entries = journal.entries();
        journal.rewind();
        const Recorded again = run_with(journal, main, answer_async);
        EXPECT_EQ(again.calls, 0);
        EXPECT_EQ(journal.entries(), entries);
        ASSERT_EQ(again.outcome->kind(), live.outcome->kind());
        if (live.outcome->has_value()) {
            EXPECT_EQ(again.outcome->value(), live.outcome->value());
        } else {
            EXPECT_EQ(again.outcome->error().kind, live.outcome->error().kind);
            EXPECT_EQ(again.outcome->error().message, live.outcome->error().message);
        }
        EXPECT_EQ(again.trace, live.trace);
    }
}

TEST(Journal, another_op_or_other_arguments_are_an_error_of_their_own) {
    const std::vector<script::Action> main = {perform(0, {1}), perform(0, {2}), give_last()};
    MemoryJournal journal;
    run_with(journal, main, answer_async);
    for (const std::vector<script::Action>& changed :
         {std::vector<script::Action>{perform(0, {1}), perform(0, {3}), give_last()},
          {perform(0, {1}), perform(1, {2}), give_last()}}) {
        MemoryJournal copy(journal.entries());
        const Recorded again = run_with(copy, changed, answer_async);
        EXPECT_EQ(again.calls, 0);
        ASSERT_EQ(again.outcome->kind(), RunEndKind::failed);
        EXPECT_EQ(again.outcome->error().kind, ErrorKind::journal_mismatch);
    }
    // An answer for a task that the run does not have.
    std::vector<JournalEntry> entries = journal.entries();
    entries.front().task = 9;
    MemoryJournal foreign(entries);
    const Recorded again = run_with(foreign, main, answer_async);
    ASSERT_EQ(again.outcome->kind(), RunEndKind::failed);
    EXPECT_EQ(again.outcome->error().kind, ErrorKind::journal_mismatch);
}

TEST(Journal, when_it_has_no_more_the_handlers_go_on) {
    const std::vector<script::Action> main = {perform(0, {1}), perform(0, {2}), perform(0, {3}),
                                              give_last()};
    MemoryJournal journal;
    const Recorded live = run_with(journal, main, answer_async);
    std::vector<JournalEntry> first = {journal.entries().front()};
    MemoryJournal shorter(first);
    const Recorded again = run_with(shorter, main, answer_async);
    EXPECT_EQ(again.calls, 2);
    EXPECT_EQ(again.outcome->value(), live.outcome->value());
    EXPECT_EQ(shorter.entries(), journal.entries());
}

TEST(Journal, a_wrong_answer_is_wrong_again) {
    const std::vector<script::Action> main = {perform(0, {1}), give_last()};
    const auto wrong = [](EffectWorld& world, int& calls) {
        world.handlers.on(Async::await, [&calls](int n) {
            ++calls;
            return tail(n);
        });
    };
    MemoryJournal journal;
    EXPECT_EQ(run_with(journal, main, wrong).outcome->error().kind, ErrorKind::invalid_answer);
    journal.rewind();
    const Recorded again = run_with(journal, main, wrong);
    EXPECT_EQ(again.calls, 0);
    EXPECT_EQ(again.outcome->error().kind, ErrorKind::invalid_answer);
}

TEST(Journal, the_request_of_a_task_that_was_cancelled_reaches_no_handler_in_a_replay) {
    // The child asks for a minute, and is cancelled before: its request has no entry. In the replay it
    // waits for its turn, which must not come when the entries are used up.
    const std::vector<script::Action> main = {script::spawn("sleeper"), perform(0, {1}),
                                              script::cancel(0), perform(0, {2}), give_last()};
    const auto run = [&main](MemoryJournal& journal, int& calls) {
        EffectWorld world;
        answer_async(world, calls);
        ScriptedGuest guest(async_ops());
        guest.add("main", main);
        guest.add("sleeper", {perform(0, {60'000}), give_last()});
        const RunOutcome<Value> outcome = world.run(guest, "main", {}, {.journal = &journal});
        EXPECT_EQ(guest.held_count(), 0u);
        return outcome.value();
    };
    MemoryJournal journal;
    int calls = 0;
    const Value live = run(journal, calls);
    EXPECT_EQ(calls, 3);
    ASSERT_EQ(journal.entries().size(), 2u);
    journal.rewind();
    calls = 0;
    EXPECT_EQ(run(journal, calls), live);
    EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace gyre::effect
