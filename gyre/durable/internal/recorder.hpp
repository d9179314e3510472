// SPDX-License-Identifier: Apache-2.0
// Recorder: writes what the runs of a worker have to say to its store. Whatever they say while a commit is
// under way goes into the next one together. Each row names the fence of its run: a worker that lost
// the run writes nothing. The loop's thread; it outlives its runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gyre/durable/run_info.hpp"
#include "gyre/durable/store.hpp"
#include "gyre/durable/worker.hpp"
#include "gyre/effect/context.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/sync/event.hpp"

namespace gyre::durable {

// A run, as its present owner names it.
struct RunPlace {
    std::int64_t id;
    std::int64_t fence;
};

// How a run ended.
struct RunEnd {
    RunStatus status = RunStatus::done;
    std::optional<db::Blob> result;
    std::string error;
    std::string message;
    // Who is told in the same commit.
    std::string parent;
    bool has_children = false;
};

class Recorder {
public:
    Recorder(Store& store, Duration lease, std::function<void(CommitPoint)> observer)
        : store_(store), lease_(lease), observer_(std::move(observer)) {}
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    // `kept` is answered after the commit.
    void add_step(RunPlace run, std::int64_t number, bool is_failure, db::Blob body,
                  effect::Reply kept);
    // The next ones throw a DurableError (taken_over) if another worker has the run.
    [[nodiscard]] Future<void> begin(RunPlace run, std::uint32_t task, std::int64_t number,
                                     std::string op, std::int64_t until);
    [[nodiscard]] Future<void> end(RunPlace run, std::string key, RunEnd how,
                                   std::int64_t step_count);
    // Or if it has news that this worker has not seen. Other workers are told with `told`, if it is not empty.
    [[nodiscard]] Future<void> put_aside(RunPlace run, std::string told, std::int64_t wake_at,
                                         std::int64_t news, std::int64_t step_count);

    // Commits until it is cancelled, and then what is left.
    [[nodiscard]] Future<void> work();

private:
    enum class What : std::uint8_t { step, begun, end, aside };
    static constexpr int what_count = 4;
    struct Item {
        What what;
        db::Values values;
        // Of an end: the run, its parent, and whether it has children that are to be cancelled. Of a run that is put
        // aside: who is told.
        std::string key = {};
        std::string parent = {};
        bool cancels_children = false;
        std::optional<effect::Reply> kept = {};
        std::optional<Promise<void>> done = {};
    };

    [[nodiscard]] static const char* sql_of(What what) noexcept;
    [[nodiscard]] Future<void> add(Item item);
    [[nodiscard]] Future<void> commit(std::vector<Item>& items);
    [[nodiscard]] Future<void> commit_in_time(std::vector<Item>& items);
    [[nodiscard]] Future<void> commit_one(Item& item);
    [[nodiscard]] Future<void> lock_runs(db::Transaction& in, std::span<const Item> items) const;
    [[nodiscard]] Future<void> write_all(db::Transaction& in, std::vector<Item>& items);
    [[nodiscard]] Future<void> tell_others(db::Transaction& in, const Item& item);
    [[nodiscard]] Future<void> tell_relatives(db::Transaction& in, const Item& item);
    [[nodiscard]] static Future<bool> is_written(db::Transaction& in, const Item& item);
    void observe(CommitPoint point) const {
        if (observer_) observer_(point);
    }
    static void keep(Item& item);
    static void fail(Item& item, const std::exception_ptr& failure);

    Store& store_;
    const Duration lease_;
    const std::function<void(CommitPoint)> observer_;
    std::vector<Item> waiting_;
    Event has_waiting_;
    bool is_ending_ = false;
};

}  // namespace gyre::durable
