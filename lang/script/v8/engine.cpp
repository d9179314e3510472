// SPDX-License-Identifier: Apache-2.0
#include "lang/script/v8/engine.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lang/script/v8/internal/v8_engine.hpp"

namespace gyre::script::v8 {
namespace {

// What the isolate may use beyond its limit until the script has ended.
constexpr std::size_t end_reserve_bytes = std::size_t{2} << 30u;
// The call stack of a script: V8 throws a RangeError at its end. Main threads have 8 MiB.
constexpr std::size_t stack_bytes = 984 * 1024;

}  // namespace

std::unique_ptr<Engine> make_engine(const EngineOptions& options) {
    return std::make_unique<V8Engine>(options);
}

V8Engine::V8Engine(const EngineOptions& options)
    : date_(options.date), buffers_(make_buffers(options.memory_limit_bytes)) {
    Platform::get();
    make_isolate(options);
    Platform::set_date(&date_);
    const Isolate::Scope isolate_scope(isolate_);
    const HandleScope handles(isolate_);
    queue_ = ::v8::MicrotaskQueue::New(isolate_, ::v8::MicrotasksPolicy::kExplicit);
    const Local<Context> context = Context::New(isolate_, nullptr, {}, {}, {}, queue_.get());
    context_.Reset(isolate_, context);
    drain_ = std::make_unique<BoundedDrain>(isolate_, queue_.get());
}

void V8Engine::make_isolate(const EngineOptions& options) {
    if (options.seed) {
        const std::string flag =
            "--random-seed=" + std::to_string(1 + (*options.seed & 0x3fffffff));
        ::v8::V8::SetFlagsFromString(flag.c_str());
    }
    Isolate::CreateParams parameters;
    // Shared, because memory that other isolates hold as well outlives this one.
    parameters.array_buffer_allocator_shared = buffers_;
    if (options.memory_limit_bytes != 0) {
        parameters.constraints.ConfigureDefaultsFromHeapSize(0, options.memory_limit_bytes);
    } else {
        // As Node does: how much the heap may grow between two collections depends on its maximum,
        // and V8's own is small.
        parameters.constraints.ConfigureDefaults(Platform::get().memory_bytes(), 0);
    }
    if (options.young_limit_bytes != 0)
        parameters.constraints.set_max_young_generation_size_in_bytes(options.young_limit_bytes);
    isolate_ = Isolate::Allocate();
    tasks_ = Platform::get().add(isolate_);
    Isolate::Initialize(isolate_, parameters);
    isolate_->SetData(0, this);
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    isolate_->SetStackLimit(
        here - (options.stack_limit_bytes != 0 ? options.stack_limit_bytes : stack_bytes));
    isolate_->SetMicrotasksPolicy(::v8::MicrotasksPolicy::kExplicit);
    isolate_->SetCaptureStackTraceForUncaughtExceptions(true, 10);
    isolate_->SetPromiseRejectCallback(&V8Engine::on_promise_reject);
    isolate_->SetHostImportModuleDynamicallyCallback(&V8Engine::on_import);
    isolate_->SetHostInitializeImportMetaObjectCallback(&V8Engine::on_import_meta);
    isolate_->AddNearHeapLimitCallback(&V8Engine::on_near_heap_limit, this);
}

V8Engine::~V8Engine() {
    tasks_->close();
    Platform::set_date(nullptr);
    modules_.clear();
    for (auto& hook : hooks_) hook.Reset();
    recorded_.clear();
    thrown_.Reset();
    {
        const Isolate::Scope scope(isolate_);
        context_.Reset();
        drain_.reset();
        queue_.reset();
    }
    isolate_->Dispose();
    Platform::get().remove(isolate_);
}

Local<::v8::String> V8Engine::string(std::string_view text) {
    const auto length = static_cast<int>(std::min<std::size_t>(text.size(), 1u << 29u));
    return ::v8::String::NewFromUtf8(isolate_, text.data(), ::v8::NewStringType::kNormal, length)
        .FromMaybe(::v8::String::Empty(isolate_));
}

void V8Engine::throw_error(std::string_view type, std::string_view message) {
    const Local<::v8::String> text = string(message);
    Local<Value> error = type == "TypeError"    ? ::v8::Exception::TypeError(text)
                         : type == "RangeError" ? ::v8::Exception::RangeError(text)
                                                : ::v8::Exception::Error(text);
    isolate_->ThrowException(error);
}

Outcome V8Engine::start(std::span<const LibraryFile> library, std::span<const Native> natives,
                        void* host, std::string_view config) {
    host_ = host;
    library_ = library;
    const Isolate::Scope isolate_scope(isolate_);
    const HandleScope handles(isolate_);
    const Local<Context> context = context_.Get(isolate_);
    const Context::Scope context_scope(context);
    const Local<Object> given = Object::New(isolate_);
    bind_natives(given, natives);
    const Local<Object> engine = Object::New(isolate_);
    bind_engine_functions(engine);
    bind_module_functions(engine);
    given->Set(context, string("engine"), engine).Check();
    given->Set(context, string("config"), string(config)).Check();
    auto words = ::v8::ArrayBuffer::NewBackingStore(
        shared_.data(), sizeof(shared_), [](void*, std::size_t, void*) {}, nullptr);
    const auto buffer = ::v8::ArrayBuffer::New(isolate_, std::move(words));
    given->Set(context, string("shared"), ::v8::Int32Array::New(buffer, 0, shared_.size())).Check();
    return run_library(given);
}

// compileLibrary(name): the function of a lazy file.
void V8Engine::compile_lazy(const FunctionCallbackInfo<Value>& info) {
    V8Engine& engine = of(info.GetIsolate());
    const ::v8::String::Utf8Value name(info.GetIsolate(), info[0]);
    for (const LibraryFile& file : engine.library_) {
        if (*name == nullptr || !file.is_lazy || std::strcmp(file.name, *name) != 0) continue;
        Local<Function> body;
        if (engine.compile_library(file).ToLocal(&body)) info.GetReturnValue().Set(body);
        return;
    }
    engine.throw_error("Error", "the host library has no such file");
}

Outcome V8Engine::run_library(Local<Object> host) {
    const Local<Context> context = isolate_->GetCurrentContext();
    TryCatch caught(isolate_);
    const Local<Object> shelf = Object::New(isolate_);
    const Local<Object> hooks = Object::New(isolate_);
    shelf->Set(context, string("hooks"), hooks).Check();
    for (const LibraryFile& file : library_) {
        if (file.is_lazy) continue;
        Local<Function> body;
        Local<Value> arguments[] = {host, shelf};
        if (!compile_library(file).ToLocal(&body) ||
            body->Call(context, ::v8::Undefined(isolate_), 2, arguments).IsEmpty()) {
            return ended_by(caught);
        }
    }
    for (std::size_t i = 0; i < hook_names.size(); ++i) {
        const Local<Value> hook = hooks->Get(context, string(hook_names[i])).ToLocalChecked();
        if (hook->IsFunction()) hooks_[i].Reset(isolate_, hook.As<Function>());
    }
    return Outcome::done;
}

// Keeps what was thrown for call_with_thrown.
Outcome V8Engine::ended_by(TryCatch& caught) {
    if (has_interrupted(caught)) {
        thrown_.Reset(isolate_, ::v8::Exception::Error(string("interrupted")));
        thrown_place_.clear();
        return Outcome::threw;
    }
    if (is_stopped_.load() || caught.HasTerminated()) {
        is_stopped_.store(true);
        return Outcome::stopped;
    }
    thrown_.Reset(isolate_, caught.Exception());
    thrown_place_ = place_of(caught.Message());
    return Outcome::threw;
}

// The source line of an error with a caret, as Node prints it: file:line, line, caret.
std::string V8Engine::place_of(Local<::v8::Message> message) {
    if (message.IsEmpty()) return {};
    const Local<Context> context = isolate_->GetCurrentContext();
    Local<::v8::String> line;
    if (!message->GetSourceLine(context).ToLocal(&line)) return {};
    const ::v8::String::Utf8Value name(isolate_, message->GetScriptResourceName());
    const ::v8::String::Utf8Value source(isolate_, line);
    if (*name == nullptr || *source == nullptr || std::strncmp(*name, "gyre:", 5) == 0) return {};
    const bool is_named = message->GetScriptResourceName()->IsString();
    const int first = message->GetStartColumn(context).FromMaybe(0);
    const int last = message->GetEndColumn(context).FromMaybe(first + 1);
    std::string place = std::string(is_named ? *name : "<anonymous_script>") + ":" +
                        std::to_string(message->GetLineNumber(context).FromMaybe(0)) + "\n" +
                        *source + "\n";
    for (int i = 0; i < first; ++i) place += (*source)[i] == '\t' ? '\t' : ' ';
    place.append(static_cast<std::size_t>(std::max(0, last - first)), '^');
    return place;
}

MaybeLocal<Value> V8Engine::call_hook(Hook hook, std::span<Local<Value>> arguments) {
    const Local<Context> context = context_.Get(isolate_);
    const Local<Function> function = hooks_[static_cast<std::size_t>(hook)].Get(isolate_);
    if (function.IsEmpty()) return ::v8::Undefined(isolate_).As<Value>();
    return function->Call(context, ::v8::Undefined(isolate_), static_cast<int>(arguments.size()),
                          arguments.data());
}

Outcome V8Engine::call_values(Hook hook, std::span<Local<Value>> arguments) {
    TryCatch caught(isolate_);
    Local<Value> result;
    if (!call_hook(hook, arguments).ToLocal(&result)) return ended_by(caught);
    result_ = result->IsNumber() ? result.As<::v8::Number>()->Value() : 0;
    return is_stopped_.load() ? Outcome::stopped : Outcome::done;
}

Outcome V8Engine::call(Hook hook, std::span<const Argument> arguments) {
    if (is_stopped_.load()) return Outcome::stopped;
    const Isolate::Scope isolate_scope(isolate_);
    const HandleScope handles(isolate_);
    const Context::Scope context_scope(context_.Get(isolate_));
    std::array<Local<Value>, 4> values;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Argument& argument = arguments[i];
        values[i] = argument.is_text ? string(argument.text).As<Value>()
                                     : ::v8::Number::New(isolate_, argument.number).As<Value>();
    }
    return call_values(hook, std::span(values).first(arguments.size()));
}

