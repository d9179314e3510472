// SPDX-License-Identifier: Apache-2.0
// Contexts of node:vm: further global objects in the same isolate. The global object of a context
// shows an object of the script, its sandbox: what is read, set, defined or deleted as a global
// variable is a property of the sandbox, and what the sandbox lacks is the context's own.
#include <chrono>

#include "lang/script/detail/run_timer.hpp"
#include "lang/script/v8/internal/v8_engine.hpp"

namespace gyre::script::v8 {
namespace {

using ::v8::Array;
using ::v8::Boolean;
using ::v8::IndexedPropertyHandlerConfiguration;
using ::v8::Integer;
using ::v8::Name;
using ::v8::NamedPropertyHandlerConfiguration;
using ::v8::None;
using ::v8::PropertyAttribute;
using ::v8::PropertyCallbackInfo;
using ::v8::PropertyDescriptor;
using Info = FunctionCallbackInfo<Value>;

template <class Result>
Local<Object> sandbox_of(const PropertyCallbackInfo<Result>& info) {
    return info.Data().template As<Object>();
}
template <class Result>
Local<Context> context_of(const PropertyCallbackInfo<Result>& info) {
    return info.GetIsolate()->GetCurrentContext();
}
// Of a property that the object has, itself or by a prototype; nothing: it has none.
::v8::Maybe<PropertyAttribute> attributes_in(Local<Context> context, Local<Object> object,
                                             Local<Name> name) {
    return object->GetRealNamedPropertyAttributes(context, name);
}
bool has(::v8::Maybe<PropertyAttribute> found, PropertyAttribute attribute) {
    return found.IsJust() && (found.FromJust() & attribute) != 0;
}

void get(Local<Name> name, const PropertyCallbackInfo<Value>& info) {
    Local<Value> value;
    if (!sandbox_of(info)->GetRealNamedProperty(context_of(info), name).ToLocal(&value)) return;
    // The sandbox seen from inside is the global object.
    if (value->StrictEquals(sandbox_of(info))) value = context_of(info)->Global();
    info.GetReturnValue().Set(value);
}

void set(Local<Name> name, Local<Value> value, const PropertyCallbackInfo<Value>& info) {
    const Local<Context> context = context_of(info);
    const Local<Object> sandbox = sandbox_of(info);
    const auto own = attributes_in(context, context->Global(), name);
    const auto given = attributes_in(context, sandbox, name);
    if (has(own, ::v8::ReadOnly) || has(given, ::v8::ReadOnly)) return;
    const bool is_declared = own.IsJust() || given.IsJust();
    // `x = 1`, and not `this.x = 1`.
    const bool is_by_name = !info.This()->StrictEquals(context->Global());
    // A variable that nobody declared is an error in strict code, which V8 throws.
    if (!is_declared && info.ShouldThrowOnError() && is_by_name && !value->IsFunction()) return;
    if (!is_declared && name->IsSymbol()) return;
    if (sandbox->Set(context, name, value).IsNothing()) return;
    // The setter of the sandbox has it: V8 must not make a property beside it.
    Local<Value> described;
    if (given.IsNothing() ||
        !sandbox->GetOwnPropertyDescriptor(context, name).ToLocal(&described) ||
        !described->IsObject()) {
        return;
    }
    V8Engine& engine = V8Engine::of(info.GetIsolate());
    const auto descriptor = described.As<Object>();
    for (const char* accessor : {"get", "set"}) {
        if (descriptor->HasOwnProperty(context, engine.string(accessor)).FromMaybe(false)) {
            info.GetReturnValue().Set(value);
        }
    }
}

void describe(Local<Name> name, const PropertyCallbackInfo<Value>& info) {
    const Local<Object> sandbox = sandbox_of(info);
    if (!sandbox->HasOwnProperty(context_of(info), name).FromMaybe(false)) return;
    Local<Value> descriptor;
    if (sandbox->GetOwnPropertyDescriptor(context_of(info), name).ToLocal(&descriptor)) {
        info.GetReturnValue().Set(descriptor);
    }
}

void define(Local<Name> name, const PropertyDescriptor& given,
            const PropertyCallbackInfo<Value>& info) {
    const Local<Context> context = context_of(info);
    const auto own = attributes_in(context, context->Global(), name);
    if (has(own, ::v8::ReadOnly) && has(own, ::v8::DontDelete)) return;
    const auto copy_to = [&](PropertyDescriptor descriptor) {
        if (given.has_enumerable()) descriptor.set_enumerable(given.enumerable());
        if (given.has_configurable()) descriptor.set_configurable(given.configurable());
        // A failure shows when the script reads the property.
        [[maybe_unused]] const auto is_done =
            sandbox_of(info)->DefineProperty(context, name, descriptor);
    };
    const Local<Value> none = ::v8::Undefined(info.GetIsolate());
    if (given.has_get() || given.has_set()) {
        copy_to(PropertyDescriptor(given.has_get() ? given.get() : none,
                                   given.has_set() ? given.set() : none));
    } else if (given.has_writable()) {
        copy_to(PropertyDescriptor(given.has_value() ? given.value() : none, given.writable()));
    } else {
        copy_to(PropertyDescriptor(given.has_value() ? given.value() : none));
    }
}

void remove(Local<Name> name, const PropertyCallbackInfo<Boolean>& info) {
    const auto is_done = sandbox_of(info)->Delete(context_of(info), name);
    // What the sandbox keeps, the global object keeps too.
    if (!is_done.FromMaybe(false)) info.GetReturnValue().Set(false);
}

void list(const PropertyCallbackInfo<Array>& info) {
    Local<Array> names;
    if (sandbox_of(info)->GetPropertyNames(context_of(info)).ToLocal(&names)) {
        info.GetReturnValue().Set(names);
    }
}

// Numbers are names too.
Local<Name> name_of(Isolate* isolate, std::uint32_t index) {
    return V8Engine::of(isolate).string(std::to_string(index));
}
void get_at(std::uint32_t index, const PropertyCallbackInfo<Value>& info) {
    get(name_of(info.GetIsolate(), index), info);
}
void set_at(std::uint32_t index, Local<Value> value, const PropertyCallbackInfo<Value>& info) {
    set(name_of(info.GetIsolate(), index), value, info);
}
void describe_at(std::uint32_t index, const PropertyCallbackInfo<Value>& info) {
    describe(name_of(info.GetIsolate(), index), info);
}
void define_at(std::uint32_t index, const PropertyDescriptor& given,
               const PropertyCallbackInfo<Value>& info) {
    define(name_of(info.GetIsolate(), index), given, info);
}
void remove_at(std::uint32_t index, const PropertyCallbackInfo<Boolean>& info) {
    remove(name_of(info.GetIsolate(), index), info);
}

int integer(const Info& info, int index) {
    return info[index]->IsInt32() ? info[index].As<::v8::Int32>()->Value() : 0;
}

MaybeLocal<::v8::Script> compile(const Info& info) {
    Isolate* isolate = info.GetIsolate();
    ::v8::ScriptOrigin origin(isolate, info[1], integer(info, 2), integer(info, 3));
    return ::v8::Script::Compile(isolate->GetCurrentContext(), info[0].As<::v8::String>(), &origin);
}

}  // namespace

// checkScript(text, name, line, column): throws where it has a syntax error.
void V8Engine::check_script(const Info& info) {
    [[maybe_unused]] const auto script = compile(info);
}

// runScript(text, name, line, column, milliseconds): as a script, with its declarations global, in
// the context of this function. True is thrown when it takes longer.
void V8Engine::run_script(const Info& info) {
    Isolate* isolate = info.GetIsolate();
    V8Engine& engine = of(isolate);
    Local<::v8::Script> script;
    if (!compile(info).ToLocal(&script)) return;
    Local<Value> result;
    bool is_done = false;
    bool is_late = false;  // read when the timer's thread has ended
    {
        const RunTimer timer(std::chrono::milliseconds(integer(info, 4)), [&] {
            is_late = true;
            isolate->TerminateExecution();
        });
        is_done = script->Run(isolate->GetCurrentContext()).ToLocal(&result);
    }
    if (is_late && !engine.is_stopped_.load()) {
        isolate->CancelTerminateExecution();
        isolate->ThrowException(::v8::True(isolate));
    } else if (is_done) {
        info.GetReturnValue().Set(result);
    }
}

// makeContext(sandbox): { global, run, check }
void V8Engine::make_context(const Info& info) {
    Isolate* isolate = info.GetIsolate();
    V8Engine& engine = of(isolate);
    const Local<Context> here = isolate->GetCurrentContext();
    const auto shape = ::v8::ObjectTemplate::New(isolate);
    shape->SetHandler(
        NamedPropertyHandlerConfiguration(get, set, describe, remove, list, define, info[0]));
    shape->SetHandler(IndexedPropertyHandlerConfiguration(get_at, set_at, describe_at, remove_at,
                                                          nullptr, define_at, info[0]));
    const Local<Context> made = Context::New(isolate, nullptr, shape, {}, {}, engine.queue_.get());
    if (made.IsEmpty()) return engine.throw_error("Error", "a context could not be made");
    made->SetSecurityToken(here->GetSecurityToken());
    const Local<Object> parts = Object::New(isolate);
    parts->Set(here, engine.string("global"), made->Global()).Check();
    const Context::Scope inside(made);
    const std::pair<const char*, ::v8::FunctionCallback> functions[] = {
        {"run", &V8Engine::run_script}, {"check", &V8Engine::check_script}};
    for (const auto& [name, function] : functions) {
        parts->Set(here, engine.string(name), Function::New(made, function).ToLocalChecked())
            .Check();
    }
    info.GetReturnValue().Set(parts);
}

}  // namespace gyre::script::v8
