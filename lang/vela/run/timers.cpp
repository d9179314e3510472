// SPDX-License-Identifier: Apache-2.0
// What wakes tasks from outside: timers, work of gyre; callbacks and messages; and the end.
#include <algorithm>
#include <memory>
#include <utility>

#include "lang/vela/run/internal/exchange.hpp"
#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/internal/portable.hpp"
#include "lang/vela/run/internal/tasks.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {

void Timer::trace(Marker& marker) {
    marker.mark(function);
    marker.mark(gate);
    marker.mark(gate_value);
}

void Timer::fire(Tasks& tasks) {
    if (gate != nullptr && !gate->is_settled()) {
        tasks.settle(*gate, FutureState::fulfilled, gate_value);
    }
    if (!function.is_missing()) tasks.call_later(function, "setTimeout");
}

void ProgramTimer::start(Tasks& tasks, std::int64_t delay_ms) {
    const std::int64_t delay = std::clamp<std::int64_t>(delay_ms, 0, INT32_MAX);
    tasks.begin_outside();
    tasks_ = &tasks;
    place_ = static_cast<std::uint32_t>(tasks.timers_.size());
    tasks.timers_.push_back(this);
    tasks.has_no_timers_.reset();
    attach(tasks.promise_);
    deadline = tasks.clock_.now() + std::chrono::milliseconds(delay);
    is_in_flight_ = true;
    executor().submit_for(*this);
}

void ProgramTimer::clear() noexcept {
    is_cleared_ = true;
    if (is_in_flight_) executor().cancel(timer());
}

void ProgramTimer::on_complete(Op& /*op*/) noexcept {
    is_in_flight_ = false;
    Tasks& tasks = *tasks_;
    tasks.timers_[place_] = tasks.timers_.back();
    tasks.timers_[place_]->place_ = place_;
    tasks.timers_.pop_back();
    if (tasks.timers_.empty()) tasks.has_no_timers_.set();
    const bool fires = !std::exchange(is_cleared_, true) && !tasks.is_ended();
    if (fires) fire(tasks);
    tasks.end_outside();
}

Timer* Tasks::start_timer(std::int64_t delay_ms) {
    auto* timer = vm.heap.make<Timer>();
    timer->start(*this, delay_ms);
    return timer;
}

// The Future of a sleep is its timer: it belongs to the task that awaits it first, which waits on it
// as on the Future of another task, and settles it in its own turn.
struct Sleep final : Deferred, ProgramTimer {
    explicit Sleep(std::int64_t delay_ms) noexcept : delay_ms_(delay_ms) {}
    [[nodiscard]] std::string_view name() const noexcept override { return "sleep"; }

    Step resume(Vm& vm, const Resume& with) override {
        if (!std::exchange(is_begun_, true)) {
            start(*vm.tasks, delay_ms_);
            return {StepKind::waits, this};
        }
        // A cancelled sleep removes its timer.
        clear();
        return {with.kind == ResumeKind::error ? StepKind::fails : StepKind::ends, with.value};
    }

private:
    [[nodiscard]] Thing& owner() noexcept override { return *this; }
    void fire(Tasks& tasks) override {
        // A task that was cancelled is on its way to end it.
        const bool is_awaited = first_waiting != nullptr && first_waiting->chain.back() == this;
        if (is_awaited) tasks.wake(*std::exchange(first_waiting, nullptr), {});
    }

    std::int64_t delay_ms_;
    bool is_begun_ = false;
};

Deferred* Tasks::sleep(std::int64_t delay_ms) {
    return vm.heap.make<Sleep>(delay_ms);
}

