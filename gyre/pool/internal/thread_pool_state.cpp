// SPDX-License-Identifier: Apache-2.0
#include "gyre/pool/internal/thread_pool_state.hpp"

#include <algorithm>
#include <string>
#include <system_error>

#include "gyre/base/log.hpp"
#include "gyre/kernel/loop.hpp"

namespace gyre::pool {
namespace {

constexpr unsigned thread_count_min = 4;
constexpr int polls_between_yields = 32;
constexpr int lock_tries_max = 100;

// Relaxed, here and for all counts of the metrics: they order nothing.
constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

ThreadPool::State::State(ThreadPoolOptions options)
    : options_(std::move(options)),
      process_(options_.process_id),
      jobs_(options_.queued_count_max) {}

// The system is asked for its cores once, and not before a pool needs a thread: most programs have
// pools that they never use.
std::size_t ThreadPool::State::thread_count_max() const noexcept {
    if (options_.thread_count > 0) return options_.thread_count;
    static const unsigned core_count = std::thread::hardware_concurrency();
    return std::max(thread_count_min, core_count);
}

ThreadPool::State::~State() {
    {
        const Lock lock(mutex_);
        is_finishing_ = true;
    }
    work_came_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

ThreadPool::State::Lock ThreadPool::State::lock_soon() noexcept {
    Lock lock(mutex_, std::try_to_lock);
    for (int tries = 0; tries < lock_tries_max && !lock.owns_lock(); ++tries) {
        spin_pause();
        (void)lock.try_lock();
    }
    if (!lock.owns_lock()) lock.lock();
    return lock;
}

bool ThreadPool::State::start(const Job& job) noexcept {
    bool must_wake = false;
    {
        const Lock lock = lock_soon();
        if (!jobs_.push(job)) {
            note_refusal();
            return false;
        }
        // Relaxed: a stale count starts one thread too many, or leaves the job to a busy thread
        // that takes it next.
        const bool wants_thread = jobs_.count() > idle_count_.load(relaxed);
        if (wants_thread && threads_.size() < thread_count_max() && !start_thread() &&
            threads_.empty()) {
            GYRE_ASSERT(jobs_.withdraw(*job.op),
                        "the job that was just pushed must be in the queue");
            note_refusal();
            return false;
        }
        // As many as the system lets start.
        while (options_.starts_all_threads && threads_.size() < thread_count_max()) {
            if (!start_thread()) break;
        }
        note_queued();
        must_wake = wake_one_if_wanted();
    }
    if (must_wake) work_came_.notify_one();
    return true;
}

// Requires the mutex. True: the caller must notify. A job needs a wake only if no thread spins, is
// being woken or is about to finish its last job. At most one thread is being woken at a time: the
// thread that takes a job wakes the next one if there are more jobs. So a burst of short jobs is
// done by few threads.
bool ThreadPool::State::wake_one_if_wanted() noexcept {
    if (sleeping_count_ == 0 || woken_count_ > 0) return false;
    if (jobs_.count() <= idle_count_.load(relaxed) - sleeping_count_) return false;
    --sleeping_count_;
    ++woken_count_;
    return true;
}

bool ThreadPool::State::withdraw(const Op& op) noexcept {
    const Lock lock(mutex_);
    if (!jobs_.withdraw(op)) return false;
    note_queued();
    withdrawn_.fetch_add(1, relaxed);
    return true;
}

PoolMetrics ThreadPool::State::metrics() const noexcept {
    const std::size_t threads = started_threads_.load(relaxed);
    // A new thread may count as idle before it counts as started.
    const std::size_t idle = std::min(threads, idle_count_.load(relaxed));
    return {.threads = threads,
            .queued = queued_.load(relaxed),
            .running = threads - idle,
            .done = done_.load(relaxed),
            .withdrawn = withdrawn_.load(relaxed),
            .refused = refused_.load(relaxed),
            .longest_wait = Duration(longest_wait_.load(relaxed))};
}

// Requires the mutex. The new thread counts as idle at once: otherwise the next job would start
// another.
bool ThreadPool::State::start_thread() noexcept {
    try {
        threads_.reserve(thread_count_max());
        threads_.emplace_back([this, number = threads_.size() + 1] { run_thread(number); });
    } catch (const std::exception& error) {  // No thread, or no memory for one.
        log(LogLevel::warn, "pool %s: no thread %zu: %s", options_.name.c_str(),
            threads_.size() + 1, error.what());
        return false;
    }
    idle_count_.fetch_add(1, relaxed);
    started_threads_.store(threads_.size(), relaxed);
    return true;
}

void ThreadPool::State::run_thread(std::size_t number) {
    if (options_.name_thread != nullptr) {
        options_.name_thread(options_.name + "-" + std::to_string(number));
    }
    Spin spin(options_.look_max);
    Lock lock(mutex_);
    while (const std::optional<Job> job = next_job(lock, spin)) {
        lock.unlock();
        run(*job);
        lock = lock_soon();
    }
}

// Empty if the pool is being destroyed and its queue is empty.
std::optional<Job> ThreadPool::State::next_job(Lock& lock, Spin& spin) {
    while (true) {
        if (std::optional<Job> job = jobs_.pop()) {
            note_queued();
            idle_count_.fetch_sub(1, relaxed);
            if (wake_one_if_wanted()) work_came_.notify_one();
            return job;
        }
        if (is_finishing_) return std::nullopt;
        if (options_.clock != nullptr && !is_one_polling_) poll(lock, spin);
        if (jobs_.count() == 0 && !is_finishing_) sleep(lock, spin);
    }
}

void ThreadPool::State::poll(Lock& lock, Spin& spin) {
    is_one_polling_ = true;
    lock.unlock();
    int polls = 0;
    (void)spin.look(*options_.clock, Instant::never(), [&] {
        if (queued_.load(relaxed) > 0) return true;
        // The loop may share this core: spinning must not keep it from running.
        if (++polls % polls_between_yields == 0) std::this_thread::yield();
        return false;
    });
    lock.lock();
    is_one_polling_ = false;
}

void ThreadPool::State::sleep(Lock& lock, Spin& spin) {
    const Instant since = now();
    ++sleeping_count_;
    work_came_.wait(lock, [this] { return is_finishing_ || woken_count_ > 0; });
    if (woken_count_ > 0) {
        --woken_count_;
    } else {
        --sleeping_count_;
    }
    spin.note_sleep(now() - since);
}

// The counts change before the op is posted: a receiver of the completion sees the op counted and
// the thread idle. After the post the loop may be destroyed.
void ThreadPool::State::run(const Job& job) noexcept {
    if (options_.clock != nullptr) note_wait(now() - job.queued_at);
    const std::int32_t result = job.work(*job.op);
    done_.fetch_add(1, relaxed);
    idle_count_.fetch_add(1, relaxed);
    job.home->post_offloaded(*job.op, result);
}

void ThreadPool::State::note_wait(Duration waited) noexcept {
    Duration::rep longest = longest_wait_.load(relaxed);
    while (waited.count() > longest &&
           !longest_wait_.compare_exchange_weak(longest, waited.count(), relaxed)) {
    }
}

// Logged once per pool: a pool that is full once is full often.
void ThreadPool::State::note_refusal() noexcept {
    if (refused_.fetch_add(1, relaxed) > 0) return;
    log(LogLevel::warn, "pool %s refuses work: queued_count_max is %zu, thread_count %zu",
        options_.name.c_str(), jobs_.count_max(), thread_count_max());
}

}  // namespace gyre::pool