Outcome V8Engine::call_with_thrown(Hook hook) {
    if (is_stopped_.load()) return Outcome::stopped;
    const Isolate::Scope isolate_scope(isolate_);
    const HandleScope handles(isolate_);
    const Context::Scope context_scope(context_.Get(isolate_));
    Local<Value> values[] = {thrown_.Get(isolate_), string(thrown_place_)};
    thrown_.Reset();
    return call_values(hook, values);
}

std::string V8Engine::thrown_text() {
    const Isolate::Scope isolate_scope(isolate_);
    const HandleScope handles(isolate_);
    const Context::Scope context_scope(context_.Get(isolate_));
    const TryCatch caught(isolate_);
    if (thrown_.IsEmpty()) return "an error";
    const ::v8::String::Utf8Value text(isolate_, thrown_.Get(isolate_));
    return *text == nullptr ? "an error without a text" : *text;
}

// ---- Promises and microtasks ----

void V8Engine::on_promise_reject(::v8::PromiseRejectMessage message) {
    Isolate* isolate = Isolate::GetCurrent();
    V8Engine& engine = of(isolate);
    const Local<Value> value =
        message.GetValue().IsEmpty() ? ::v8::Undefined(isolate).As<Value>() : message.GetValue();
    Local<Value> values[] = {::v8::Integer::New(isolate, message.GetEvent()), message.GetPromise(),
                             value};
    const TryCatch caught(isolate);
    static_cast<void>(engine.call_hook(Hook::on_promise, values));
}

