// SPDX-License-Identifier: Apache-2.0
// Journal: the one point that every answer of a run passes before it is applied. A journal that
// holds a recorded run gives its answers again, in the order in which they were applied, and no
// handler is called; when it has no more, handlers go on, and their answers are recorded. One
// journal belongs to one run at a time, on its loop's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gyre/effect/answer.hpp"
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
    std::string failure;  // its message

    friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};

class Journal {
public:
    virtual ~Journal() = default;
    // The next answer to give; null: there is none any more.
    [[nodiscard]] virtual const JournalEntry* next() = 0;
    // It is given.
    virtual void advance() = 0;
    // A handler has answered. What it throws fails the run as handler_failed.
    virtual void record(JournalEntry entry) = 0;
};

// Keeps its entries in memory: record a run, rewind, and give the journal to another one.
class MemoryJournal final : public Journal {
public:
    MemoryJournal() = default;
    explicit MemoryJournal(std::vector<JournalEntry> entries) : entries_(std::move(entries)) {}

    [[nodiscard]] const JournalEntry* next() override {
        return at_ < entries_.size() ? &entries_[at_] : nullptr;
    }
    void advance() override { ++at_; }
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
