// SPDX-License-Identifier: Apache-2.0
// A run of a lowered program, its calls and its objects.
#include "lang/vela/reference/lowered_interpreter.hpp"

#include "lang/vela/reference/internal/lowered_machine.hpp"

namespace gyre::vela {

Outcome run_lowered(const Lowered& lowered, RuntimeOptions options) {
    internal::LoweredRun run(lowered, options);
    return run.run();
}

}  // namespace gyre::vela

namespace gyre::vela::internal {
namespace {

// Limits recursion: plain functions use the C++ stack.
constexpr int depth_max = 2'000;

class FrameRoutine : public Routine {
public:
    explicit FrameRoutine(LoweredFrame frame) : frame_(std::move(frame)) {}
    Step resume(const Resume& with) override { return frame_.go_on(with); }

private:
    LoweredFrame frame_;
};

std::string task_name(const Code& code) {
    if (code.function != nullptr) return std::string(code.function->name.text);
    const std::string last = code.name.substr(code.name.rfind('.') + 1);
    return last.starts_with("async") ? "block" : "lambda";
}

}  // namespace

Value LoweredFunction::call(const Values& args) {
    if (!object) return run.call(code, args, captured);
    Values all{*object};
    all.insert(all.end(), args.begin(), args.end());
    return run.call(code, all, captured);
}

LoweredRun::LoweredRun(const Lowered& of, RuntimeOptions options)
    : lowered(of),
      runtime(*of.program, options),
      unwritten(runtime.heap.make<Tuple>(Values())),
      missing(runtime.heap.make<Tuple>(Values())),
      entry_(options.entry) {
    runtime.method_of = [this](const Value& object, std::string_view name) {
        const FoundMember found = find_member(type_of(runtime, object), name);
        if (found.method == nullptr) throw InternalError{"no method " + std::string(name)};
        auto* bound = runtime.heap.make<LoweredFunction>(*this, *lowered.functions.at(found.method),
                                                         Values());
        bound->object = object;
        return Value(bound);
    };
}

Outcome LoweredRun::run() {
    Function* main = nullptr;
    try {
        for (const Code* code : lowered.globals) {
            // Variables of the standard surface are made by the host on first use.
            if (!code->module->is_standard) call(*code, {}, {});
        }
        if (const Code* code = entry()) {
            main = runtime.heap.make<LoweredFunction>(*this, *code, Values());
        }
    } catch (const Thrown& thrown) {
        runtime.outcome.errors.push_back("Uncaught " + printed(thrown.error));
        runtime.outcome.exit_code = 1;
    } catch (const InternalError& error) {
        runtime.outcome.internal_error = error.what;
        return runtime.outcome;
    }
    runtime.run(main);
    return runtime.outcome;
}

const Code* LoweredRun::entry() const {
    if (entry_ == "main") return lowered.main;
    const auto& declared = runtime.program.order.back()->declared;
    return lowered.functions.at(declared.at(entry_).function);
}

Value LoweredRun::call(const Code& code, const Values& args, const Values& captured) {
    LoweredFrame frame(*this, code, args, captured);
    if (code.kind == CodeKind::generator) {
        return runtime.make_iterator(std::make_unique<FrameRoutine>(std::move(frame)));
    }
    if (code.kind == CodeKind::async) {
        return runtime.make_future(task_name(code),
                                   std::make_unique<FrameRoutine>(std::move(frame)));
    }
    if (depth_ > depth_max) runtime.fail("Error", "Too many calls inside one another");
    ++depth_;
    Step step;
    try {
        step = frame.go_on({});
    } catch (...) {
        --depth_;
        throw;
    }
    --depth_;
    if (step.kind == StepKind::fails) throw Thrown{step.value};
    if (step.kind != StepKind::ends) throw InternalError{"a plain function waits"};
    return step.value;
}

Value LoweredRun::call_method(const FunctionInfo& method, const Values& args) {
    const std::string_view name = method.name.text;
    if (auto* actor = args[0].as<ActorRef>(); actor != nullptr && name == "send") {
        runtime.send(*actor, args[1]);
        return {};
    }
    const FoundMember found = find_member(type_of(runtime, args[0]), name);
    if (found.method == nullptr) throw InternalError{"no method " + std::string(name)};
    if (found.method->module->is_standard) return call_native_function(*found.method, args);
    const auto code = lowered.functions.find(found.method);
    if (code == lowered.functions.end()) throw InternalError{"no code of " + std::string(name)};
    return call(*code->second, args, {});
}

Value LoweredRun::call_native_function(const FunctionInfo& function, const Values& args) {
    Values given = args;
    if (function.node->kind == DeclKind::constructor) {
        const bool has_message = given.size() > 1 && given[1].thing() != missing;
        if (has_message) *given[0].as<Object>()->field("message") = given[1];
        return {};
    }
    Value self;
    if (function.owner != nullptr && !function.is_static) {
        self = given.front();
        given.erase(given.begin());
    }
    while (!given.empty() && given.back().thing() == missing) given.pop_back();
    for (Value& value : given) {
        if (value.thing() == missing) value = {};
    }
    return call_native(runtime, function, self, given);
}

Value LoweredRun::create(const TypeInfo& type) {
    const std::optional<Value> native = make_native(runtime, type);
    if (native) return *native;
    auto* object = runtime.heap.make<Object>(&type);
    std::vector<const TypeInfo*> line;
    for (const TypeInfo* at = &type; at != nullptr;) {
        line.insert(line.begin(), at);
        at = at->base == nullptr ? nullptr : known(at->base)->info;
    }
    for (const TypeInfo* at : line) {
        for (const FieldInfo& field : at->fields) {
            Value value;
            const Type* of = known(field.type);
            if (at->is_standard && of->sort == TypeSort::nominal) {
                value = empty_value(runtime, *of->info).value_or(Value());
            }
            object->fields.emplace_back(field.name.text, value);
        }
    }
    return object;
}

Function* LoweredRun::handler_of(Object& actor) {
    for (const std::string_view name : {"handleMessage", "receive"}) {
        const FoundMember found = find_member(actor.type, name);
        if (found.method == nullptr) continue;
        const Code& code = *lowered.functions.at(found.method);
        auto* handler = runtime.heap.make<LoweredFunction>(*this, code, Values());
        handler->object = Value(&actor);
        return handler;
    }
    return nullptr;
}

}  // namespace gyre::vela::internal
