// SPDX-License-Identifier: Apache-2.0
// RunInfo: what a store knows of a run. HistoryStep: one answer that was recorded for it.
//
//     for (const durable::RunInfo& run : co_await store.list()) {
//         std::printf("%s %s\n", run.key.c_str(), durable::name_of(run.status));
//     }
//
// Thread: values.
// Lifetime: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gyre/db/value.hpp"
#include "gyre/effect/journal.hpp"

namespace gyre::durable {

// The numbers are those of the database.
enum class RunStatus : std::uint8_t { open = 0, done = 1, failed = 2, cancelled = 3 };
[[nodiscard]] constexpr const char* name_of(RunStatus status) noexcept {
    switch (status) {
        case RunStatus::open:
            return "open";
        case RunStatus::done:
            return "done";
        case RunStatus::failed:
            return "failed";
        case RunStatus::cancelled:
            return "cancelled";
    }
    return "unknown";
}

struct RunInfo {
    std::string key;
    std::string entry;
    std::string version;
    std::string queue;
    std::string parent;  // the key of the run that started it; empty: none did
    RunStatus status = RunStatus::open;
    // Of an open run. Null: it waits for a signal or for another run.
    std::optional<db::Timestamp> wakes_at;
    std::string worker;  // the one that has it; empty: none
    db::Timestamp created_at;
    std::optional<db::Timestamp> ended_at;
    effect::Value result;  // of a run that is done
    std::string message;   // why it failed or was cancelled
    std::string error;     // the kind of the error of a failed one
};

struct HistoryStep {
    std::int64_t number = 0;  // from 0
    db::Timestamp at;
    effect::JournalEntry entry;
};

}  // namespace gyre::durable
