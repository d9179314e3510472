// SPDX-License-Identifier: Apache-2.0
// Journal: records and replays the answers of a run. A journal with recorded answers gives them
// again in the order in which they were applied, and no handler is called; after the last one the
// handlers answer, and their answers are recorded before the run goes on with them. MemoryJournal keeps
// them in memory.
//
//     MemoryJournal journal;
//     co_await scheduler.call<int>(guest, handlers, "main", {}, {.journal = &journal});
//     journal.rewind();
//     co_await scheduler.call<int>(guest, handlers, "main", {}, {.journal = &journal});
//
// Thread: the scheduler's.
// Lifetime: it outlives its run; one run at a time uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gyre/effect/context.hpp"
#include "gyre/effect/effect_op.hpp"
#include "gyre/effect/run_outcome.hpp"

namespace gyre::effect {

// One request and its answer.
struct JournalEntry {
    std::uint32_t task = 1;
    std::string effect;
    std::string op;
    std::uint32_t signature = any_signature;
    Arguments arguments;
    AnswerKind kind = AnswerKind::resume;
    Value value;
    bool is_failure = false;
    ErrorKind failure_kind = ErrorKind::handler_failed;
    std::string failure;  // the message of the failure

    friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};

class Journal {
public:
    virtual ~Journal() = default;
    // The next recorded answer; null after the last one.
    [[nodiscard]] virtual const JournalEntry* next() = 0;
    // The answer that `next` returned was applied.
    virtual void advance() = 0;
    // A handler has answered. An exception of this fails the run as handler_failed.
    virtual void record(JournalEntry entry) = 0;
    // Whether `record_later` is called in place of `record`, by a journal whose disk takes its time.
    [[nodiscard]] virtual bool is_slow() const noexcept { return false; }
    // The run goes on with the entry's answer when `kept` is answered, with whatever; in the order of
    // these calls, or a replay is another run. If `kept` fails, the run fails.
    virtual void record_later(JournalEntry entry, Reply kept) {
        record(std::move(entry));
        kept.answer(resume());
    }
};

// Keeps its entries in memory. After `rewind` the next run replays them.
class MemoryJournal final : public Journal {
public:
    MemoryJournal() = default;
    explicit MemoryJournal(std::vector<JournalEntry> entries) : entries_(std::move(entries)) {}

    [[nodiscard]] const JournalEntry* next() override {
        return at_ < entries_.size() ? &entries_[at_] : nullptr;
    }
    void advance() override {
        GYRE_ASSERT(at_ < entries_.size(), "advance only after next() has returned an entry");
        ++at_;
    }
    void record(JournalEntry entry) override {
        entries_.push_back(std::move(entry));
        at_ = entries_.size();
    }
    void rewind() noexcept { at_ = 0; }
    [[nodiscard]] const std::vector<JournalEntry>& entries() const noexcept { return entries_; }

private:
    std::vector<JournalEntry> entries_;
    std::size_t at_ = 0;
};

}  // namespace gyre::effect
