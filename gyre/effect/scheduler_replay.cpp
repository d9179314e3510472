// SPDX-License-Identifier: Apache-2.0
// The journal of a run: replays recorded answers in the order in which they were applied, and
// records new ones.
#include <algorithm>
#include <utility>

#include "gyre/effect/internal/completion.hpp"
#include "gyre/effect/scheduler.hpp"

namespace gyre::effect {

namespace {

using Asked = Run::Recording::Asked;

auto find_asked(std::vector<Asked>& asked, std::uint32_t task) noexcept {
    return std::ranges::find_if(asked, [task](const Asked& one) { return one.task->id == task; });
}

// Where the task is to which an entry belongs.
enum class Whereabouts : std::uint8_t { to_come, live, cancelled, ended };

Whereabouts whereabouts(const Run& run, std::uint32_t id) noexcept {
    if (id == run.root.id) return run.root.is_live() ? Whereabouts::live : Whereabouts::ended;
    const Run::Family* family = run.family();
    if (family == nullptr || id > family->last_id) return Whereabouts::to_come;
    const auto found = std::ranges::find_if(
        family->tasks, [id](const auto& entry) { return entry.second->id == id; });
    if (found == family->tasks.end()) return Whereabouts::ended;  // Its value was taken.
    const ChildTask& task = *found->second;
    if (task.is_live()) return Whereabouts::live;
    return task.end == RunTask::End::cancelled ? Whereabouts::cancelled : Whereabouts::ended;
}

JournalEntry entry_of(RunTask& task, const Arguments& arguments) {
    JournalEntry entry{.task = task.id,
                       .effect = std::string(task.op->effect),
                       .op = std::string(task.op->op),
                       .signature = task.op->signature,
                       .arguments = arguments,
                       .kind = task.answer_kind,
                       .value = task.answer,
                       .is_failure = task.has_failed,
                       .failure_kind = ErrorKind::handler_failed,
                       .failure = {}};
    if (entry.is_failure) {
        RunError error = error_of(task.failure(), ErrorKind::handler_failed);
        entry.failure_kind = error.kind;
        entry.failure = std::move(error.message);
    }
    return entry;
}

RunError no_such_task(const JournalEntry& entry) {
    return {.kind = ErrorKind::journal_mismatch,
            .message = "the journal has an answer for task " + std::to_string(entry.task) +
                       ", which the run does not have",
            .cause = nullptr};
}

}  // namespace

// True when the journal answers. Otherwise the handler does, and its answer is recorded.
bool Scheduler::replay(RunTask& task, Arguments& arguments) {
    GYRE_ASSERT(task.run.recording() != nullptr, "only a run with a journal is replayed");
    Run::Recording& recording = *task.run.recording();
    if (recording.journal->next() == nullptr) {
        recording.live.push_back({&task, arguments});
        return false;
    }
    task.wait_for(nullptr);
    recording.replayed.push_back({&task, std::move(arguments)});
    go_on_replaying(task.run);
    return true;
}

// Applies the next recorded answers, up to the first one whose task has not made its request. An answer
// for a task that is cancelled came too late the first time as well.
void Scheduler::go_on_replaying(Run& run) {
    while (!run.is_closed && !run.recording()->replayed.empty()) {
        Journal& journal = *run.recording()->journal;
        std::vector<Asked>& asked = run.recording()->replayed;
        const JournalEntry* entry = journal.next();
        const auto found = entry == nullptr ? asked.begin() : find_asked(asked, entry->task);
        if (found == asked.end()) {
            const Whereabouts task = whereabouts(run, entry->task);
            if (task == Whereabouts::live || task == Whereabouts::to_come) return;
            if (task == Whereabouts::ended) {
                const RunError error = no_such_task(*entry);
                throw ProtocolError(error.kind, error.message);
            }
            journal.advance();
            continue;
        }
        Asked one = std::move(*found);
        asked.erase(found);
        if (entry == nullptr) {
            run.recording()->live.push_back({one.task, one.arguments});
            find_and_ask(*one.task, one.arguments);
        } else {
            give(*one.task, *entry, one.arguments);
            journal.advance();
        }
    }
}

// After a step that left no task ready. In a replay no handler is at work: a run that still does not go
// on would wait for ever, for an answer to a request that it does not make.
void Scheduler::resume_replay(Run& run) noexcept {
    Journal& journal = *run.recording()->journal;
    if (run.is_closed || journal.next() == nullptr) return;
    try {
        go_on_replaying(run);
        if (run.is_closed || run.has_ready() || journal.next() == nullptr) return;
        fail(run.root, no_such_task(*journal.next()));
    } catch (...) {
        fail(run.root, error_of(std::current_exception(), ErrorKind::guest_failed));
    }
    if (!run.is_closed) cancel(run, "the journal does not fit the run");
}

void Scheduler::give(RunTask& task, const JournalEntry& entry, const Arguments& arguments) {
    const OpInfo& op = *task.op;
    const bool is_same_op =
        entry.effect == op.effect && entry.op == op.op && entry.signature == op.signature;
    if (!is_same_op || entry.arguments != arguments) {
        fail(task, {.kind = ErrorKind::journal_mismatch,
                    .message = "the journal has " + entry.effect + "::" + entry.op +
                               entry.arguments.to_text() + ", and the run asks for " + op.name() +
                               arguments.to_text(),
                    .cause = nullptr});
        return;
    }
    if (entry.is_failure) {
        const bool is_own = entry.failure_kind == ErrorKind::handler_failed;
        accept_failure(task, is_own ? std::make_exception_ptr(std::runtime_error(entry.failure))
                                    : std::make_exception_ptr(
                                          ProtocolError(entry.failure_kind, entry.failure)));
        return;
    }
    accept(task, Answer(entry.kind, entry.value));
}

// The answer that the task was given, before the run goes on with it. False: a slow journal records it
// and makes the task ready.
bool Scheduler::record(RunTask& task) noexcept {
    Run::Recording& recording = *task.run.recording();
    const auto found = find_asked(recording.live, task.id);
    if (found == recording.live.end()) return true;  // The journal gave this answer.
    PendingReply* pending = nullptr;
    try {
        JournalEntry entry = entry_of(task, found->arguments);
        if (!recording.journal->is_slow()) {
            recording.live.erase(found);
            recording.journal->record(std::move(entry));
            return true;
        }
        found->is_answered = true;
        pending = new PendingReply(task);
        task.wait_for(pending);
        recording.journal->record_later(std::move(entry), Reply(*this, *pending));
        return false;
    } catch (...) {
        if (task.is_live() && task.state == RunTask::State::waiting && pending != nullptr) {
            pending->withdraw();
        }
        forget(task);
        task.failure() = std::current_exception();
        task.has_failed = true;
        return true;
    }
}

// Whether this answer is that of a slow journal, which has recorded another one.
bool Scheduler::is_kept(RunTask& task) noexcept {
    std::vector<Asked>& live = task.run.recording()->live;
    const auto found = find_asked(live, task.id);
    if (found == live.end() || !found->is_answered) return false;
    live.erase(found);
    return true;
}

void Scheduler::forget(RunTask& task) noexcept {
    const auto is_its_own = [&task](const Asked& asked) { return asked.task == &task; };
    std::erase_if(task.run.recording()->live, is_its_own);
    std::erase_if(task.run.recording()->replayed, is_its_own);
}

}  // namespace gyre::effect
