// SPDX-License-Identifier: Apache-2.0
// PhasedLoop: libuv's event loop on gyre's kernel: handles and requests with callbacks, run in
// phases (run() in phased_loop.cpp shows their order).
//
//     PhasedLoop loop(*platform);
//     Timer timer(loop);
//     timer.start([](Timer& fired) { fired.close(); }, 100ms);
//     loop.run();                           // until no handle or request keeps it alive
//
// Thread: the thread that made it, or the last one that called `adopt`. Any thread may call
// `metrics` and the operations that return a CallResult; use `call` for the rest.
// Lifetime: the platform and the offload outlive it; it outlives its handles. Close it, or close
// everything on it, before destroying it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "gyre/base/detail/atomic.hpp"
#include "gyre/base/failure.hpp"
#include "gyre/handle/detail/foreign_calls.hpp"
#include "gyre/handle/handle.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/io/sockets.hpp"
#include "gyre/kernel/loop.hpp"

namespace gyre::handle {

enum class RunMode {
    until_done,  // until the loop is not alive any more, or stopped
    once,        // one iteration, which may block; runs timers that became due meanwhile
    no_wait,     // one iteration, which does not block
};

// A handle or request that keeps the loop alive, and where it was made.
struct AliveReason {
    enum class Why { active_handle, active_request, closing_handle };
    Why why;
    const char* kind;
    std::source_location made_at;

    [[nodiscard]] std::string to_string() const;
};

// The counters of a loop. The loop's thread writes them, any thread may read them.
//
// Every order is relaxed: each counter stands alone, no other read depends on it.
class Metrics {
public:
    // How long the loop has waited, including a current wait up to `now`. A reading taken while a
    // wait begins or ends may miss that wait.
    [[nodiscard]] Duration idle_time(Instant now) const noexcept {
        const std::uint64_t since = waiting_since_.load(std::memory_order_relaxed);
        const Duration before(static_cast<Duration::rep>(idle_ns_.load(std::memory_order_relaxed)));
        return since == 0 || now < Instant(since) ? before : before + (now - Instant(since));
    }
    [[nodiscard]] std::uint64_t iterations() const noexcept {
        return iterations_.load(std::memory_order_relaxed);
    }
    // Completions, doorbells and calls from foreign threads that were delivered.
    [[nodiscard]] std::uint64_t events() const noexcept {
        return events_.load(std::memory_order_relaxed);
    }

    // Those of them that were there before the loop began to wait, counted from
    // PhasedLoop::count_waiting_events on.
    [[nodiscard]] std::uint64_t events_waiting() const noexcept {
        return events_waiting_.load(std::memory_order_relaxed);
    }

    // For the loop, the only writer.
    void count_waiting(std::uint64_t count) noexcept { add(events_waiting_, count); }
    void count_iteration() noexcept { add(iterations_, 1); }
    void count_event() noexcept { add(events_, 1); }
    void begin_wait(Instant now) noexcept {
        waiting_since_.store(now.nanoseconds(), std::memory_order_relaxed);
    }
    void end_wait(Instant now) noexcept {
        const Instant since(waiting_since_.load(std::memory_order_relaxed));
        if (now > since) add(idle_ns_, static_cast<std::uint64_t>((now - since).count()));
        waiting_since_.store(0, std::memory_order_relaxed);
    }

private:
    // One writer: a load and a store lose no addition.
    static void add(Atomic<std::uint64_t>& number, std::uint64_t more) noexcept {
        number.store(number.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
    }

    Atomic<std::uint64_t> idle_ns_{0};
    Atomic<std::uint64_t> waiting_since_{0};
    Atomic<std::uint64_t> iterations_{0};
    Atomic<std::uint64_t> events_{0};
    Atomic<std::uint64_t> events_waiting_{0};
};

// Limits of the calls from foreign threads.
struct CallLimits {
    // Calls that may be on their way to the loop. One more is a LimitError.
    std::size_t call_count_max = 65'536;
    // How long CallResult::get waits for a loop that nobody runs.
    Duration wait_max = std::chrono::seconds(30);
};

class Async;
class FdPoll;
class Hook;
class StreamHandle;
class Timer;
class Udp;
class Work;

class PhasedLoop {
public:
    explicit PhasedLoop(Platform& platform, LoopOptions options = {}, CallLimits call_limits = {});
    // All handles must be closed: see close.
    ~PhasedLoop();
    PhasedLoop(const PhasedLoop&) = delete;
    PhasedLoop& operator=(const PhasedLoop&) = delete;

