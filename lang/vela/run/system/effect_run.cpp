// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/run/system/internal/effect_run.hpp"

#include <stdexcept>
#include <utility>

#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/internal/polling.hpp"
#include "lang/vela/run/system/internal/effect_values.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

// Ops of the program have this effect. The root's own op has another one: no op of the program can
// have its name.
constexpr std::string_view program_effect = "vela";
constexpr effect::OpInfo next_op("vela.run", "next", effect::ResumeKind::resume);

// Calls a function of the program that gives a Future, and ends as that does.
NativeRoutine called(Vm* vm, Word function, std::optional<Word> argument) {
    Kept kept = co_await keep();
    const Word given = argument.value_or(Word());
    const Word future = vm->call(function, std::span(&given, argument ? 1 : 0));
    auto* awaited = static_cast<Deferred*>(as_future(*vm, future).thing());
    kept.add(awaited);
    const Settled settled = co_await awaited;
    co_return settled.get();
}

}  // namespace

EffectRun::EffectRun(Vm& vm, Word function, Word handlers, Thing* outer)
    : HostThing(vm.standard_type("EffectFunctions")),
      vm_(vm),
      function_(function),
      handler_map_(handlers),
      outer_(outer) {}

void EffectRun::trace(Marker& marker) {
    marker.mark(function_);
    marker.mark(handler_map_);
    marker.mark(functions_);
    marker.mark(outer_);
    marker.mark(outcome_);
    marker.mark(body_);
    for (const auto& [number, request] : requests_) {
        marker.mark(request.answer);
        marker.mark(request.handler);
    }
    for (Deferred* answer : lost_answers_) marker.mark(answer);
}

Deferred* EffectRun::start() {
    Tasks& tasks = *vm_.tasks;
    if (tasks.extension == nullptr) tasks.extension = std::make_unique<EffectHost>(tasks);
    auto& scheduler = static_cast<EffectHost&>(*tasks.extension).scheduler;
    if (scheduler.run_count() >= effect_runs_max) {
        vm_.fail("Error", concat("more than effect_runs_max (", std::to_string(effect_runs_max),
                                 ") runs of effects at once"));
    }
    outcome_ = tasks.make_pending("effects.run");
    kept_.emplace(tasks, Word(this));
    hold_.emplace(tasks);
    handlers_.on(next_op.effect, next_op.op, effect::any_signature,
                 [this](effect::Context&, const effect::Arguments&, effect::Reply reply) {
                     on_next(std::move(reply));
                 });
    for (const Table::Entry& entry : as<Table>(handler_map_, Kind::map).entries) {
        if (entry.key.is_missing()) continue;
        const Word function = functions_.emplace_back(entry.value);
        handlers_.on(program_effect, text_of(entry.key), effect::any_signature,
                     [this, function](effect::Context&, const effect::Arguments& arguments,
                                      effect::Reply reply) {
                         on_asked(function, arguments, std::move(reply));
                     });
    }
    run_.emplace(scheduler.start(*this, handlers_, "run"));
    run_->on_closed([this] { on_closed(); });
    return outcome_;
}

void EffectRun::cancel(const char* why) {
    if (run_) run_->cancel(why);
}

Deferred* EffectRun::ask(const std::string& op, Word args) {
    if (is_over_) vm_.fail("Error", concat("the run that `", op, "` belongs to has ended"));
    effect::Arguments arguments;
    for (const Word arg : as<List>(args, Kind::list).all()) {
        arguments.push_back(to_value(vm_, arg));
    }
    const auto [known, is_new] = ops_.try_emplace(op);
    if (is_new) {
        known->second = effect::OpInfo(program_effect, known->first, effect::ResumeKind::resume);
        known->second.label = known->first;
    }
    new_requests_.push_back(++last_number_);
    Request& request = requests_[last_number_];
    request.op = &known->second;
    request.arguments = std::move(arguments);
    request.answer = vm_.tasks->make_pending("effects.perform");
    Deferred* answer = request.answer;
    tell_root();
    return answer;
}

// ---- the root

effect::Step EffectRun::start(std::string_view /*entry*/, effect::Arguments /*arguments*/,
                              effect::TaskHost& tasks) {
    auto* future =
        vm_.tasks->make_native("effects.run", called(&vm_, function_, {}).keeping({function_}));
    body_ = vm_.tasks->spawn_in(this, *future);
    vm_.tasks->when_settled(*body_, {this}, [](Vm& /*vm*/, std::span<const Word> kept) {
        static_cast<EffectRun*>(kept[0].thing())->on_body_ended();
    });
    return go_on(tasks);
}

effect::Step EffectRun::resume(effect::Continuation at, effect::Value answer,
                               effect::TaskHost& tasks) {
    if (at != root) return step_of(at, std::move(answer));
    if (const effect::Capability joined = std::exchange(joining_, 0)) {
        if (answer.integer() == 1) throw std::runtime_error(tasks.failure_message(joined));
        if (answer.integer() == 0) static_cast<void>(tasks.take_value(joined));
    }
    return go_on(tasks);
}

// The next event, or the wait for one.
effect::Step EffectRun::go_on(effect::TaskHost& tasks) {
    while (!new_requests_.empty()) {
        const effect::Continuation number = new_requests_.front();
        new_requests_.pop_front();
        Request& request = requests_.at(number);
        request.hold.emplace(*vm_.tasks);
        request.capability = tasks.spawn(effect::TaskHost::Spawn::attached, number);
    }
    effect::Step step;
    step.continuation = root;
    if (!ended_children_.empty()) {
        step.status = effect::StepStatus::wait;
        step.capability = joining_ = ended_children_.front();
        ended_children_.pop_front();
        return step;
    }
    if (body_->is_settled()) {
        if (body_->state == FutureState::rejected) throw std::runtime_error(printed(body_->result));
        step.status = effect::StepStatus::value;
        step.continuation = 0;
        try {
            step.value = to_value(vm_, body_->result);
        } catch (const Thrown& thrown) {
            throw std::runtime_error(printed(thrown.error));
        }
        return step;
    }
    step.status = effect::StepStatus::effect;
    step.op = &next_op;
    step.kind = next_op.kind;
    return step;
}

