// SPDX-License-Identifier: Apache-2.0
// The end of scheduler.hpp, which includes it. RunHandle<T>: a look at a run: its state, its
// outcome, a way to cancel it. Dropping the handle leaves the run alone. Only on the run's own
// thread, and not longer than its scheduler.
#pragma once

#include <utility>

#include "gyre/effect/scheduler.hpp"
#include "gyre/task/coroutine.hpp"

namespace gyre::effect {

template <class T>
class RunHandle {
public:
    using value_type = RunOutcome<T>;

    explicit RunHandle(Run& run) noexcept : run_(&run) { run.pin(); }
    RunHandle(RunHandle&& other) noexcept : run_(std::exchange(other.run_, nullptr)) {}
    RunHandle& operator=(RunHandle&& other) noexcept {
        std::swap(run_, other.run_);
        return *this;
    }
    ~RunHandle() {
        if (run_ != nullptr) run_->unpin();
    }

    // For Scheduler::cancel, from any thread.
    [[nodiscard]] RunId id() const noexcept { return run_->id; }
    [[nodiscard]] RunState state() const noexcept { return run_->state; }
    [[nodiscard]] bool is_terminal() const noexcept { return run_->is_terminal(); }
    // Whether that ended it: false where it had an outcome already.
    bool cancel(CancelReason reason = {}) {
        return run_->scheduler.cancel(*run_, std::move(reason));
    }

    // Once it is terminal; as often as one likes.
    [[nodiscard]] RunOutcome<T> outcome() const {
        GYRE_ASSERT(is_terminal(), "run %llu has no outcome yet: await it",
                    static_cast<unsigned long long>(run_->id));
        if (run_->end == RunEndKind::failed) return RunOutcome<T>(run_->ending().error);
        if (run_->end == RunEndKind::cancelled) return RunOutcome<T>(run_->ending().reason);
        if constexpr (std::is_void_v<T>) {
            return RunOutcome<T>(Unit{});
        } else {
            return RunOutcome<T>(Codec<T>::from(run_->value()));
        }
    }

    // `co_await handle` gives the outcome, and never throws it. Cancelling the wait leaves the run
    // alone. Cancel class: did nothing.
    [[nodiscard]] auto await_in(PromiseBase& promise) & noexcept { return Await(promise, *this); }

private:
    class Await final : public ListedWait {
    public:
        Await(PromiseBase& promise, const RunHandle& handle) noexcept : handle_(handle) {
            attach(promise);
        }
        [[nodiscard]] bool await_ready() noexcept { return handle_.is_terminal() || begin(); }
        void await_suspend(std::coroutine_handle<> by) {
            handle_.run_->need_extras().waiters.push_fresh(*this);
            is_waiting_ = true;
            wait(by);
        }
        RunOutcome<T> await_resume() {
            if (is_waiting_ || !handle_.is_terminal()) end();
            return handle_.outcome();
        }
        [[nodiscard]] const char* what() const noexcept override { return "the end of a run"; }

    private:
        const RunHandle& handle_;
        bool is_waiting_ = false;
    };

    Run* run_;
};

template <class T>
RunHandle<T> Scheduler::start(Guest& guest, const Handlers& handlers, std::string_view entry,
                              Arguments arguments, StartOptions options) {
    Run& run = add_run(guest, handlers, entry, std::move(arguments), options);
    if constexpr (!std::is_same_v<T, Value>) run.accepts = &Codec<T>::fits;
    return RunHandle<T>(run);
}

template <class T>
Future<T> Scheduler::call(Guest& guest, const Handlers& handlers, std::string_view entry,
                          Arguments arguments, StartOptions options) {
    RunHandle<T> run = start<T>(guest, handlers, entry, std::move(arguments), options);
    // In the frame: leaving the wait in another way than by its end cancels the run.
    struct CancelOnExit {
        RunHandle<T>& run;
        ~CancelOnExit() {
            if (!run.is_terminal()) run.cancel("the call for it was cancelled");
        }
    } const cancel_on_exit{run};
    RunOutcome<T> outcome = co_await run;
    co_return std::move(outcome).take();
}

}  // namespace gyre::effect
