// SPDX-License-Identifier: Apache-2.0
// Job: a timer or an immediate; JobRing: the queue of ticks, microtasks and host callbacks;
// JobPool: the storage of Jobs; Rejections: the rejected promises. All belong to a scheduler and
// the pump's thread.
#pragma once

#include <algorithm>
#include <any>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "gyre/base/detail/intrusive.hpp"
#include "gyre/base/failure.hpp"
#include "gyre/job/host.hpp"

namespace gyre::job {

struct JobLinks;

// A timer or an immediate.
struct Job : Link<JobLinks> {
    enum class Kind : std::uint8_t { none, timeout, interval, immediate };

    JobCallback call;
    std::int64_t start = 0;     // of a timer, in ticks of JobTime
    std::int64_t duration = 0;  // of a timer, in ticks
    JobId posted_id = 0;        // the id that another thread got for it
    std::uint32_t slot = 0;
    std::uint32_t generation = 1;
    Kind kind = Kind::none;
    bool has_ref = true;
    bool is_running = false;
    bool is_cleared = false;
};

using JobQueue = Queue<Job, JobLinks>;

// JobCallbacks, first in, first out. It doubles when it is full, up to its limit, and never
// shrinks: in steady state it does not allocate.
class JobRing {
public:
    explicit JobRing(std::size_t size_max) noexcept : size_max_(size_max) {}

    [[nodiscard]] bool empty() const noexcept { return first_ == end_; }
    [[nodiscard]] std::size_t size() const noexcept { return end_ - first_; }

    // Throws LimitError at the limit. Constructs the callback in place: copying it right
    // after writing it, in other sizes, would stall store forwarding.
    template <class Callable>
    void push(Callable&& callable, Context context) {
        if (size() == capacity_) grow();
        JobCallback& job = jobs_[end_ & (capacity_ - 1)];
        std::construct_at(&job.callback, std::forward<Callable>(callable));
        job.context = context;
        ++end_;
    }

    // The first job, which may be called in place; jobs may be pushed meanwhile. Not when empty.
    [[nodiscard]] JobCallback& first() noexcept { return jobs_[first_ & (capacity_ - 1)]; }
    // Removes the job that `first` returned.
    void drop_first(JobCallback& job) noexcept {
        if (outgrown_ == nullptr) {
            job.callback.reset();
        } else {
            drop_moved_first();
        }
        ++first_;
    }
    [[nodiscard]] JobCallback pop() noexcept {
        JobCallback job = std::move(first());
        drop_first(first());
        return job;
    }

private:
    // The old arrays: the first job may still run there.
    struct Outgrown {
        std::unique_ptr<JobCallback[]> jobs;
        std::unique_ptr<Outgrown> before;
    };
    [[gnu::cold, gnu::noinline]] void drop_moved_first() noexcept {
        first().callback.reset();
        outgrown_.reset();
    }
    [[gnu::cold]] void grow() {
        if (capacity_ >= size_max_) {
            throw LimitError("queue a job", "queue_size_max", size_max_);
        }
        const std::size_t capacity = capacity_ == 0 ? 64 : 2 * capacity_;
        auto jobs = std::make_unique<JobCallback[]>(capacity);
        const std::size_t count = size();
        auto outgrown = std::make_unique<Outgrown>();
        for (std::size_t i = 0; i < count; ++i) {
            jobs[i] = std::move(jobs_[(first_ + i) & (capacity_ - 1)]);
        }
        outgrown->jobs = std::exchange(jobs_, std::move(jobs));
        outgrown->before = std::exchange(outgrown_, nullptr);
        outgrown_ = std::move(outgrown);
        capacity_ = capacity;
        first_ = 0;
        end_ = count;
    }

    const std::size_t size_max_;
    std::unique_ptr<JobCallback[]> jobs_;
    std::unique_ptr<Outgrown> outgrown_;
    std::size_t capacity_ = 0;  // a power of two
    std::size_t first_ = 0;     // counts up without end; its low bits are the index
    std::size_t end_ = 0;
};

// The timers and immediates of a scheduler, and their ids. An id is a slot and its generation; a
// slot whose generations are used up is retired, so that no id is reused. Jobs do not move.
// Allocates only when more jobs are in use than ever before.
class JobPool {
public:
    static constexpr unsigned slot_bits = 24;
    static constexpr unsigned generation_bits = 28;  // 2^52 and above are the ids of PostedJobs

    static constexpr std::size_t slot_count_max = std::size_t{1} << slot_bits;