void EffectRun::on_next(effect::Reply reply) {
    next_.emplace(std::move(reply));
    const bool has_event =
        !new_requests_.empty() || !ended_children_.empty() || body_->is_settled();
    if (has_event) return tell_root();
    hold_.reset();
}

void EffectRun::tell_root() {
    if (!next_) return;
    if (!hold_) hold_.emplace(*vm_.tasks);
    effect::Reply reply = std::move(*next_);
    next_.reset();
    reply.answer(effect::resume());
}

void EffectRun::on_body_ended() {
    if (ended_) return finish();
    // A cancel of the function by itself or by others is the run's end, not its failure.
    const bool is_cancelled =
        body_->state == FutureState::rejected && vm_.is_cancelled(body_->result);
    if (is_cancelled) return cancel("the function was cancelled");
    tell_root();
}

// ---- requests

effect::Step EffectRun::step_of(effect::Continuation number, effect::Value answer) {
    Request& request = requests_.at(number);
    effect::Step step;
    if (!std::exchange(request.is_asked, true)) {
        asking_ = number;
        step.status = effect::StepStatus::effect;
        step.op = request.op;
        step.kind = request.op->kind;
        step.arguments = std::move(request.arguments);
        step.continuation = number;
        return step;
    }
    ended_children_.push_back(request.capability);
    vm_.tasks->settle(*request.answer, FutureState::fulfilled, to_word(vm_, answer));
    tell_root();
    requests_.erase(number);
    return step;
}

void EffectRun::on_asked(Word function, const effect::Arguments& arguments, effect::Reply reply) {
    Request& request = requests_.at(asking_);
    auto* list = vm_.heap.make<List>();
    for (const effect::Value& argument : arguments) list->items.push_back(to_word(vm_, argument));
    auto* future = vm_.tasks->make_native(
        "effects.handler", called(&vm_, function, Word(list)).keeping({function, list}));
    request.reply.emplace(std::move(reply));
    request.handler = vm_.tasks->spawn_in(outer_, *future);
    const auto answered = [number = asking_](Vm& /*vm*/, std::span<const Word> kept) {
        static_cast<EffectRun*>(kept[0].thing())->on_answered(number);
    };
    vm_.tasks->when_settled(*request.handler, {this}, answered);
    request.hold.reset();
}

void EffectRun::on_answered(effect::Continuation number) {
    const auto found = requests_.find(number);
    if (found == requests_.end()) return;  // The run ended first.
    Request& request = found->second;
    request.hold.emplace(*vm_.tasks);
    effect::Reply reply = std::move(*request.reply);
    request.reply.reset();
    std::string problem;
    if (request.handler->state == FutureState::rejected) {
        problem = printed(request.handler->result);
    } else {
        try {
            reply.answer(effect::resume(to_value(vm_, request.handler->result)));
            return;
        } catch (const Thrown& thrown) {
            problem = printed(thrown.error);
        }
    }
    reply.fail(std::make_exception_ptr(std::runtime_error(problem)));
}

// ---- the end

// A request that failed, or that its run needs no more: its handler is cancelled. Its answer stays
// open until the run is closed, so that the run fails by the request and not by its function.
void EffectRun::release(effect::Continuation at) noexcept {
    const auto found = requests_.find(at);
    if (found == requests_.end()) return;
    ended_children_.push_back(found->second.capability);
    lost_answers_.push_back(found->second.answer);
    tell_root();
    TaskHandle* handler = found->second.handler;
    if (handler != nullptr && !vm_.tasks->is_ended()) {
        static_cast<void>(vm_.tasks->cancel(*handler));
    }
    requests_.erase(found);
}

void EffectRun::on_closed() {
    is_over_ = true;
    ended_.emplace(run_->outcome());
    run_.reset();
    next_.reset();
    for (const auto& [number, request] : requests_) lost_answers_.push_back(request.answer);
    requests_.clear();
    Tasks& tasks = *vm_.tasks;
    if (!tasks.is_ended()) {
        if (body_ != nullptr) static_cast<void>(tasks.cancel(*body_));
        for (Deferred* answer : std::exchange(lost_answers_, {})) {
            tasks.settle(*answer, FutureState::rejected,
                         vm_.error("CancelledError", "the run has ended"));
        }
    }
    if (body_ == nullptr || body_->is_settled()) return finish();
    hold_.reset();  // The function goes on by itself.
}

Word EffectRun::outcome_word() {
    const TypeInfo* outcome = vm_.standard_type("Outcome");
    const auto made = [&](std::string_view name, Word value) {
        return vm_.variant(vm_.variant_info(outcome, name), {&value, 1});
    };
    if (ended_->has_value()) return made("Value", to_word(vm_, ended_->value()));
    if (ended_->kind() == effect::RunEndKind::failed) {
        return made("Failed", vm_.heap.text(ended_->error().message));
    }
    return made("Cancelled", vm_.heap.text(ended_->reason().why));
}

void EffectRun::finish() {
    if (!vm_.tasks->is_ended()) {
        vm_.tasks->settle(*outcome_, FutureState::fulfilled, outcome_word());
    }
    hold_.reset();
    kept_.reset();
}

}  // namespace gyre::vela::vm