std::size_t V8Engine::pending() const noexcept {
    return is_stopped_.load() ? 0 : drain_->pending();
}

job::JobsRun V8Engine::run_some(std::size_t max) noexcept {
    const Isolate::Scope isolate_scope(isolate_);
    const HandleScope handles(isolate_);
    const Context::Scope context_scope(context_.Get(isolate_));
    TryCatch caught(isolate_);
    const std::size_t count = drain_->run(max);
    // Also while the hook runs.
    while (has_interrupted(caught)) {
        caught.Reset();
        Local<Value> values[] = {::v8::Exception::Error(string("interrupted")), string("")};
        static_cast<void>(call_hook(Hook::on_uncaught, values));
    }
    if (caught.HasTerminated()) is_stopped_.store(true);
    return {.count = count, .error = nullptr};
}

void V8Engine::queue(Callback<> job) {
    const Isolate::Scope isolate_scope(isolate_);
    const HandleScope handles(isolate_);
    auto* queued = new Callback<>(std::move(job));
    queue_->EnqueueMicrotask(
        isolate_,
        [](void* data) {
            const std::unique_ptr<Callback<>> own(static_cast<Callback<>*>(data));
            own->call_unshared();
        },
        queued);
}

// ---- Limits, memory, tasks ----

void V8Engine::terminate() noexcept {
    is_stopped_.store(true);
    isolate_->TerminateExecution();
    end_debugger_waits();
}

