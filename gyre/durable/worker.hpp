// SPDX-License-Identifier: Apache-2.0
// Worker: runs the durable runs of a store's queue, and starts those of its schedules. Several workers, in any
// processes, share a queue: each run has one owner at a time. A worker that dies loses its runs when its lease is over,
// and another one goes on with them from their last recorded answer.
//
//     durable::Worker worker(scheduler, store);
//     worker.add("checkout", guest, handlers);
//     co_await worker.run();                       // until it is cancelled
//
// Thread: the scheduler's.
// Lifetime: the scheduler, the store, guests and handlers outlive it; it outlives `run`.
// Cancel: of run: its runs are given back, for other workers to go on with.
//
// A run is put aside while all that it waits for is far away: it takes no memory then. Each time it is taken
// up, its function runs again from the beginning with the recorded answers: it must ask for the same then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "gyre/durable/store.hpp"
#include "gyre/effect/scheduler.hpp"

namespace gyre::durable {

class ActiveRun;
class Claims;
class Recorder;
class Ticker;
struct StoredRun;
enum class LeaveKind : std::uint8_t;

// Before and after each commit of the answers of its runs.
enum class CommitPoint : std::uint8_t { before, after };

struct WorkerOptions {
    std::string queue = "default";
    std::string name = "worker";  // what tells it from others is added
    // For how long it may be away, stopped or without its database, before others take its runs.
    Duration lease = std::chrono::seconds(30);
    // Runs in memory. Others wait in the store.
    std::size_t runs_max = 10'000;
    // A run is put aside that waits for something that is further away than this.
    Duration aside_after = std::chrono::seconds(1);
    // For tests that end the process there.
    std::function<void(CommitPoint)> commit_observer = {};
};

class Worker final : private RunWatcher {
public:
    Worker(effect::Scheduler& scheduler, Store& store, WorkerOptions options = {});
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // The function of a guest that an entry names, with the same name there. It takes the runs of its version,
    // and those of none. The handlers get the ops of durable runs, unless they have them.
    void add(std::string entry, effect::Guest& guest, effect::Handlers& handlers,
             std::string version = {});
    [[nodiscard]] Future<void> run();

    [[nodiscard]] std::size_t active_count() const noexcept { return active_.size(); }
    // As the store shows it, once it runs.
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    struct Entry {
        effect::Guest* guest;
        effect::Handlers* handlers;
    };

    // worker.cpp: how it comes by its runs.
    [[nodiscard]] Future<void> take_up();
    [[nodiscard]] Future<Duration> take_up_once();
    [[nodiscard]] bool has_room() const noexcept;
    [[nodiscard]] Future<void> renew_leases();
    [[nodiscard]] Future<void> compare_owned();
    [[nodiscard]] ActiveRun* find(std::int64_t id) const noexcept;
    void begin(StoredRun stored);

    // worker_ends.cpp: how they leave it.
    [[nodiscard]] Future<void> end(std::int64_t id);
    [[nodiscard]] Future<void> record_end(ActiveRun& run);
    [[nodiscard]] Future<void> put_aside_idle();
    [[nodiscard]] Future<void> put_aside(std::int64_t id);
    [[nodiscard]] Future<void> give_back(std::int64_t id);
    [[nodiscard]] Future<void> give_all_back();
    void end_soon(ActiveRun& run);
    void drop(ActiveRun& run, LeaveKind leave, const char* why);
    void stop_runs();

    // worker_news.cpp: what others do to them.
    void on_news(std::string_view key) noexcept override;
    void on_settings() noexcept override;
    void look_soon(ActiveRun& run);
    [[nodiscard]] Future<void> look(std::int64_t id);
    [[nodiscard]] Future<bool> look_once(std::int64_t id);
    [[nodiscard]] Future<void> look_at_all();
    [[nodiscard]] Future<void> listen();
    [[nodiscard]] Future<void> listen_once();

    effect::Scheduler& scheduler_;
    Store& store_;
    const WorkerOptions options_;
    std::string name_;
    const std::unique_ptr<Recorder> recorder_;
    const std::unique_ptr<Claims> claims_;
    const std::unique_ptr<Ticker> ticker_;
    std::unordered_map<std::string, Entry> entries_;
    std::unordered_map<std::int64_t, std::shared_ptr<ActiveRun>> active_;
    std::unordered_map<std::string, std::int64_t> ids_;  // of the active runs, by their keys
    Event has_news_;                                     // there may be runs to take up
    Event wait_begun_;                                   // a run may be put aside soon
    Scope* scope_ = nullptr;                             // while it runs
    bool is_listening_ = false;
    bool is_claiming_ = false;
    bool may_own_more_ = false;  // than it has here
};

}  // namespace gyre::durable