    // Returns whether the loop is still alive. After a stop, one call returns at once.
    bool run(RunMode mode = RunMode::until_done) noexcept;
    // The current run ends after its iteration; the check, close and timer callbacks of that
    // iteration still run. Wakes a loop that waits.
    CallResult<Status> stop();

    // An active handle with a reference, an active request, or a closing handle.
    [[nodiscard]] bool is_alive() const noexcept;
    [[nodiscard]] std::vector<AliveReason> alive_reasons() const;

    // The cached time of this iteration.
    [[nodiscard]] Instant now() const noexcept { return now_; }
    void update_now() noexcept;

    // How long an iteration that starts now could block: 0 when there is work, nullopt for no
    // limit. To embed the loop in another one: poll backend_fd for input with this timeout, then
    // call run(RunMode::no_wait).
    [[nodiscard]] std::optional<Duration> next_timeout() noexcept;
    // -1 on a platform without a descriptor.
    [[nodiscard]] Fd backend_fd() const noexcept { return platform_.backend_fd(); }

    // Calls the function on the loop's thread: at once, or posted from a foreign thread. Throws
    // LimitError on a foreign thread when call_count_max calls are on their way.
    template <class Function>
    auto call(Function function) -> CallResult<typename FunctionCall<Function>::Value> {
        if (is_here()) return FunctionCall<Function>::value_of(function);
        using Value = typename FunctionCall<Function>::Value;
        auto* state = new CallState<Value>;
        CallResult<Value> result(*state, call_limits_.wait_max);
        if (!foreign_calls_.send(kernel_,
                                 *new FunctionCall<Function>(std::move(function), *state))) {
            throw LimitError("call a loop from another thread", "call_count_max",
                             call_limits_.call_count_max);
        }
        return result;
    }
    [[nodiscard]] bool is_here() const noexcept {
        return thread_mark_.load(std::memory_order_relaxed) == this_thread();
    }

    // From now on the loop belongs to the calling thread, with all that is active on it. Not while
    // it runs, or while another thread is in an operation of the loop's own thread. With io_uring, a
    // thread that has run the loop before should block or end afterwards: it delays requests that
    // it started as long as it makes no system call.
    void adopt() noexcept;

    // In the child of a fork(), before anything else is done with the loop there: the loop, its
    // platform, its signals and its Offload work again, with all that is active on it. Work that a
    // thread of the parent had begun or queued, and file operations, end as cancelled; the parent's
    // other loops must not be used. The error of the system leaves the loop unusable.
    Status renew_after_fork();

    // From now on a blocking wait has this signal blocked (SIGPROF, for a program under a profiler).
    Status block_in_wait(int signal_number) noexcept {
        return platform_.block_in_wait(signal_number);
    }

    // The error `device_or_resource_busy` while handles are open or requests active. Afterwards
    // calls from foreign threads fail with `owner_dead`.
    Status close() noexcept;

    // Visits each handle that is not closed, in the order of their starts, then those that were made
    // on the loop's thread and not started; the visitor may close any of them.
    template <class Visitor>
    void walk(Visitor visit) {
        for (HandleQueue* list : {&closing_, &handles_, &made_}) {
            HandleQueue batch;
            batch.take_all(*list);
            while (Handle* handle = batch.pop_front()) {
                list->push_back(*handle);
                visit(*handle);
            }
        }
    }

    [[nodiscard]] const Metrics& metrics() const noexcept { return metrics_; }
    // From now on a blocking wait looks first, to count what was there before it: one more system
    // call for a wait that blocks.
    void count_waiting_events() noexcept { counts_waiting_ = true; }
    [[nodiscard]] std::size_t active_handle_count() const noexcept { return active_handles_; }
    [[nodiscard]] std::size_t active_request_count() const noexcept { return active_requests_; }
    [[nodiscard]] std::size_t closing_handle_count() const noexcept { return closing_handles_; }
    [[nodiscard]] std::uint64_t ops_in_flight() const noexcept { return kernel_.ops_in_flight(); }

    [[nodiscard]] Platform& platform() noexcept { return platform_; }
    [[nodiscard]] Sockets& sockets() noexcept { return platform_.environment()->sockets(); }

    // Adds a machine that serves op kinds of the host's own, for OpRequest. It is a child of the
    // loop until remove_server.
    void add_server(Machine& machine) { dispatcher_.add_child(machine); }
    void remove_server(Machine& machine) noexcept { dispatcher_.remove_child(machine); }

private:
    friend class ActiveRequest;
    friend class Async;
    friend class Child;
    friend class FdPoll;
    friend class Handle;
    friend class Hook;
    friend class StreamHandle;
    friend class Timer;
    friend class Udp;
    friend class Work;