    explicit JobPool(std::size_t size_max = slot_count_max,
                     std::uint32_t generation_max = (1u << generation_bits) - 1) noexcept
        : generation_max_(generation_max), size_max_(std::min(size_max, slot_count_max)) {}

    [[nodiscard]] static JobId id_of(const Job& job) noexcept {
        return JobId{job.generation} << slot_bits | job.slot;
    }

    // Null when all slots are in use.
    [[nodiscard]] Job* take(Job::Kind kind) {
        if (free_.empty() && !add_chunk()) return nullptr;
        Job* job = free_.pop_front();
        job->kind = kind;
        return job;
    }

    // The job must be in no list.
    void put_back(Job& job) noexcept {
        job.kind = Job::Kind::none;
        job.posted_id = 0;
        job.has_ref = true;
        job.is_running = false;
        job.is_cleared = false;
        job.call.callback.reset();
        // LIFO: the last freed slot is in the cache.
        if (job.generation++ < generation_max_) free_.push_front(job);
    }

    // Null when the job has ended.
    [[nodiscard]] Job* find(JobId id) const noexcept {
        const std::size_t slot = id & ((std::size_t{1} << slot_bits) - 1);
        if (slot / chunk_size >= chunks_.size()) return nullptr;
        Job& job = chunks_[slot / chunk_size][slot % chunk_size];
        return job.kind != Job::Kind::none && id_of(job) == id ? &job : nullptr;
    }

    template <class Visitor>
    void for_each_in_use(Visitor visit) {
        for (auto& chunk : chunks_) {
            for (std::size_t i = 0; i < chunk_size; ++i) {
                if (chunk[i].kind != Job::Kind::none) visit(chunk[i]);
            }
        }
    }

private:
    static constexpr std::size_t chunk_size = 256;

    // False at the limit.
    [[gnu::cold]] bool add_chunk() {
        const std::size_t first = chunks_.size() * chunk_size;
        if (first >= size_max_) return false;
        chunks_.push_back(std::make_unique<Job[]>(chunk_size));
        for (std::size_t i = 0; i < chunk_size; ++i) {
            Job& job = chunks_.back()[i];
            job.slot = static_cast<std::uint32_t>(first + i);
            free_.push_back(job);
        }
        return true;
    }

    const std::uint32_t generation_max_;
    const std::size_t size_max_;
    std::vector<std::unique_ptr<Job[]>> chunks_;
    JobQueue free_;
};

// The promises that were rejected without a handler. A rejection is reported at the end of the
// checkpoint unless the promise has a handler by then, and forgotten; a handler that comes later is
// reported too.
class Rejections {
public:
    explicit Rejections(std::size_t count_max) noexcept : count_max_(count_max) {}

    // Not an exception at the limit: the caller may be an engine that cannot pass one on.
    void add(PromiseId promise, std::any reason) {
        if (pending_.size() >= count_max_) {
            is_over_ = true;
            return;
        }
        is_pending_.insert(promise);
        pending_.emplace_back(promise, std::move(reason));
    }

    void handle(PromiseId promise) {
        if (is_pending_.erase(promise) == 0) handled_.push_back(promise);
    }

    // Reports all due rejections to the host. False when there were none. When the host throws, the
    // other rejections of this report are dropped. Throws LimitError if some were not kept.
    bool report(Host& host) {
        bool has_reported = false;
        while (!handled_.empty()) {
            const PromiseId promise = handled_.front();
            handled_.pop_front();
            has_reported = true;
            host.on_rejection_handled(promise);
        }
        const auto due = std::exchange(pending_, {});
        struct ForgetAll {  // also when the host throws
            ~ForgetAll() {
                for (const auto& [promise, reason] : due) is_pending.erase(promise);
            }
            const std::deque<std::pair<PromiseId, std::any>>& due;
            std::unordered_set<PromiseId>& is_pending;
        } forget_all{due, is_pending_};
        for (const auto& [promise, reason] : due) {
            if (is_pending_.erase(promise) == 0) continue;
            has_reported = true;
            host.on_rejection(promise, reason);
        }
        if (std::exchange(is_over_, false)) {
            throw LimitError("keep a rejection", "rejection_count_max", count_max_);
        }
        return has_reported;
    }

    [[nodiscard]] bool has_due() const noexcept { return !pending_.empty() || !handled_.empty(); }

private:
    const std::size_t count_max_;
    bool is_over_ = false;
    std::unordered_set<PromiseId> is_pending_;  // rejected, without a handler, not reported
    std::deque<std::pair<PromiseId, std::any>> pending_;
    std::deque<PromiseId> handled_;
};

}  // namespace gyre::job
