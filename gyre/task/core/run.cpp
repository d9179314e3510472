// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/run.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "gyre/base/log.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/task/core/detail/blocking_watch.hpp"
#include "gyre/task/core/detail/suspension.hpp"
#include "gyre/task/core/detail/task_report.hpp"
#include "gyre/task/core/internal/stop_deadline.hpp"

namespace gyre {
namespace {

void say(std::string_view text) {
    std::fprintf(stderr, "gyre: %.*s", static_cast<int>(text.size()), text.data());
}

}  // namespace

// Handles the signals that end a program. Belongs to the run; its ops have completed before it is
// destroyed, because the loop closes first.
class ProgramRun::StopSignals final : public TimerWait {
public:
    explicit StopSignals(ProgramRun& run) : run_(run) {
        for (SignalOp* op : {&interrupt_, &terminate_, &quit_}) {
            op->ends_process_when_unheard = true;
        }
        for (SignalOp* op : all_) run_.executor_.submit_background(*op, *this);
    }

    void cancel() noexcept override {
        for (SignalOp* op : all_) run_.executor_.cancel(*op);
        run_.executor_.cancel(timer());
    }

    void on_notify(StandingOp& op) noexcept override {
        auto& signal = static_cast<SignalOp&>(op);
        const std::uint32_t count = signal.take_count();
        if (&signal == &pipe_ || count == 0) return;
        const bool is_first = &signal == &interrupt_ && !is_stopping_ && count == 1;
        if (&signal == &quit_ || (is_first && run_.options_.reports_on_interrupt)) {
            say("what the program waits for:\n" + run_.executor_.report());
        }
        if (&signal == &quit_) return;
        if (is_stopping_ || count > 1) std::_Exit(128 + signal.signal_number);
        is_stopping_ = true;
        CancelReason reason(&signal == &interrupt_ ? "SIGINT" : "SIGTERM");
        reason.who = "a signal";
        run_.executor_.root().cancel(std::move(reason));
        timer().deadline = run_.loop_.now() + run_.options_.stop_within;
        run_.executor_.submit_background(*this);
        if (!run_.loop_.platform().is_simulated()) deadline_.start(run_.options_.stop_within);
    }

    void on_complete(Op& op) noexcept override {
        if (op.is_cancelled()) return;
        if (&op != &timer()) {
            log(LogLevel::warn, "signal %d cannot be waited for: the system's default holds",
                static_cast<SignalOp&>(op).signal_number);
            return;
        }
        // Their ops may never complete, so the loop cannot be closed.
        say("these tasks did not end in time after a signal:\n" + run_.executor_.dump_tasks());
        std::fflush(nullptr);
        std::_Exit(static_cast<int>(ExitCode::cancelled));
    }
    [[nodiscard]] const char* what() const noexcept override { return "signals"; }

private:
    ProgramRun& run_;
    SignalOp interrupt_{SIGINT};
    SignalOp terminate_{SIGTERM};
    SignalOp quit_{SIGQUIT};
    SignalOp pipe_{SIGPIPE};
    const std::array<SignalOp*, 4> all_{&interrupt_, &terminate_, &quit_, &pipe_};
    bool is_stopping_ = false;
    StopDeadline deadline_;
};

ProgramRun::ProgramRun(Platform& platform, const RunOptions& options)
    : options_(options), executor_(options.executor), loop_(platform, executor_, options.loop) {
    GYRE_ASSERT(options_.stop_within >= Duration(0), "stop_within is negative: 0 ends at once");
    GYRE_ASSERT(options_.blocked_after >= Duration(0),
                "blocked_after is negative: 0 leaves the watchdog off");
    executor_.root().set_ends_with_others();
    executor_.set_failure_sink([](std::string_view report) { say(report); });
    if (options_.blocked_after > Duration(0)) {
        watch_ = std::make_unique<BlockingWatch>(platform, executor_, options_.blocked_after);
    }
    if (!options_.handles_signals) return;
    signals_ = std::make_unique<StopSignals>(*this);
    loop_.turn();  // The platform handles signals before main starts.
}

ProgramRun::~ProgramRun() {
    close();
}

void ProgramRun::close() noexcept {
    if (signals_ != nullptr) signals_->cancel();
    loop_.close();
}

// Runs the tasks first; when none is left, a task of another scope runs the clean-ups of the root
// scope.
void ProgramRun::turn() {
    turn_until_tasks_end();
    if (executor_.task_count() > 0) return;
    Scope last(executor_, nullptr, {.name = "end of the program"});
    auto joined = last.spawn(executor_.root().join());
    turn_until_tasks_end();
    if (joined.is_completed()) failure_ = joined.outcome().failure();
}

void ProgramRun::turn_until_tasks_end() {
    const Loop::End end = loop_.run();
    if (executor_.task_count() == 0) return;
    if (end != Loop::End::stopped) return end_deadlock();
    executor_.root().cancel("the loop was stopped");
    turn_until_tasks_end();
}

void ProgramRun::end_deadlock() {
    if (is_deadlocked_) return;
    is_deadlocked_ = true;
    say("deadlock: nothing can wake the tasks that wait:\n" +
        TaskReport::tasks_and_cycles(executor_));
    executor_.root().cancel("deadlock");
    static_cast<void>(loop_.run());
    if (executor_.task_count() == 0) return;
    say("these tasks did not end when they were cancelled:\n" + executor_.dump_tasks());
}

void ProgramRun::say_cancelled(const std::exception_ptr& cancelled) const {
    say("task '" + options_.name + "' was " + TaskReport::text_of(cancelled) + "\n");
}

}  // namespace gyre
