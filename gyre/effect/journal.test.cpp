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

// Keeps its entries like a disk: `keep` says so for the oldest one.
class SlowJournal final : public Journal {
public:
    explicit SlowJournal(std::vector<JournalEntry> entries = {}) : kept(std::move(entries)) {}

    [[nodiscard]] const JournalEntry* next() override {
        return at_ < kept.size() ? &kept[at_] : nullptr;
    }
    void advance() override { ++at_; }
    void record(JournalEntry entry) override { kept.push_back(std::move(entry)); }
    [[nodiscard]] bool is_slow() const noexcept override { return true; }
    void record_later(JournalEntry entry, Reply reply) override {
        if (refuses) throw Failure("the disk is full");
        waiting.emplace_back(std::move(entry), std::move(reply));
    }
    void keep() {
        auto [entry, reply] = std::move(waiting.front());
        waiting.erase(waiting.begin());
        kept.push_back(std::move(entry));
        at_ = kept.size();
        static_cast<void>(reply.answer(resume("no answer of a handler")));
    }

    std::vector<JournalEntry> kept;
    std::vector<std::pair<JournalEntry, Reply>> waiting;
    bool refuses = false;

private:
    std::size_t at_ = 0;
};

struct SlowRun : EffectWorld {
    SlowRun() : guest(async_ops()) {
        guest.add("main", {perform(0, {1}), perform(0, {2}), give_last()});
        handlers.on(Async::await, [this](int n) {
            ++calls;
            return n * 10;
        });
    }
    RunHandle<Value> start() {
        auto handle = scheduler.start(guest, handlers, "main", {}, {.journal = &journal});
        static_cast<void>(loop.run());
        return handle;
    }
    ScriptedGuest guest;
    SlowJournal journal;
    int calls = 0;
};

TEST(Journal, a_run_goes_on_when_a_slow_journal_has_its_answer) {
    SlowRun world;
    const auto run = world.start();
    EXPECT_EQ(world.calls, 1);
    ASSERT_EQ(world.journal.waiting.size(), 1u);
    EXPECT_EQ(run.state(), RunState::waiting);
    world.journal.keep();
    static_cast<void>(world.loop.run());
    EXPECT_EQ(world.calls, 2);
    EXPECT_FALSE(run.is_terminal());
    world.journal.keep();
    static_cast<void>(world.loop.run());
    ASSERT_TRUE(run.is_terminal());
    EXPECT_EQ(run.outcome().value(), Value(20));
    ASSERT_EQ(world.journal.kept.size(), 2u);
    EXPECT_EQ(world.journal.kept[0].value, Value(10));
}

TEST(Journal, a_failure_waits_for_a_slow_journal_too) {
    SlowRun world;
    world.handlers.on(Async::other, [](int) -> Answer { throw Failure("refused"); });
    world.guest.add("main", {perform(1, {1}), give_last()});
    const auto run = world.start();
    EXPECT_FALSE(run.is_terminal());
    world.journal.keep();
    static_cast<void>(world.loop.run());
    ASSERT_EQ(run.outcome().kind(), RunEndKind::failed);
    EXPECT_EQ(run.outcome().error().message, "refused");
    EXPECT_TRUE(world.journal.kept[0].is_failure);
}

TEST(Journal, an_answer_that_cannot_be_recorded_fails_the_run) {
    for (const bool is_refused_at_once : {true, false}) {
        SlowRun world;
        world.journal.refuses = is_refused_at_once;
        const auto run = world.start();
        if (!is_refused_at_once) {
            auto [entry, reply] = std::move(world.journal.waiting.front());
            world.journal.waiting.clear();
            static_cast<void>(reply.fail(std::make_exception_ptr(Failure("the disk is full"))));
            static_cast<void>(world.loop.run());
        }
        ASSERT_TRUE(run.is_terminal());
        ASSERT_EQ(run.outcome().kind(), RunEndKind::failed);
        EXPECT_EQ(run.outcome().error().kind, ErrorKind::handler_failed);
        EXPECT_EQ(run.outcome().error().message, "the disk is full");
        EXPECT_EQ(world.calls, 1);
    }
}

