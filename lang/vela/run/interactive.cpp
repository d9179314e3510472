// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/run/interactive.hpp"

#include <utility>

#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/run/internal/other_machines.hpp"
#include "lang/vela/run/internal/tasks.hpp"
#include "lang/vela/run/internal/vm.hpp"

namespace gyre::vela {

void Interruption::request() noexcept {
    if (wake_ == nullptr) return;
    is_requested_ = true;
    wake_->set();
}

// One input while it runs.
class InteractiveInput {
public:
    InteractiveInput(vm::Vm& machine, vm::Tasks& tasks, Interruption& interruption)
        : machine_(machine), tasks_(tasks), interruption_(interruption) {
        interruption_.wake_ = &tasks.is_over();
        interruption_.is_requested_ = false;
    }
    ~InteractiveInput() {
        interruption_.wake_ = nullptr;
        machine_.input = nullptr;
        machine_.is_cut_off = false;
    }
    InteractiveInput(const InteractiveInput&) = delete;
    InteractiveInput& operator=(const InteractiveInput&) = delete;

    gyre::Future<InputOutcome> run(AddedInput input) {
        const auto& all = machine_.lowered.globals;
        for (std::size_t i = input.first_globals; i < all.size() && !is_failed(); ++i) {
            // Variables of the standard surface are made by the host on first use.
            if (all[i]->module->is_standard) continue;
            if (all[i]->kind == CodeKind::plain) {
                run_plain(*all[i]);
            } else {
                start(*all[i]);
                co_await wait_for_end();
            }
        }
        if (!is_failed() && input.value != nullptr) outcome_.text = value_text(*input.value);
        co_return std::move(outcome_);
    }

private:
    [[nodiscard]] bool is_failed() const noexcept { return outcome_.is_error || tasks_.is_ended(); }

    void fail(vm::Word error) {
        outcome_.is_error = true;
        const bool is_wanted = interruption_.is_requested_ || machine_.host.is_interrupted();
        outcome_.text = is_wanted && machine_.is_cancelled(error)
                            ? "interrupted"
                            : concat("Uncaught ", vm::printed(error));
    }

    // The variables of an imported file.
    void run_plain(const Code& code) {
        try {
            vm::Frame* frame = machine_.make_frame(*machine_.assembled().function_of(&code), {});
            const vm::Step step = machine_.run(*frame, {});
            if (step.kind == vm::StepKind::fails) fail(step.value);
        } catch (const vm::Ended&) {
        }
    }

    void start(const Code& code) {
        is_settled_ = false;
        tasks_.is_over().reset();
        handle_ = tasks_.spawn(*machine_.make_frame(*machine_.assembled().function_of(&code), {}));
        machine_.input = handle_;
        const auto on_end = [this](vm::Vm& /*of*/, std::span<const vm::Word> kept) {
            const auto& ended = *static_cast<vm::Deferred*>(kept[0].thing());
            if (ended.state == vm::FutureState::rejected) fail(ended.result);
            is_settled_ = true;
            machine_.input = nullptr;
            tasks_.is_over().set();
        };
        tasks_.when_settled(*handle_, {handle_}, on_end);
    }

    gyre::Future<void> wait_for_end() {
        bool is_cancelled = false;
        while (!is_settled_ && !tasks_.is_ended()) {
            co_await tasks_.is_over().wait();
            tasks_.is_over().reset();
            if (is_settled_ || tasks_.is_ended()) break;
            const bool is_stuck = tasks_.is_idle();
            if (is_stuck && !is_cancelled) {
                machine_.host.report(
                    "deadlock: the input waits on a Future that nothing can settle");
            }
            if (!is_stuck && !interruption_.is_requested_) continue;
            // A second request finds the task in its clean-ups: it is thrown out of these too.
            machine_.is_cut_off = true;
            if (!std::exchange(is_cancelled, true)) static_cast<void>(tasks_.cancel(*handle_));
            // Nothing can wake it any more, not even to clean up.
            if (is_stuck && tasks_.is_idle() && !is_settled_) break;
        }
    }

    std::string value_text(const Symbol& symbol) const {
        const auto place = machine_.assembled().globals.find(&symbol);
        if (place == machine_.assembled().globals.end()) return {};
        const vm::Word value = machine_.globals[place->second];
        if (value.is_nothing() || value.is_missing()) return {};
        std::string text = vm::written(value);
        // What cannot be written is shown by its type.
        if (text.starts_with('<')) text = concat("<", type_text(symbol.type), ">");
        return text;
    }

    vm::Vm& machine_;
    vm::Tasks& tasks_;
    Interruption& interruption_;
    vm::TaskHandle* handle_ = nullptr;  // alive until it is settled
    bool is_settled_ = false;
    InputOutcome outcome_;
};

gyre::Future<int> run_interactive(Lowered& lowered, InputSource& source, Interruption& interruption,
                                  RunHost& host, MachineOptions options,
                                  NativeLibraries libraries) {
    Task& task = co_await this_task();
    PromiseBase* promise = co_await vm::ThisPromise();
    vm::Vm machine(lowered, options, host, std::move(libraries));
    vm::HostClock clock(host);
    Scope scope(task.executor(), &task, {.name = "vela", .cancels_on_failure = false});
    vm::Tasks tasks(machine, scope, *promise, clock);
    std::exception_ptr cancelled;
    try {
        while (!tasks.is_ended()) {
            const std::optional<AddedInput> input = co_await source.next();
            if (!input) break;
            if (std::string problem = machine.extend(); !problem.empty()) {
                source.show({true, std::move(problem)});
                continue;
            }
            InteractiveInput running(machine, tasks, interruption);
            const InputOutcome outcome = co_await running.run(*input);
            tasks.report_failures();
            host.flush();
            if (!tasks.is_ended()) source.show(outcome);
        }
    } catch (const Cancelled&) {
        cancelled = std::current_exception();
    }
    const int exit_code = cancelled ? 4 : tasks.exit_code();
    tasks.end(exit_code);
    scope.cancel("the program has ended");
    co_await scope.all_ended();
    co_await tasks.withdraw_timers();
    host.flush();
    co_return exit_code;
}

}  // namespace gyre::vela

namespace gyre::vela::vm {

void Tasks::report_failures() {
    for (const TaskHandle* handle : std::exchange(failed_, {})) {
        if (handle->is_observed) continue;
        report_failed("unhandled rejection in task ", handle->name(), handle->result);
    }
}

}  // namespace gyre::vela::vm
