// SPDX-License-Identifier: Apache-2.0
// system:effects: functions that perform ops, and functions that handle them.
#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/system/internal/effect_run.hpp"
#include "lang/vela/run/system/internal/effect_values.hpp"
#include "lang/vela/run/system/internal/system_natives.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {

effect::Value to_value(Vm& vm, Word json, int depth) {
    if (depth > effect_depth_max) {
        vm.fail("Error", concat("a value of an effect is nested deeper than effect_depth_max (",
                                std::to_string(effect_depth_max), ")"));
    }
    if (is_number(json)) return number_of(json);
    if (json.is_boolean()) return json.truth();
    if (is_kind(json, Kind::boxed_real)) return real_of(json);
    if (is_kind(json, Kind::text)) return effect::Value(text_of(json));
    if (is_kind(json, Kind::list)) {
        effect::Value::List list;
        for (const Word item : static_cast<List*>(json.thing())->all()) {
            list.push_back(to_value(vm, item, depth + 1));
        }
        return effect::Value(std::move(list));
    }
    if (is_kind(json, Kind::map)) {
        effect::Value::Record record;
        for (const Table::Entry& entry : static_cast<Table*>(json.thing())->entries) {
            if (entry.key.is_missing()) continue;
            record.emplace_back(text_of(entry.key), to_value(vm, entry.value, depth + 1));
        }
        return effect::Value(std::move(record));
    }
    if (is_kind(json, Kind::variant)) {
        auto& option = *static_cast<Variant*>(json.thing());
        return option.count == 0 ? effect::Value() : to_value(vm, option.payload()[0], depth + 1);
    }
    vm.fail("Error", "a value of an effect must be JSON");
}

Word to_word(Vm& vm, const effect::Value& value) {
    using Sort = effect::Value::Kind;
    switch (value.kind()) {
        case Sort::boolean:
            return Word::boolean(value.boolean());
        case Sort::integer:
            return vm.heap.number(value.integer());
        case Sort::real:
            return vm.heap.real(value.real());
        case Sort::text:
            return vm.heap.text(value.text());
        case Sort::bytes:  // no Json is bytes
        case Sort::nothing:
            return vm.none();
        case Sort::list: {
            auto* list = vm.heap.make<List>();
            for (const effect::Value& item : value.list()) list->items.push_back(to_word(vm, item));
            return list;
        }
        case Sort::record:
            break;
    }
    auto* map = vm.heap.make<Table>(Kind::map);
    for (const auto& [name, item] : value.record()) {
        map->set(vm.heap.text(name), to_word(vm, item));
    }
    return map;
}

namespace {

using Args = std::span<const Word>;

NativeRoutine performed(Vm* vm, EffectRun* in, Word op, Word args) {
    Kept kept = co_await keep();
    if (in == nullptr) {
        vm->fail("Error", concat("Unhandled effect ", text_of(op),
                                 ": it is performed outside of effects.run"));
    }
    Deferred* answer = in->ask(text_of(op), args);
    kept.add(answer);
    const Settled settled = co_await answer;
    co_return settled.get();
}

// A cancel ends the run, and waits for the clean-ups of its function.
NativeRoutine ran(EffectRun* run) {
    Kept kept = co_await keep();
    Deferred* outcome = run->start();
    kept.add(outcome);
    const Settled settled = co_await outcome;
    if (!outcome->is_settled()) {
        run->cancel("the task that awaits the run was cancelled");
        static_cast<void>(co_await outcome);
    }
    co_return settled.get();
}

// The run that the calling task works for.
EffectRun* current_run(Vm& vm) {
    Thing* run = vm.running == nullptr ? nullptr : vm.running->effects;
    return static_cast<EffectRun*>(static_cast<HostThing*>(run));
}

Word perform(Vm& vm, Args args) {
    EffectRun* run = current_run(vm);
    const Word kept[] = {args[1], args[2], Word(run)};
    return vm.tasks->make_native("effects.perform",
                                 performed(&vm, run, args[1], args[2]).keeping(kept));
}

Word run(Vm& vm, Args args) {
    auto* made = vm.heap.make<EffectRun>(vm, args[1], args[2], current_run(vm));
    return vm.tasks->make_native("effects.run", ran(made).keeping({made}));
}

}  // namespace

void add_effect_natives(NativeTable& table) {
    table["EffectFunctions.perform"] = perform;
    table["EffectFunctions.run"] = run;
}

}  // namespace gyre::vela::vm