TEST(Journal, a_run_that_is_cancelled_while_its_answer_is_recorded_takes_none) {
    SlowRun world;
    auto run = world.start();
    run.cancel("enough");
    world.journal.keep();
    static_cast<void>(world.loop.run());
    EXPECT_EQ(run.outcome().kind(), RunEndKind::cancelled);
    EXPECT_EQ(world.scheduler.counts().late_completions, 1u);
    EXPECT_EQ(world.guest.held_count(), 0u);
}

// The outcome of `main` and its calls, with what the journal has.
struct Replayed {
    explicit Replayed(MemoryJournal& journal, const std::vector<script::Action>& main,
                      const std::vector<script::Action>& child,
                      const std::vector<script::Action>& grandchild) {
        EffectWorld world;
        answer_async(world, calls);
        ScriptedGuest guest(async_ops());
        guest.add("main", main);
        guest.add("child", child);
        guest.add("grandchild", grandchild);
        outcome.emplace(world.run(guest, "main", {}, {.journal = &journal}));
        EXPECT_EQ(guest.held_count(), 0u);
    }
    int calls = 0;
    std::optional<RunOutcome<Value>> outcome;
};

TEST(Journal, an_answer_may_come_before_the_task_that_asks_for_it) {
    const std::vector<script::Action> main = {script::spawn("child"), perform(0, {50}),
                                              give_last()};
    const std::vector<script::Action> child = {script::spawn("grandchild"), give_last()};
    const std::vector<script::Action> grandchild = {perform(0, {1}), give_last()};
    MemoryJournal journal;
    EXPECT_EQ(Replayed(journal, main, child, grandchild).calls, 2);
    ASSERT_EQ(journal.entries().front().task, 3u);
    journal.rewind();
    const Replayed again(journal, main, child, grandchild);
    EXPECT_EQ(again.calls, 0);
    ASSERT_TRUE(again.outcome->has_value());
    EXPECT_EQ(again.outcome->value(), Value(500));
}

TEST(Journal, an_answer_that_came_after_the_cancel_of_its_task_is_passed_over) {
    // As a slow journal leaves it: the answer was recorded, then its task was cancelled.
    const std::vector<script::Action> main = {script::spawn("child"), perform(0, {1}),
                                              script::cancel(0), perform(0, {2}), give_last()};
    const std::vector<script::Action> child = {script::yield(), script::yield(), script::yield(),
                                               perform(0, {5}), give_last()};
    MemoryJournal journal;
    EXPECT_EQ(Replayed(journal, main, child, {}).calls, 3);
    std::vector<JournalEntry> entries = journal.entries();
    ASSERT_EQ(entries.size(), 2u);
    JournalEntry late = entries.front();
    late.task = 2;
    late.arguments = Arguments{5};
    late.value = 50;
    entries.insert(entries.begin() + 1, late);
    MemoryJournal with_late(entries);
    const Replayed again(with_late, main, child, {});
    EXPECT_EQ(again.calls, 0);
    ASSERT_TRUE(again.outcome->has_value());
    EXPECT_EQ(again.outcome->value(), Value(20));
}

TEST(Journal, a_replay_that_waits_for_a_request_that_nobody_makes_is_an_error) {
    const std::vector<script::Action> main = {script::spawn("child"), script::wait(0), give_last()};
    const std::vector<script::Action> child = {perform(0, {1}), give_last()};
    MemoryJournal journal;
    EXPECT_EQ(Replayed(journal, main, child, {}).calls, 1);
    std::vector<JournalEntry> entries = journal.entries();
    entries.front().task = 3;
    MemoryJournal foreign(entries);
    const Replayed again(foreign, main, child, {});
    EXPECT_EQ(again.calls, 0);
    ASSERT_EQ(again.outcome->kind(), RunEndKind::failed);
    EXPECT_EQ(again.outcome->error().kind, ErrorKind::journal_mismatch);
}

}  // namespace
}  // namespace gyre::effect
