// SPDX-License-Identifier: Apache-2.0
// The functions of V8 that the host library gets as host.engine: looks into values that JavaScript
// itself hides, and compiles functions.
#include <v8-profiler.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "lang/script/v8/internal/v8_engine.hpp"

namespace gyre::script::v8 {
namespace {

using Info = FunctionCallbackInfo<Value>;

// The kind of an object, for util.inspect and util.types; in the order of the tests.
const char* kind_of(Local<Value> value) {
    static constexpr std::pair<bool (Value::*)() const, const char*> kinds[] = {
        {&Value::IsProxy, "Proxy"},
        {&Value::IsModuleNamespaceObject, "Module"},
        {&Value::IsArgumentsObject, "Arguments"},
        {&Value::IsArray, "Array"},
        {&Value::IsPromise, "Promise"},
        {&Value::IsMap, "Map"},
        {&Value::IsSet, "Set"},
        {&Value::IsMapIterator, "MapIterator"},
        {&Value::IsSetIterator, "SetIterator"},
        {&Value::IsWeakMap, "WeakMap"},
        {&Value::IsWeakSet, "WeakSet"},
        {&Value::IsDate, "Date"},
        {&Value::IsRegExp, "RegExp"},
        {&Value::IsNativeError, "Error"},
        {&Value::IsGeneratorObject, "Generator"},
        {&Value::IsArrayBuffer, "ArrayBuffer"},
        {&Value::IsSharedArrayBuffer, "SharedArrayBuffer"},
        {&Value::IsDataView, "DataView"},
        {&Value::IsTypedArray, "TypedArray"},
        {&Value::IsNumberObject, "Number"},
        {&Value::IsStringObject, "String"},
        {&Value::IsBooleanObject, "Boolean"},
        {&Value::IsBigIntObject, "BigInt"},
        {&Value::IsSymbolObject, "Symbol"},
        {&Value::IsAsyncFunction, "AsyncFunction"},
        {&Value::IsGeneratorFunction, "GeneratorFunction"},
        {&Value::IsExternal, "External"},
    };
    for (const auto& [test, name] : kinds) {
        if (((*value)->*test)()) return name;
    }
    return value->IsFunction() ? "Function" : "";
}

void kind(const Info& info) {
    info.GetReturnValue().Set(V8Engine::of(info.GetIsolate()).string(kind_of(info[0])));
}

void promise_details(const Info& info) {
    if (!info[0]->IsPromise()) return;
    const auto promise = info[0].As<Promise>();
    Isolate* isolate = info.GetIsolate();
    const bool is_pending = promise->State() == Promise::kPending;
    Local<Value> values[] = {::v8::Integer::New(isolate, promise->State()),
                             is_pending ? ::v8::Undefined(isolate).As<Value>() : promise->Result()};
    info.GetReturnValue().Set(::v8::Array::New(isolate, values, 2));
}

void proxy_details(const Info& info) {
    if (!info[0]->IsProxy()) return;
    const auto proxy = info[0].As<::v8::Proxy>();
    Local<Value> values[] = {proxy->GetTarget(), proxy->GetHandler()};
    info.GetReturnValue().Set(::v8::Array::New(info.GetIsolate(), values, 2));
}

// The entries of an iterator or a weak collection: [entries, are they pairs].
void preview_entries(const Info& info) {
    if (!info[0]->IsObject()) return;
    bool are_pairs = false;
    Local<::v8::Array> entries;
    if (!info[0].As<Object>()->PreviewEntries(&are_pairs).ToLocal(&entries)) return;
    Local<Value> values[] = {entries, ::v8::Boolean::New(info.GetIsolate(), are_pairs)};
    info.GetReturnValue().Set(::v8::Array::New(info.GetIsolate(), values, 2));
}

void constructor_name(const Info& info) {
    if (info[0]->IsObject()) {
        info.GetReturnValue().Set(info[0].As<Object>()->GetConstructorName());
    }
}

void own_non_index_keys(const Info& info) {
    if (!info[0]->IsObject()) return;
    const auto filter = static_cast<::v8::PropertyFilter>(
        info[1]->BooleanValue(info.GetIsolate()) ? ::v8::ALL_PROPERTIES : ::v8::ONLY_ENUMERABLE);
    Local<::v8::Array> keys;
    if (info[0]
            .As<Object>()
            ->GetPropertyNames(info.GetIsolate()->GetCurrentContext(),
                               ::v8::KeyCollectionMode::kOwnOnly, filter,
                               ::v8::IndexFilter::kSkipIndices)
            .ToLocal(&keys)) {
        info.GetReturnValue().Set(keys);
    }
}

// compileFunction(text, name, [parameters])
void compile_function(const Info& info) {
    Isolate* isolate = info.GetIsolate();
    const Local<Context> context = isolate->GetCurrentContext();
    const auto parameters = info[2].As<::v8::Array>();
    std::vector<Local<::v8::String>> names;
    for (std::uint32_t i = 0; i < parameters->Length(); ++i) {
        Local<Value> name;
        if (!parameters->Get(context, i).ToLocal(&name)) return;
        names.push_back(name.As<::v8::String>());
    }
    const ::v8::ScriptOrigin origin(isolate, info[1]);
    ::v8::ScriptCompiler::Source source(info[0].As<::v8::String>(), origin);
    Local<Function> function;
    if (::v8::ScriptCompiler::CompileFunctionInContext(context, &source, names.size(), names.data(),
                                                       0, nullptr)
            .ToLocal(&function)) {
        info.GetReturnValue().Set(function);
    }
}

// The async context that V8 carries along with promise reactions.
void get_context(const Info& info) {
    info.GetReturnValue().Set(
        info.GetIsolate()->GetCurrentContext()->GetContinuationPreservedEmbedderData());
}

void set_context(const Info& info) {
    info.GetIsolate()->GetCurrentContext()->SetContinuationPreservedEmbedderData(info[0]);
}

// placeOf(error): the source line where it was made, with a caret; empty for no error.
void error_place(const Info& info) {
    if (info[0]->IsNativeError()) {
        V8Engine& engine = V8Engine::of(info.GetIsolate());
        info.GetReturnValue().Set(engine.string(
            engine.place_of(::v8::Exception::CreateMessage(info.GetIsolate(), info[0]))));
    }
}

// functionPlace(function): file:line:column; undefined for a function of the engine.
void function_place(const Info& info) {
    Local<Value> value = info[0];
    while (value->IsFunction() && value.As<Function>()->GetBoundFunction()->IsFunction()) {
        value = value.As<Function>()->GetBoundFunction();
    }
    if (!value->IsFunction()) return;
    const auto function = value.As<Function>();
    const ::v8::String::Utf8Value file(info.GetIsolate(),
                                       function->GetScriptOrigin().ResourceName());
    const int line = function->GetScriptLineNumber();
    if (*file == nullptr || line < 0) return;
    info.GetReturnValue().Set(V8Engine::of(info.GetIsolate())
                                  .string(std::string(*file) + ":" + std::to_string(line + 1) +
                                          ":" +
                                          std::to_string(function->GetScriptColumnNumber() + 1)));
}

void queue_microtask(const Info& info) {
    if (info[0]->IsFunction()) {
        info.GetIsolate()->GetCurrentContext()->GetMicrotaskQueue()->EnqueueMicrotask(
            info.GetIsolate(), info[0].As<Function>());
    }
}

void has_microtasks(const Info& info) {
    info.GetReturnValue().Set(V8Engine::of(info.GetIsolate()).pending() > 0);
}

// structuredClone by V8's own serializer would lose errors' causes; the library has its own. This
// moves the memory of an array buffer.
void detach(const Info& info) {
    if (!info[0]->IsArrayBuffer()) return;
    const auto buffer = info[0].As<::v8::ArrayBuffer>();
    auto store = buffer->GetBackingStore();
    buffer->Detach();
    info.GetReturnValue().Set(::v8::ArrayBuffer::New(info.GetIsolate(), std::move(store)));
}

// The text of a snapshot, in the pieces that V8 writes.
class SnapshotText final : public ::v8::OutputStream {
public:
    void EndOfStream() override {}
    WriteResult WriteAsciiChunk(char* data, int size) override {
        text.append(data, static_cast<std::size_t>(size));
        return kContinue;
    }
    std::string text;
};

// heapSnapshot(): as JSON, for a debugger.
void heap_snapshot(const Info& info) {
    Isolate* isolate = info.GetIsolate();
    const ::v8::HeapSnapshot* const snapshot = isolate->GetHeapProfiler()->TakeHeapSnapshot();
    SnapshotText made;
    snapshot->Serialize(&made, ::v8::HeapSnapshot::kJSON);
    const_cast<::v8::HeapSnapshot*>(snapshot)->Delete();
    Local<::v8::String> text;
    if (::v8::String::NewFromOneByte(
            isolate, reinterpret_cast<const std::uint8_t*>(made.text.data()),
            ::v8::NewStringType::kNormal,
            static_cast<int>(std::min<std::size_t>(made.text.size(), 1u << 30u)))
            .ToLocal(&text)) {
        return info.GetReturnValue().Set(text);
    }
    V8Engine::of(isolate).throw_error("RangeError",
                                      "the snapshot of the heap is too large for a text");
}

void heap_limit(const Info& info) {
    ::v8::HeapStatistics statistics;
    info.GetIsolate()->GetHeapStatistics(&statistics);
    info.GetReturnValue().Set(static_cast<double>(statistics.heap_size_limit()));
}

}  // namespace

void V8Engine::bind_engine_functions(Local<Object> engine) {
    const Local<Context> context = isolate_->GetCurrentContext();
    const std::pair<const char*, ::v8::FunctionCallback> functions[] = {
        {"compileLibrary", &V8Engine::compile_lazy},
        {"kind", kind},
        {"promiseDetails", promise_details},
        {"proxyDetails", proxy_details},
        {"previewEntries", preview_entries},
        {"constructorName", constructor_name},
        {"ownNonIndexKeys", own_non_index_keys},
        {"compileFunction", compile_function},
        {"getContext", get_context},
        {"setContext", set_context},
        {"placeOf", error_place},
        {"functionPlace", function_place},
        {"runScript", &V8Engine::run_script},
        {"checkScript", &V8Engine::check_script},
        {"makeContext", &V8Engine::make_context},
        {"queueMicrotask", queue_microtask},
        {"hasMicrotasks", has_microtasks},
        {"detach", detach},
        {"heapSnapshot", heap_snapshot},
        {"heapLimit", heap_limit},
        {"pauseAtFirstCall", &V8Engine::pause_at_first_call},
    };
    for (const auto& [name, function] : functions) {
        engine->Set(context, string(name), Function::New(context, function).ToLocalChecked())
            .Check();
    }
    engine->Set(context, string("isDebugged"), ::v8::Boolean::New(isolate_, is_debugged())).Check();
    engine->Set(context, string("version"), string(version())).Check();
    engine->Set(context, string("name"), string("v8")).Check();
}

}  // namespace gyre::script::v8
