// SPDX-License-Identifier: Apache-2.0
// TaskProgram: a random program of tasks in virtual time, all of it drawn from one seed, the order
// in which its tasks run too. It runs until no task can go on; then tasks that still wait are woken,
// and at last cancelled. Then the ledger checks the laws. One thread; a program runs once.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "gyre/base/random.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/sim/trace_recorder.hpp"
#include "gyre/sim/virtual_clock.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/stream/stream.hpp"
#include "gyre/task/sync/channel.hpp"
#include "gyre/task/sync/event.hpp"
#include "gyre/task/sync/semaphore.hpp"
#include "tests/property/task_ledger.hpp"

namespace gyre::property {

// What a task of a random program may do, one after another.
enum class Action : std::uint8_t {
    nap,
    give_way,
    send,
    receive,
    send_at_once,
    receive_at_once,
    close_channel,
    take_permits,
    lock,
    wait_for_event,
    set_event,
    await_promise,
    settle_promise,
    open_scope,
    await_all,
    race_some,
    hurry,
    shield_some,
    read_stream,
    drop_stream,
    read_merged,
    poll_some,
    share_some,
    await_task,
    cancel_task,
    call_blocking,
    count,
};
using ActionCounts = std::array<std::uint64_t, static_cast<std::size_t>(Action::count)>;

class TaskProgram {
public:
    explicit TaskProgram(std::uint64_t seed);
    ~TaskProgram();
    TaskProgram(const TaskProgram&) = delete;
    TaskProgram& operator=(const TaskProgram&) = delete;

    void run();

    [[nodiscard]] const TaskLedger& ledger() const noexcept { return ledger_; }
    [[nodiscard]] const std::string& trace() const noexcept { return trace_; }
    [[nodiscard]] const ActionCounts& actions() const noexcept { return actions_; }

private:
    // One body that does actions: its own number, and the task that it runs in.
    struct Worker {
        std::uint32_t id;
        int depth;
        const Task* task;
    };
    struct Spawned {
        TaskHandle<int> handle;
        int completions = 0;
    };
    struct Place {
        explicit Place(std::size_t capacity) : channel(capacity) {}
        Channel<Item> channel;
        Line senders;
        Line receivers;
    };
    // The tasks of one scope: how many run, and whether one has failed.
    struct Crowd {
        explicit Crowd(TaskLedger& of) noexcept : ledger(of) {}
        TaskLedger& ledger;
        std::size_t running = 0;
        std::size_t running_max = 1000;
        bool has_failed = false;
    };

    // The body of every task; gives its number, or fails.
    Future<int> work(int depth);
    Future<int> work_in(Crowd* crowd, int depth);
    Future<void> do_one(Worker& me);
    void spawn(Scope& scope, Crowd& crowd, int depth);
    // Awaits it, whatever comes of it; a cancel of this very task passes.
    template <class T>
    Future<void> forgive(Worker& me, Future<T> future);
    Future<void> await_shared(SharedFuture<int> shared);
    Future<void> await_handle(TaskHandle<int>* handle);
    Stream<int> numbers(int count);
    Future<void> tidy(Alive open);

    Future<void> nap(Worker& me);
    Future<void> give_way(Worker& me);
    Future<void> send(Worker& me);
    Future<void> receive(Worker& me);
    Future<void> send_at_once(Worker& me);
    Future<void> receive_at_once(Worker& me);
    Future<void> close_channel(Worker& me);
    Future<void> take_permits(Worker& me);
    Future<void> lock(Worker& me);
    Future<void> wait_for_event(Worker& me);
    Future<void> set_event(Worker& me);
    Future<void> await_promise(Worker& me);
    Future<void> settle_promise(Worker& me);
    Future<void> open_scope(Worker& me);
    Future<void> await_all(Worker& me);
    Future<void> race_some(Worker& me);
    Future<void> hurry(Worker& me);
    Future<void> shield_some(Worker& me);
    Future<void> read_stream(Worker& me);
    Future<void> drop_stream(Worker& me);
    Future<void> read_merged(Worker& me);
    Future<void> poll_some(Worker& me);
    Future<void> share_some(Worker& me);
    Future<void> await_task(Worker& me);
    Future<void> cancel_task(Worker& me);
    Future<void> call_blocking(Worker& me);

    [[nodiscard]] Duration some_time();
    [[nodiscard]] std::size_t any_channel() { return random_.below(channels_.size()); }
    void help_out();
    void judge();

    static constexpr std::size_t permit_count = 3;

    Random random_;
    std::uint32_t steps_left_;
    std::uint64_t turns_until_close_ = 0;
    std::uint32_t last_worker_ = 0;
    TaskLedger ledger_;
    ActionCounts actions_{};
    std::string trace_;
    sim::TraceRecorder recorder_{trace_, "loop"};
    sim::VirtualClock clock_;
    std::optional<sim::SimPlatform> platform_;
    // What tasks share outlives the executor, with whom those go that are left.
    std::deque<Place> channels_;
    Semaphore permits_{permit_count};
    Line permit_line_;
    std::size_t permits_out_ = 0;
    Mutex mutex_;
    Line mutex_line_;
    bool is_locked_ = false;
    Event event_;
    std::deque<Promise<int>> promises_;
    std::deque<Spawned> spawned_;
    std::deque<SharedFuture<int>> shared_;
    std::optional<Executor> executor_;
    std::optional<Loop> loop_;
};

}  // namespace gyre::property