    using HandleQueue = Queue<Handle, HandleLinks>;
    using HookQueue = Queue<Hook, struct HookLinks>;

    // The app machine: dispatches completed ops to their handle or request, and runs calls from
    // foreign threads.
    class Dispatcher final : public Machine {
    public:
        explicit Dispatcher(PhasedLoop& loop) noexcept : Machine("handles"), loop_(loop) {}
        using Machine::cancel;
        using Machine::pass_on_now;
        using Machine::submit;
        using Machine::submit_now;
        using Machine::withdraw_now;

    protected:
        void tick(Instant now) override;

    private:
        PhasedLoop& loop_;
    };

    // Not the address of a thread_local: in a shared library each look at one is a call.
    static const void* this_thread() noexcept { return __builtin_thread_pointer(); }

    // The phases.
    void run_pending() noexcept;
    void run_hooks(HookQueue& hooks) noexcept;
    void wait_and_deliver(bool may_block) noexcept;
    void look_and_deliver(bool must_look) noexcept;
    void block_and_deliver() noexcept;
    void run_sent() noexcept;
    void run_late_reports() noexcept;
    void run_closing() noexcept;
    bool run_timers() noexcept;

    void close_now(Fd fd) noexcept;
    void submit(gyre::Request& op, OpReceiver& receiver) noexcept;
    [[nodiscard]] Status submit_now(gyre::Request& op, OpReceiver& receiver) noexcept;
    void turn(Instant until) noexcept;
    void wait_for_room(Work& work) noexcept;
    void hand_over_waiting_work() noexcept;
    [[nodiscard]] bool must_not_wait() const noexcept;
    bool take_due_timers(Instant now) noexcept;
    void advance_now_to(Instant present) noexcept;
    [[nodiscard]] Instant wake_by() noexcept;
    void report_stuck() const;

    Platform& platform_;
    Dispatcher dispatcher_{*this};
    gyre::Loop kernel_;
    const CallLimits call_limits_;
    ForeignCalls foreign_calls_{call_limits_.call_count_max};
    // Relaxed: a thread finds its own mark only if it has stored it.
    Atomic<const void*> thread_mark_;
    Instant now_;
    gyre::Timers timers_;
    OpQueue due_timers_;      // removed from timers_, not yet called
    OpQueue started_timers_;  // started during a timer pass: run in the next pass
    HandleQueue made_;        // not started yet: they need not be closed
    HandleQueue handles_;
    HandleQueue closing_;
    HookQueue idles_;
    HookQueue prepares_;
    HookQueue checks_;
    Queue<ActiveRequest, RequestLinks> requests_;
    Queue<ActiveRequest, PendingLinks> pending_;
    Queue<Work, PendingLinks> waiting_work_;  // for room in the pool
    Instant retry_work_at_;
    Queue<Async, SentLinks> sent_;  // of one wake, in the order in which they were made
    std::uint64_t async_count_ = 0;
    Queue<LateReport, LateLinks> late_;
    std::vector<FdPoll*> polls_;      // the active one of each descriptor, by its number
    std::size_t active_handles_ = 0;  // with a reference
    std::size_t active_requests_ = 0;
    std::size_t closing_handles_ = 0;
    std::size_t do_not_wait_count_ = 0;
    std::uint64_t delivered_ = 0;
    // Kernel turns until all submitted ops have reached the system: the first passes them to the
    // platform, which may submit them in its next poll. A level-triggered FdPoll that was called
    // back needs one more.
    std::uint32_t turns_needed_ = 0;
    Metrics metrics_;
    bool counts_waiting_ = false;
    bool is_stopping_ = false;
    bool is_closed_ = false;
    bool is_running_ = false;
    bool is_in_timer_pass_ = false;
    bool is_now_fresh_ = false;  // the clock was read, and no callback has run since
};

// Here because they write the loop's lists and counts: a timer calls both each time it fires.
inline void Handle::enlist() noexcept {
    if (has(enlisted)) return;
    set(enlisted, true);
    if (is_linked()) unlink();  // from the list of those that were only made
    loop_.handles_.push_back(*this);
}

inline void Handle::activate() noexcept {
    if (has(active)) return;
    enlist();
    set(active, true);
    if (has_ref()) ++loop_.active_handles_;
}

inline void Handle::deactivate() noexcept {
    if (!has(active)) return;
    set(active, false);
    if (has_ref()) --loop_.active_handles_;
}

template <class Function>
auto Handle::call_on_loop(Function function) {
    return loop_.call(std::move(function));
}

}  // namespace gyre::handle
