// SPDX-License-Identifier: Apache-2.0
// The journal of a run: replays recorded answers in the order in which they were applied, and
// records new ones.
#include <algorithm>
#include <utility>

#include "gyre/effect/scheduler.hpp"

namespace gyre::effect {

namespace {

using Asked = Run::Recording::Asked;

auto find_asked(std::vector<Asked>& asked, std::uint32_t task) noexcept {
    return std::ranges::find_if(asked, [task](const Asked& one) { return one.task->id == task; });
}

bool has_live_task(const Run& run, std::uint32_t id) noexcept {
    if (id == run.root.id) return run.root.is_live();
    if (run.family() == nullptr) return false;
    return std::ranges::any_of(run.family()->tasks, [id](const auto& entry) {
        return entry.second->id == id && entry.second->is_live();
    });
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

// Applies the next recorded answers, up to the first one whose task has not made its request.
void Scheduler::go_on_replaying(Run& run) {
    while (!run.is_closed && !run.recording()->replayed.empty()) {
        Journal& journal = *run.recording()->journal;
        std::vector<Asked>& asked = run.recording()->replayed;
        const JournalEntry* entry = journal.next();
        const auto found = entry == nullptr ? asked.begin() : find_asked(asked, entry->task);
        if (found == asked.end()) {
            if (has_live_task(run, entry->task)) return;
            throw ProtocolError(ErrorKind::journal_mismatch, "the journal has an answer for task " +
                                                                 std::to_string(entry->task) +
                                                                 ", which the run does not have");
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

void Scheduler::record(RunTask& task) {
    Run::Recording& recording = *task.run.recording();
    const auto found = find_asked(recording.live, task.id);
    if (found == recording.live.end()) return;  // The journal gave this answer.
    JournalEntry entry{.task = task.id,
                       .effect = std::string(task.op->effect),
                       .op = std::string(task.op->op),
                       .signature = task.op->signature,
                       .arguments = std::move(found->arguments),
                       .kind = task.answer_kind,
                       .value = task.answer,
                       .is_failure = task.has_failed,
                       .failure_kind = ErrorKind::handler_failed,
                       .failure = {}};
    recording.live.erase(found);
    if (entry.is_failure) {
        RunError error = error_of(task.failure(), ErrorKind::handler_failed);
        entry.failure_kind = error.kind;
        entry.failure = std::move(error.message);
    }
    recording.journal->record(std::move(entry));
}

void Scheduler::forget(RunTask& task) noexcept {
    const auto is_its_own = [&task](const Asked& asked) { return asked.task == &task; };
    std::erase_if(task.run.recording()->live, is_its_own);
    std::erase_if(task.run.recording()->replayed, is_its_own);
}

}  // namespace gyre::effect
