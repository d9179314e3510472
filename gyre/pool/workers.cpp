// SPDX-License-Identifier: Apache-2.0
#include "gyre/pool/workers.hpp"

#include <algorithm>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "gyre/base/log.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/pool/internal/job_queue.hpp"
#include "gyre/pool/internal/process_mark.hpp"

namespace gyre::pool {
namespace {

// How often an idle worker polls before it sleeps: some tens of microseconds.
constexpr int looks_before_sleep = 1000;

// Relaxed: the counts of the metrics order nothing.
constexpr auto metrics_order = std::memory_order_relaxed;

std::size_t worker_count_of(const WorkersOptions& options) noexcept {
    const std::size_t asked =
        options.worker_count > 0 ? options.worker_count : std::thread::hardware_concurrency();
    return std::clamp<std::size_t>(asked, 1, Sleepers::count_max);
}

}  // namespace

// The threads and the queues. A separate allocation because a forked child must leak it.
class Workers::State {
public:
    // A function passed by a thread that blocks in run_and_wait.
    struct CallLinks;
    struct Call : Link<CallLinks> {
        void (*call)(void*) noexcept = nullptr;
        void* argument = nullptr;
        Parker caller;
    };

    explicit State(WorkersOptions options);
    ~State();

    [[nodiscard]] bool start(const Job& job) noexcept;
    [[nodiscard]] bool withdraw(const Op& op) noexcept;
    void run_and_wait(Call& call);
    [[nodiscard]] WorkersMetrics metrics() const noexcept;
    [[nodiscard]] const ProcessMark& process() const noexcept { return process_; }
    [[nodiscard]] const WorkersOptions& options() const noexcept { return options_; }

private:
    [[nodiscard]] bool ensure_threads() noexcept;
    void run_worker(std::size_t index);
    [[nodiscard]] bool run_queued() noexcept;
    void wait_for_work(Worker& worker) noexcept;
    void wake_idle() noexcept;
    // Sequentially consistent: a worker reads it before it sleeps (see Sleepers).
    void note_queued() noexcept { queued_.store(jobs_.count() + call_count_); }

    const WorkersOptions options_;
    const ProcessMark process_;
    WorkerSet set_;
    std::mutex mutex_;

    // Guarded by mutex_.
    JobQueue jobs_;
    Queue<Call, CallLinks> calls_;
    std::size_t call_count_ = 0;
    std::vector<std::thread> threads_;

    Atomic<bool> is_finishing_{false};
    Atomic<std::size_t> queued_{0};
    Atomic<std::size_t> started_threads_{0};
    Atomic<std::size_t> running_{0};
    Atomic<std::uint64_t> done_{0};
};

Workers::State::State(WorkersOptions options)
    : options_(std::move(options)),
      process_(options_.process_id),
      jobs_(options_.queued_count_max) {
    const std::size_t count = worker_count_of(options_);
    for (std::size_t index = 0; index < count; ++index) {
        set_.workers.push_back(std::make_unique<Worker>(set_, index, options_.fork_count_max));
    }
    threads_.reserve(count);
}

Workers::State::~State() {
    is_finishing_.store(true);
    for (const auto& worker : set_.workers) worker->unpark();
    for (std::thread& thread : threads_) thread.join();
}

bool Workers::State::start(const Job& job) noexcept {
    {
        const std::lock_guard lock(mutex_);
        if (!ensure_threads() || !jobs_.push(job)) return false;
        note_queued();
    }
    wake_idle();
    return true;
}

bool Workers::State::withdraw(const Op& op) noexcept {
    const std::lock_guard lock(mutex_);
    if (!jobs_.withdraw(op)) return false;
    note_queued();
    return true;
}

void Workers::State::run_and_wait(Call& call) {
    {
        const std::lock_guard lock(mutex_);
        if (!ensure_threads()) {
            throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                                    "no thread for " + options_.name);
        }
        calls_.push_back(call);
        ++call_count_;
        note_queued();
    }
    wake_idle();
    call.caller.park();
}

