// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/phased_loop.hpp"

#include <algorithm>

#include "gyre/base/log.hpp"
#include "gyre/handle/async.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/timer.hpp"

namespace gyre::handle {
namespace {

constexpr std::size_t timers_at_a_time = 256;

// Rounds of pending callbacks after the wait, as in libuv since 1.45.
constexpr int pending_rounds_max = 8;

// Rounds of reading that a late report waits for: one that writes without end must not hold it up.
constexpr int late_rounds_max = 64;

// How often work that found the pool full of other loops' work is tried again.
constexpr Duration full_pool_retry = std::chrono::milliseconds(1);

}  // namespace

PhasedLoop::PhasedLoop(Platform& platform, LoopOptions options, CallLimits call_limits)
    : platform_(platform),
      kernel_(platform, dispatcher_, options),
      call_limits_(call_limits),
      thread_mark_(this_thread()),
      now_(kernel_.now()),
      timers_(now_) {}

PhasedLoop::~PhasedLoop() {
    if (is_closed_) return;
    std::string reasons;
    for (const AliveReason& reason : alive_reasons()) reasons += "  " + reason.to_string() + "\n";
    GYRE_ASSERT(close().has_value(),
                "the loop is destroyed with open handles or active requests: close them and run "
                "it first.\n%s",
                reasons.c_str());
}

// The order of an iteration. Timers run after the poll; until_done also runs the due timers once
// before the first iteration.
bool PhasedLoop::run(RunMode mode) noexcept {
    GYRE_ASSERT(is_here(), "a loop is run by its own thread: call adopt() there first");
    GYRE_ASSERT(!is_running_, "run() is called inside a callback: a loop runs once at a time");
    is_running_ = true;
    is_now_fresh_ = false;
    bool alive = is_alive();
    if (!alive) update_now();
    if (mode == RunMode::until_done && alive && !is_stopping_) {
        update_now();
        run_timers();
    }
    while (alive && !is_stopping_) {
        // A callback of these two is progress: "once" must not block after it.
        const bool may_block = mode == RunMode::until_done ||
                               (mode == RunMode::once && pending_.empty() && idles_.empty());
        is_now_fresh_ = is_now_fresh_ && pending_.empty() && idles_.empty() && prepares_.empty();
        run_pending();
        run_hooks(idles_);
        run_hooks(prepares_);
        wait_and_deliver(may_block);
        for (int i = 0; i < pending_rounds_max && !pending_.empty(); ++i) run_pending();
        // A wait that a timer ended has just read the clock. Callbacks take time.
        const bool is_time_known = !due_timers_.empty() && checks_.empty() && closing_.empty();
        run_hooks(checks_);
        run_closing();
        advance_now_to(is_time_known ? kernel_.now() : platform_.now());
        is_now_fresh_ = !run_timers() && !is_time_known;

        alive = is_alive();
        if (mode != RunMode::until_done) break;
    }
    is_stopping_ = false;
    is_running_ = false;
    return alive;
}

void PhasedLoop::run_pending() noexcept {
    // Requests deferred meanwhile wait for the next iteration.
    Queue<ActiveRequest, PendingLinks> batch;
    batch.take_all(pending_);
    while (ActiveRequest* request = batch.pop_front()) request->on_pending();
}

// Newest first. A hook may start and stop any hook: a hook started now first runs in the next
// iteration, a hook stopped now does not run in this one.
void PhasedLoop::run_hooks(HookQueue& hooks) noexcept {
    HookQueue batch;
    batch.take_all(hooks);
    while (Hook* hook = batch.pop_front()) {
        hooks.push_back(*hook);
        hook->run();
    }
}

// The one blocking point. Ends when an op was delivered, a timer is due, or the loop is stopped.
void PhasedLoop::wait_and_deliver(bool may_block) noexcept {
    metrics_.count_iteration();
    const bool must_look = !may_block || must_not_wait();
    const std::uint64_t delivered_before = delivered_;
    if (must_look || counts_waiting_) {
        look_and_deliver(!may_block || counts_waiting_);
        if (counts_waiting_) metrics_.count_waiting(delivered_ - delivered_before);
    }
    if (!must_look && delivered_ == delivered_before) block_and_deliver();
    if (!late_.empty()) run_late_reports();
}

void PhasedLoop::block_and_deliver() noexcept {
    const std::uint64_t delivered_before = delivered_;
    metrics_.begin_wait(is_now_fresh_ ? now_ : platform_.now());
    for (;;) {
        const Instant until = wake_by();
        const Instant before = kernel_.now();
        const bool had_work = kernel_.has_ready_work() || kernel_.has_posts();
        turn(until);
        if (delivered_ != delivered_before || is_stopping_) break;
        if (kernel_.now() >= until) {
            // The wheel's next deadline may be early: advancing the wheel makes the next one exact.
            take_due_timers(kernel_.now());
            if (!due_timers_.empty()) break;
        } else if (platform_.is_simulated() && kernel_.now() == before && !had_work &&
                   !kernel_.has_ready_work() && !kernel_.has_posts()) {
            report_stuck();
            is_stopping_ = true;
            break;
        }
    }
    metrics_.end_wait(kernel_.now());
}

// Without blocking. Ops that were started since the last wait are passed to the system first, so
// that an iteration sees a descriptor that was ready before it.
void PhasedLoop::look_and_deliver(bool must_look) noexcept {
    const std::uint64_t delivered_before = delivered_;
    for (bool is_all_passed_on = false; !is_all_passed_on;) {
        is_all_passed_on = turns_needed_ < 2;
        // One nanosecond ahead: a platform may skip a poll with a past deadline, not a wait.
        const bool is_ahead = must_look && !platform_.is_simulated();
        turn(is_ahead ? kernel_.now() + Duration(1) : kernel_.now());
        if (delivered_ != delivered_before) return;
    }
}

// The time is taken after the wait, also for the check hooks of an iteration that delivers nothing.
void PhasedLoop::turn(Instant until) noexcept {
    kernel_.turn(until);
    now_ = std::max(now_, kernel_.now());
    if (turns_needed_ > 0) --turns_needed_;
    if (!waiting_work_.empty() && now_ >= retry_work_at_) hand_over_waiting_work();
}

// The descriptor's number is free when this returns: an op that was submitted to it before must
// have reached the platform, which ends it.
void PhasedLoop::close_now(Fd fd) noexcept {
    dispatcher_.pass_on_now();
    sockets().close_now(fd);
}

void PhasedLoop::submit(gyre::Request& op, OpReceiver& receiver) noexcept {
    op.owner = &receiver;
    dispatcher_.submit(op);
    if (op.code() != OpCode::wake) turns_needed_ = 2;
}

// The end of a child is reported after the output that came before it, which may take several
// reads: "data, end of the stream, end of the child".
void PhasedLoop::run_late_reports() noexcept {
    for (int i = 0; i < late_rounds_max; ++i) {
        const std::uint64_t delivered_before = delivered_;
        look_and_deliver(true);
        // Reading may go on in the pending phase.
        const bool is_quiet = delivered_ == delivered_before && pending_.empty();
        if (is_quiet) break;
        run_pending();
    }
    Queue<LateReport, LateLinks> batch;
    batch.take_all(late_);
    while (LateReport* late = batch.pop_front()) late->report();
}

void PhasedLoop::wait_for_room(Work& work) noexcept {
    if (waiting_work_.empty()) retry_work_at_ = now_ + full_pool_retry;
    waiting_work_.push_back(work);
}

// When work of this loop has ended; and after a while, since the pool may be full of the work of
// other loops.
void PhasedLoop::hand_over_waiting_work() noexcept {
    while (Work* work = waiting_work_.pop_front()) {
        if (work->submit_now(*work)) continue;
        waiting_work_.push_front(*work);
        retry_work_at_ = now_ + full_pool_retry;
        return;
    }
}

Status PhasedLoop::submit_now(gyre::Request& op, OpReceiver& receiver) noexcept {
    op.owner = &receiver;
    return dispatcher_.submit_now(op);
}

// Callbacks see the time after the wait: a timer that one starts is due its whole delay later.
void PhasedLoop::Dispatcher::tick(Instant now) {
    loop_.now_ = std::max(loop_.now_, now);
    while (Op* op = next_completion()) {
        ++loop_.delivered_;
        loop_.metrics_.count_event();
        static_cast<OpReceiver*>(static_cast<gyre::Request*>(op)->owner)->on_done(*op);
    }
    while (StandingOp* op = next_notification()) {
        ++loop_.delivered_;
        loop_.metrics_.count_event();
        static_cast<OpReceiver*>(op->owner)->on_rung(*op);
    }
    if (!loop_.sent_.empty()) loop_.run_sent();
    while (Op* op = next_submission()) {
        if (op->code() != OpCode::post) {
            complete(*op, failure(std::errc::function_not_supported));
            continue;
        }
        ++loop_.delivered_;
        loop_.metrics_.count_event();
        auto& call = static_cast<ForeignCall&>(*op);
        loop_.foreign_calls_.run(call);
        complete(call, 0);
        delete &call;
    }
    while (next_cancellation() != nullptr) {
    }
}

// A callback may close any of them: it is taken out then.
void PhasedLoop::run_sent() noexcept {
    while (Async* async = sent_.pop_front()) async->call();
}

// Newest first. A handle with ops in flight stays for the next iteration, as does a handle that a
// callback closes here.
void PhasedLoop::run_closing() noexcept {
    HandleQueue batch;
    batch.take_all(closing_);
    while (Handle* handle = batch.pop_front()) {
        if (handle->may_finish()) {
            --closing_handles_;
            handle->finish_close();
        } else {
            closing_.push_back(*handle);
        }
    }
}

// A timer that a callback starts waits for the next pass, even if it is due. Due timers are taken
// in batches small enough to stay in the CPU cache. Whether there was one.
bool PhasedLoop::run_timers() noexcept {
    is_in_timer_pass_ = true;
    bool is_all = false;
    bool has_fired = false;
    while (!is_all) {
        is_all = take_due_timers(now_);
        while (Op* op = due_timers_.pop_front()) {
            has_fired = true;
            Timer::of(*op).fire();
        }
    }
    is_in_timer_pass_ = false;
    while (Op* op = started_timers_.pop_front()) Timer::of(*op).enter_wheel();
    return has_fired;
}

bool PhasedLoop::take_due_timers(Instant now) noexcept {
    const bool is_all = timers_.take_due(now, due_timers_, timers_at_a_time);
    due_timers_.for_each([](Op& op) { Timer::of(op).leave_wheel(); });
    return is_all;
}

bool PhasedLoop::must_not_wait() const noexcept {
    return do_not_wait_count_ > 0 || is_stopping_ ||
           (active_handles_ == 0 && active_requests_ == 0) || !idles_.empty() ||
           closing_handles_ > 0 || !pending_.empty();
}

Instant PhasedLoop::wake_by() noexcept {
    if (!due_timers_.empty()) return now_;
    Instant earliest = timers_.next_deadline();
    if (!waiting_work_.empty()) earliest = std::min(earliest, retry_work_at_);
    started_timers_.for_each(
        [&](Op& op) { earliest = std::min(earliest, static_cast<TimerOp&>(op).deadline); });
    return earliest;
}

std::optional<Duration> PhasedLoop::next_timeout() noexcept {
    // Ops that have not reached the platform yet, and posted calls, need an iteration.
    const bool has_work = kernel_.has_ready_work() || turns_needed_ > 0;
    if (must_not_wait() || has_work || !kernel_.watch_posts()) return Duration(0);
    const Instant until = wake_by();
    if (until == Instant::never()) return std::nullopt;
    return std::max(Duration(0), until - now_);
}

CallResult<Status> PhasedLoop::stop() {
    return call([this] { is_stopping_ = true; });
}

bool PhasedLoop::is_alive() const noexcept {
    return active_handles_ > 0 || active_requests_ > 0 || closing_handles_ > 0;
}

void PhasedLoop::update_now() noexcept {
    advance_now_to(platform_.now());
}

// The cached time never goes back, even if the clock does.
void PhasedLoop::advance_now_to(Instant present) noexcept {
    now_ = std::max({now_, kernel_.now(), present});
}

void PhasedLoop::adopt() noexcept {
    GYRE_ASSERT(!is_running_, "a loop changes its thread while it runs: adopt it after run()");
    thread_mark_.store(this_thread(), std::memory_order_relaxed);
    kernel_.adopt();
}

Status PhasedLoop::renew_after_fork() {
    if (!is_here()) adopt();  // A callback may fork: the child is inside of run() then.
    foreign_calls_.renew_after_fork();
    if (const Result<void> renewed = kernel_.renew_after_fork(); !renewed) return renewed;
    requests_.for_each([this](ActiveRequest& request) {
        if (Op* op = request.offloaded_op()) kernel_.abandon_offloaded(*op);
    });
    return {};
}

Status PhasedLoop::close() noexcept {
    GYRE_ASSERT(is_here(), "a loop is closed by its own thread");
    if (is_closed_) return {};
    const bool is_busy = !handles_.empty() || !closing_.empty() || !requests_.empty();
    if (is_busy || is_running_) {
        return std::unexpected(Error(std::errc::device_or_resource_busy));
    }
    is_closed_ = true;
    kernel_.close();
    foreign_calls_.refuse_all();
    return {};
}

std::vector<AliveReason> PhasedLoop::alive_reasons() const {
    std::vector<AliveReason> reasons;
    handles_.for_each([&](const Handle& handle) {
        if (!handle.is_active() || !handle.has_ref()) return;
        reasons.push_back({AliveReason::Why::active_handle, handle.kind(), handle.made_at()});
    });
    requests_.for_each([&](const ActiveRequest& request) {
        reasons.push_back({AliveReason::Why::active_request, request.kind(), request.made_at()});
    });
    closing_.for_each([&](const Handle& handle) {
        reasons.push_back({AliveReason::Why::closing_handle, handle.kind(), handle.made_at()});
    });
    return reasons;
}

void PhasedLoop::report_stuck() const {
    std::string lines;
    for (const AliveReason& reason : alive_reasons()) lines += "  " + reason.to_string() + "\n";
    log(LogLevel::warn, "nothing can ever happen in simulated time, and these still wait:\n%s",
        lines.c_str());
}

std::string AliveReason::to_string() const {
    std::string text = why == Why::closing_handle ? "closing " : "active ";
    text += kind;
    text += " made at ";
    text += made_at.file_name();
    return text + ":" + std::to_string(made_at.line());
}

}  // namespace gyre::handle