std::int64_t Tasks::now_ms() {
    const Duration since = vm.host.read_clock() - started_;
    return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

void Tasks::end_outside() noexcept {
    GYRE_ASSERT(active_count_ > 0, "something ended that had not begun");
    // The program is about to wait.
    if (turns_.is_empty()) vm.host.flush();
    if (--active_count_ > 0) return;
    if (vm.exchange == nullptr) {
        is_over_.set();
    } else {
        vm.exchange->machines.deactivate();
    }
}

void Tasks::on_active() noexcept {
    if (vm.exchange != nullptr) vm.exchange->machines.activate();
}

std::size_t Tasks::keep(Word word) {
    if (free_kept_.empty()) {
        kept_.push_back(word);
        return kept_.size() - 1;
    }
    const std::size_t number = free_kept_.back();
    free_kept_.pop_back();
    kept_[number] = word;
    return number;
}

void Tasks::forget(std::size_t number) {
    kept_[number] = {};
    free_kept_.push_back(number);
}

StartedWork Tasks::start_work(std::string_view name, Work work, Word args) {
    Deferred* future = make_pending(name);
    begin_outside();
    auto run = [this, future, kept = keep(future), kept_args = keep(args),
                body = std::move(work)]() mutable -> gyre::Future<void> {
        try {
            co_await body(vm, *future);
        } catch (const Thrown& thrown) {
            if (!future->is_settled()) settle(*future, FutureState::rejected, thrown.error);
        } catch (const gyre::Cancelled&) {
            const Word error = vm.error("CancelledError", "the task was cancelled");
            if (!future->is_settled()) settle(*future, FutureState::rejected, error);
        } catch (const std::exception& error) {
            const Word thrown = vm.error("Error", error.what());
            if (!future->is_settled()) settle(*future, FutureState::rejected, thrown);
        }
        if (!future->is_settled()) settle(*future, FutureState::fulfilled, Word::nothing());
        forget(kept);
        forget(kept_args);
        end_outside();
    };
    return {future, scope.spawn(std::move(run))};
}

namespace {

NativeRoutine worked(Tasks* tasks, std::string_view name, Tasks::Work work, Word args) {
    Kept kept = co_await keep();
    StartedWork started = tasks->start_work(name, std::move(work), args);
    Deferred* future = started.future;
    kept.add(future);
    const Settled settled = co_await future;
    if (!future->is_settled()) started.task.cancel("the task of the program was cancelled");
    co_return settled.get();
}

}  // namespace

Deferred* Tasks::make_work(std::string_view name, Work work, std::span<const Word> args) {
    const Word all = vm.heap.make<Tuple>(std::vector<Word>(args.begin(), args.end()));
    return make_native(name, worked(this, name, std::move(work), all).keeping({all}));
}

gyre::Future<Settled> Tasks::outcome_of(Deferred& future) {
    Deferred* const awaited = &future;
    const std::size_t kept = keep(awaited);
    // Shared with the callback, which may come after this coroutine is gone.
    const auto settled = std::make_shared<Event>();
    const auto callback = [settled](Vm& /*of*/, std::span<const Word> /*kept*/) { settled->set(); };
    when_settled(*awaited, {}, callback);
    start(*awaited);
    std::exception_ptr cancelled;
    try {
        co_await settled->wait();
    } catch (const Cancelled&) {
        cancelled = std::current_exception();
    }
    forget(kept);
    if (cancelled) std::rethrow_exception(cancelled);
    co_return Settled{awaited->state == FutureState::rejected, awaited->result};
}

void Tasks::call_later(Word function, const char* name) {
    add_turn({function.thing(), name});
}

void Tasks::call_now(Word function, std::string_view name) {
    Rooted roots(vm);
    roots.add(function);
    try {
        static_cast<void>(vm.call(function, {}));
    } catch (const Thrown& thrown) {
        report_failed("unhandled rejection in task ", name, thrown.error);
    }
}

ActorRef* Tasks::make_actor(Instance& actor) {
    if (vm.exchange != nullptr) {
        if (ActorRef* elsewhere = vm.exchange->spawn_elsewhere(actor)) return elsewhere;
    }
    // Its fields are copies here too, so that it means the same on one loop and on many.
    try {
        const Word copy = unpack(vm, pack(vm, &actor, Journey::here));
        const auto& object = as<Instance>(copy, Kind::instance);
        std::copy_n(const_cast<Instance&>(object).slots(), object.slot_count, actor.slots());
    } catch (const Thrown&) {
        // It holds a server or the like, which cannot be copied and cannot be sent either.
    }
    return make_actor_here(actor);
}

ActorRef* Tasks::make_actor_here(Instance& actor) {
    auto* reference = vm.heap.make<ActorRef>(&actor);
    actor.actor = reference;
    return reference;
}

void Tasks::send(ActorRef& to, Word message) {
    if (to.actor == nullptr) return vm.exchange->send(to, message);
    deliver(to, copy_for_actor(vm, message));
}

// Every message is a turn of its own, in order; while a handler waits, the next message is handled.
void Tasks::deliver(ActorRef& to, Word message) {
    to.mailbox.push_back(message);
    queue_message(to);
}

void Tasks::queue_message(ActorRef& to) {
    add_turn({&to});
}

void Tasks::handle_next(ActorRef& to) {
    if (to.busy != nullptr) {
        ++to.missed_turns;
        return;
    }
    GYRE_ASSERT(to.next_message < to.mailbox.size(), "each message has one turn");
    const Word message = std::exchange(to.mailbox[to.next_message++], Word());
    if (to.next_message == to.mailbox.size()) {
        to.mailbox.clear();
        to.next_message = 0;
    }
    GYRE_ASSERT(to.actor != nullptr, "a message arrives before its actor");
    const Function* handler = to.actor->shape->handler;
    if (handler == nullptr) return;
    const Word args[] = {to.actor, message};
    Frame* frame = std::exchange(to.spare, nullptr);
    if (frame == nullptr) {
        frame = vm.make_frame(*handler, args);
    } else {
        vm.begin_again(*frame, args);
    }
    frame->is_observed = true;
    frame->state = FutureState::running;
    if (vm.tells_steps) {
        VelaTask* task = make_task(*frame, ++task_count_);
        task->actor = &to;
        if (!take_turn(*task)) enqueue(*task);
    } else {
        run_first(*frame, nullptr, &to);
    }
    // Nobody has the Future of a handler.
    if (frame->is_settled()) to.spare = frame;
}

void Tasks::report_handler(const VelaTask& task, Word error) {
    const Instance& actor = *task.actor->actor;
    report_failed("unhandled error in actor ", actor.shape->type->name.text, error);
}

void Tasks::report_failed(std::string_view what, std::string_view name, Word error) {
    vm.host.report(concat(what, name, ": ", printed(error)));
}

// ---- the program

void Tasks::run_main(Deferred* main) {
    begin_outside();
    try {
        for (const Code* code : vm.lowered.globals) {
            // Variables of the standard surface are made by the host on first use.
            if (code->module->is_standard) continue;
            const Step step = vm.run(*vm.make_frame(*vm.assembled().function_of(code), {}), {});
            if (step.kind == StepKind::fails) throw Thrown{step.value};
        }
        main_ = main;
        if (vm.exchange != nullptr) {
            vm.exchange->send_globals();
            vm.exchange->begin_spreading();
        }
        if (main != nullptr) {
            main->is_observed = true;
            const auto report = [](Vm& of, std::span<const Word> kept) {
                const auto& ended = *static_cast<Deferred*>(kept[0].thing());
                if (ended.state == FutureState::rejected) of.tasks->report_uncaught(ended.result);
            };
            when_settled(*main, {main}, report);
            start(*main);
        }
    } catch (const Thrown& thrown) {
        report_uncaught(thrown.error);
    } catch (const Ended&) {
    }
    end_outside();
}

void Tasks::report_uncaught(Word error) {
    std::string text = concat("Uncaught ", printed(error));
    if (vm.options.shows_stack) text += vm.stack_of_error;
    vm.host.report(text);
    main_failed_ = true;
}

void Tasks::end(int exit_code) noexcept {
    if (!exit_code_) {
        exit_code_ = exit_code;
        if (vm.exchange != nullptr) vm.exchange->end(exit_code);
    }
    is_over_.set();
}

bool Tasks::stop_servers() {
    for (auto& [owner, stop] : servers_) stop();
    return !servers_.empty();
}

void Tasks::cancel_all() {
    const Word error = vm.error("CancelledError", "the program was cancelled");
    static_cast<void>(keep(error));
    // A task that has not begun never does.
    const auto queued = turns_.all();
    for (const Turn& turn : std::vector(queued.begin(), queued.end())) {
        if (turn.what->kind == Kind::task_handle) cancel(static_cast<TaskHandle&>(*turn.what));
    }
    for (VelaTask* task = all_; task != nullptr; task = task->next_task) {
        if (task->is_cancel_wanted) continue;
        task->is_cancel_wanted = true;
        throw_at_wait(*task, error);
    }
    for (ProgramTimer* timer : std::vector(timers_)) timer->clear();
}

gyre::Future<void> Tasks::withdraw_timers() {
    for (ProgramTimer* timer : std::vector(timers_)) timer->clear();
    while (!timers_.empty()) co_await has_no_timers_.wait();
}

int Tasks::report() {
    if (exit_code_) return *exit_code_;
    for (const TaskHandle* handle : failed_) {
        if (handle->is_observed) continue;
        report_failed("unhandled rejection in task ", handle->name(), handle->result);
    }
    if (is_stuck()) {
        vm.host.report(concat("deadlock: main waits on a Future that nothing can settle",
                              waiting_text(), waiting_elsewhere_));
        return 3;
    }
    return main_failed_ ? 1 : 0;
}

std::string Tasks::waiting_text() const {
    if (!vm.options.shows_stack) return {};
    std::string text;
    for (const VelaTask* task = all_; task != nullptr; task = task->next_task) {
        text += "\n    a task waits:";
        for (std::size_t i = task->chain.size(); i-- > 0;) {
            const Deferred& future = *task->chain[i];
            if (!future.is_frame) continue;
            const auto& frame = static_cast<const Frame&>(future);
            const auto place = static_cast<std::size_t>(frame.at - frame.function->begin());
            text += vm.place_text(*frame.function, frame.function->begin() + place);
        }
    }
    return text;
}

}  // namespace gyre::vela::vm