void V8Engine::interrupt() noexcept {
    is_interrupted_.store(true);
    isolate_->TerminateExecution();
}

bool V8Engine::withdraw_interrupt() noexcept {
    if (is_stopped_.load() || !is_interrupted_.exchange(false)) return false;
    isolate_->CancelTerminateExecution();
    return true;
}

// Whether that was why the call ended: scripts can run again.
bool V8Engine::has_interrupted(const TryCatch& caught) noexcept {
    if (is_stopped_.load() || !caught.HasTerminated() || !is_interrupted_.exchange(false))
        return false;
    isolate_->CancelTerminateExecution();
    return true;
}

std::size_t V8Engine::on_near_heap_limit(void* data, std::size_t current, std::size_t /*initial*/) {
    auto* engine = static_cast<V8Engine*>(data);
    engine->is_out_of_memory_ = true;
    engine->terminate();
    return current + end_reserve_bytes;
}

MemoryUse V8Engine::memory() noexcept {
    ::v8::HeapStatistics statistics;
    isolate_->GetHeapStatistics(&statistics);
    return {.heap_total = statistics.total_heap_size(),
            .heap_used = statistics.used_heap_size(),
            .external = statistics.external_memory()};
}

void V8Engine::collect_garbage() {
    const Isolate::Scope isolate_scope(isolate_);
    isolate_->LowMemoryNotification();
}

void V8Engine::run_tasks() {
    if (is_stopped_.load()) return;
    const Isolate::Scope isolate_scope(isolate_);
    const HandleScope handles(isolate_);
    const Context::Scope context_scope(context_.Get(isolate_));
    const TryCatch caught(isolate_);
    static_cast<void>(tasks_->run());
}

bool V8Engine::drain_tasks() {
    if (is_stopped_.load()) return false;
    Platform::get().wait_for_workers();
    const Isolate::Scope isolate_scope(isolate_);
    const HandleScope handles(isolate_);
    const Context::Scope context_scope(context_.Get(isolate_));
    const TryCatch caught(isolate_);
    return tasks_->run();
}

std::string version() {
    return std::string("V8 ") + ::v8::V8::GetVersion();
}

std::string V8Engine::version() const {
    return script::v8::version();
}

}  // namespace gyre::script::v8
