// SPDX-License-Identifier: Apache-2.0
// FileJournal: the answers of a run in a file, one JSON line each: those that are there are replayed, new ones are
// appended and flushed. The scheduler's thread; it outlives its run.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "gyre/effect/journal.hpp"

namespace gyre::cli {

class FileJournal final : public effect::Journal {
public:
    // Throws a UsageError if the file is no journal.
    explicit FileJournal(const std::string& path);
    ~FileJournal() override;

    [[nodiscard]] const effect::JournalEntry* next() override;
    void advance() override { ++at_; }
    void record(effect::JournalEntry entry) override;

private:
    std::vector<effect::JournalEntry> entries_;
    std::size_t at_ = 0;
    std::FILE* file_ = nullptr;
};

}  // namespace gyre::cli