WorkersMetrics Workers::State::metrics() const noexcept {
    WorkersMetrics metrics{.workers = started_threads_.load(metrics_order),
                           .asleep = set_.idle.count() + set_.joining.count(),
                           .queued = queued_.load(metrics_order),
                           .running = running_.load(metrics_order),
                           .done = done_.load(metrics_order)};
    for (const auto& worker : set_.workers) {
        metrics.steals += worker->steals();
        metrics.overflows += worker->overflows();
    }
    return metrics;
}

// Requires the mutex. Starts all threads at the first use, so that forks find thieves; fewer if the
// system refuses to start more.
bool Workers::State::ensure_threads() noexcept {
    if (!threads_.empty()) return true;
    try {
        while (threads_.size() < set_.workers.size()) {
            threads_.emplace_back([this, index = threads_.size()] { run_worker(index); });
        }
    } catch (const std::system_error& error) {
        log(LogLevel::warn, "%s: no thread %zu: %s", options_.name.c_str(), threads_.size() + 1,
            error.what());
    }
    started_threads_.store(threads_.size(), metrics_order);
    return !threads_.empty();
}

void Workers::State::run_worker(std::size_t index) {
    if (options_.name_thread != nullptr) {
        options_.name_thread(options_.name + "-" + std::to_string(index + 1));
    }
    Worker& worker = *set_.workers[index];
    Worker::set_current(&worker);
    while (true) {
        // Parts of started work take precedence over new work.
        if (worker.run_stolen() || run_queued()) continue;
        if (is_finishing_.load() && queued_.load() == 0) return;
        wait_for_work(worker);
    }
}

bool Workers::State::run_queued() noexcept {
    if (queued_.load() == 0) return false;
    std::unique_lock lock(mutex_);
    if (Call* call = calls_.pop_front()) {
        --call_count_;
        note_queued();
        lock.unlock();
        running_.fetch_add(1, metrics_order);
        call->call(call->argument);
        running_.fetch_sub(1, metrics_order);
        done_.fetch_add(1, metrics_order);
        call->caller.unpark();
        return true;
    }
    const std::optional<Job> job = jobs_.pop();
    note_queued();
    lock.unlock();
    if (!job) return false;
    running_.fetch_add(1, metrics_order);
    const std::int32_t result = job->work(*job->op);
    running_.fetch_sub(1, metrics_order);
    done_.fetch_add(1, metrics_order);
    job->home->post_offloaded(*job->op, result);
    return true;
}

void Workers::State::wait_for_work(Worker& worker) noexcept {
    const auto has_work = [&] {
        return worker.sees_forks() || queued_.load() > 0 || is_finishing_.load();
    };
    for (int looks = 0; looks < looks_before_sleep; ++looks) {
        if (has_work()) return;
        spin_pause();
    }
    worker.sleep_in(set_.idle, has_work);
}

void Workers::State::wake_idle() noexcept {
    if (const auto sleeper = set_.idle.pick()) set_.workers[*sleeper]->unpark();
}

Workers::Workers(WorkersOptions options) : state_(std::make_unique<State>(std::move(options))) {}

Workers::~Workers() {
    // As in ThreadPool: a forked child leaks the state.
    if (!state_->process().is_here()) (void)state_.release();
}

bool Workers::start(Op& op, Work work, Loop& home) noexcept {
    check_process();
    return state_->start({.op = &op, .work = work, .home = &home, .queued_at = {}});
}

bool Workers::withdraw(Op& op) noexcept {
    check_process();
    return state_->withdraw(op);
}

void Workers::run_and_wait(void (*call)(void*) noexcept, void* argument) {
    check_process();
    if (Worker::current() != nullptr) return call(argument);
    State::Call made;
    made.call = call;
    made.argument = argument;
    state_->run_and_wait(made);
}

WorkersMetrics Workers::metrics() const noexcept {
    return state_->metrics();
}

void Workers::check_process() const noexcept {
    GYRE_ASSERT(state_->process().is_here(),
                "%s is used in a forked child, which has none of its threads: make new Workers "
                "there, or use it in the parent only",
                state_->options().name.c_str());
}

}  // namespace gyre::pool
