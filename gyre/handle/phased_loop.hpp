// SPDX-License-Identifier: Apache-2.0
// PhasedLoop: libuv's event loop on gyre's kernel: handles and requests with callbacks, run in
// phases (run() in phased_loop.cpp is the order). It belongs to the thread that made it, until
// another one calls `adopt`; the platform and the offload outlive it, and it outlives its handles.
//
// Threads: what returns a Carried, and `metrics`, may be called by any thread. Exceptions, for the
// loop's own thread only: run, adopt, close and destruction (one thread runs a loop), now,
// update_now, is_alive, next_timeout, alive_reasons, walk and the counts (they tell of a moment
// that is over before a foreign thread hears of it: ask through `call`), add_server (a machine is
// the thread's own).
#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "gyre/handle/active_request.hpp"
#include "gyre/handle/handle.hpp"
#include "gyre/handle/internal/carrier.hpp"
#include "gyre/handle/metrics.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/kernel/sockets.hpp"

namespace gyre::handle {

enum class RunMode {
    until_done,  // until the loop is not alive any more, or stopped
    once,        // one iteration, which waits; timers that got due meanwhile have run
    no_wait,     // one iteration, which does not
};

// Something that keeps the loop alive, and where it was made.
struct AliveReason {
    enum class Why { active_handle, active_request, closing_handle };
    Why why;
    const char* kind;
    std::source_location made_at;

    [[nodiscard]] std::string to_string() const;
};

class Timer;
class Hook;
class FdPoll;

class PhasedLoop {
public:
    explicit PhasedLoop(Platform& platform, LoopOptions options = {});
    // Everything must be closed: see close.
    ~PhasedLoop();
    PhasedLoop(const PhasedLoop&) = delete;
    PhasedLoop& operator=(const PhasedLoop&) = delete;

    // Returns whether the loop is still alive. A stop before it makes it return at once, one time.
    bool run(RunMode mode = RunMode::until_done) noexcept;
    // The run under way ends with its iteration, whose check, close and timer callbacks still run.
    // A loop that waits is woken.
    Carried<Status> stop();

    // An active handle with a reference, an active request, or a closing handle.
    [[nodiscard]] bool is_alive() const noexcept;
    [[nodiscard]] std::vector<AliveReason> alive_reasons() const;

    // The time of this iteration: reading it costs nothing.
    [[nodiscard]] Instant now() const noexcept { return now_; }
    void update_now() noexcept;

    // How long an iteration that starts now could wait: 0 where something is to do, nothing for
    // "without limit". For a loop inside another one: wait so long for backend_fd to get readable,
    // then run(RunMode::no_wait).
    [[nodiscard]] std::optional<Duration> next_timeout() noexcept;
    // -1 on a platform that has none.
    [[nodiscard]] Fd backend_fd() const noexcept { return platform_.backend_fd(); }

    // Calls the function on the loop's thread: at once, or carried there from a foreign thread.
    template <class Function>
    auto call(Function function) -> Carried<typename FunctionCall<Function>::Value> {
        if (is_here()) return FunctionCall<Function>::value_of(function);
        auto* state = new CarriedState<typename FunctionCall<Function>::Value>;
        carrier_.send(kernel_, *new FunctionCall<Function>(std::move(function), *state));
        return Carried<typename FunctionCall<Function>::Value>(*state);
    }
    [[nodiscard]] bool is_here() const noexcept { return thread_mark_ == this_thread(); }

    // From now on the loop belongs to the calling thread. Only while nobody else uses it and
    // nothing is active.
    void adopt() noexcept;

    // The error `device_or_resource_busy` while handles are open or requests active. Afterwards
    // carried calls are refused.
    Status close() noexcept;

    // Each handle that was started and is not closed; the visitor may close any of them.
    template <class Visitor>
    void walk(Visitor visit) {
        for (HandleQueue* list : {&closing_, &handles_}) {
            HandleQueue batch;
            batch.take_all(*list);
            while (Handle* handle = batch.pop_front()) {
                list->push_back(*handle);
                visit(*handle);
            }
        }
    }

    [[nodiscard]] const Metrics& metrics() const noexcept { return metrics_; }
    [[nodiscard]] std::size_t active_handle_count() const noexcept { return active_handles_; }
    [[nodiscard]] std::size_t active_request_count() const noexcept { return active_requests_; }
    [[nodiscard]] std::size_t closing_handle_count() const noexcept { return closing_handles_; }
    [[nodiscard]] std::uint64_t ops_in_flight() const noexcept { return kernel_.ops_in_flight(); }

    [[nodiscard]] Platform& platform() noexcept { return platform_; }
    [[nodiscard]] Sockets& sockets() noexcept { return platform_.sockets(); }

    // A machine that serves op kinds of the host's own, for OpRequest. It is the loop's child from
    // here to remove_server.
    void add_server(Machine& machine) { desk_.add_child(machine); }
    void remove_server(Machine& machine) noexcept { desk_.remove_child(machine); }

private:
    friend class Handle;
    friend class ActiveRequest;
    friend class Timer;
    friend class Hook;
    friend class FdPoll;

    using HandleQueue = Queue<Handle, HandleLinks>;
    using HookQueue = Queue<Hook, struct HookLinks>;

    // The app machine: hands what the kernel delivers to its handle or request, and carries calls
    // out.
    class Desk final : public Machine {
    public:
        explicit Desk(PhasedLoop& loop) noexcept : Machine("handles"), loop_(loop) {}
        using Machine::cancel;
        using Machine::submit;

    protected:
        void tick(Instant now) override;

    private:
        PhasedLoop& loop_;
    };

    static const void* this_thread() noexcept;

    // The phases.
    void run_pending() noexcept;
    void run_hooks(HookQueue& hooks) noexcept;
    void wait_and_deliver(bool may_block) noexcept;
    void run_closing() noexcept;
    void run_timers() noexcept;

    void submit(gyre::Request& op, OpReceiver& receiver) noexcept;
    void turn(Instant until) noexcept;
    [[nodiscard]] bool must_not_wait() const noexcept;
    bool take_due_timers(Instant now) noexcept;
    [[nodiscard]] Instant wake_by() noexcept;
    void report_stuck() const;

    Platform& platform_;
    Desk desk_{*this};
    gyre::Loop kernel_;
    Carrier carrier_;
    const void* thread_mark_;
    Instant now_;
    gyre::Timers timers_;
    OpQueue due_timers_;      // taken out of timers_, not called yet
    OpQueue started_timers_;  // started in a pass over the timers, which they wait out
    HandleQueue handles_;
    HandleQueue closing_;
    HookQueue idles_;
    HookQueue prepares_;
    HookQueue checks_;
    Queue<ActiveRequest, RequestLinks> requests_;
    Queue<ActiveRequest, PendingLinks> pending_;
    std::size_t active_handles_ = 0;  // with a reference
    std::size_t active_requests_ = 0;
    std::size_t closing_handles_ = 0;
    std::size_t do_not_wait_count_ = 0;
    std::uint64_t delivered_ = 0;
    // Turns until all that was submitted is with the system: one takes it to the platform, which
    // may keep it for its next look. A poll that was called back is looked at in the next one too.
    std::uint32_t turns_needed_ = 0;
    Metrics metrics_;
    bool is_stopping_ = false;
    bool is_closed_ = false;
    bool is_running_ = false;
    bool is_in_timer_pass_ = false;
};

template <class Function>
auto Handle::carry(Function function) {
    return loop_.call(std::move(function));
}

}  // namespace gyre::handle
