// SPDX-License-Identifier: Apache-2.0
#include "lang/script/quickjs/engine.hpp"

#include <cmath>

#include "lang/script/quickjs/internal/quickjs_engine.hpp"

namespace gyre::script::quickjs {
namespace {

// The call stack of a script: QuickJS throws a RangeError at its end. As V8's.
constexpr std::size_t stack_bytes = 984 * 1024;

// Of the thread: the engine that runs, and the seed of a context that is being made.
thread_local QuickJsEngine* running = nullptr;
thread_local const std::uint64_t* given_seed = nullptr;

}  // namespace

class QuickJsEngine::Entry {
public:
    explicit Entry(QuickJsEngine& engine) : before_(std::exchange(running, &engine)) {
        // A call inside of a call keeps the limit of the outer one.
        if (before_ != &engine) JS_UpdateStackTop(engine.runtime_);
    }
    ~Entry() { running = before_; }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

private:
    QuickJsEngine* before_;
};

std::unique_ptr<Engine> make_engine(const EngineOptions& options) {
    return std::make_unique<QuickJsEngine>(options);
}

std::string version() {
    return QuickJsEngine::quickjs_version();
}

std::string QuickJsEngine::quickjs_version() {
    return std::string("QuickJS-ng ") + JS_GetVersion();
}

std::int64_t QuickJsEngine::date_ms(std::int64_t system_ms) {
    const bool has_date = running != nullptr && running->date_;
    return has_date ? static_cast<std::int64_t>(std::floor(running->date_())) : system_ms;
}

std::uint64_t QuickJsEngine::seed_of_context(std::uint64_t system_us) {
    if (given_seed == nullptr) return system_us;
    // splitmix64: near seeds begin far from each other.
    std::uint64_t mixed = *given_seed + 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30u)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27u)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31u);
}

QuickJsEngine::QuickJsEngine(const EngineOptions& options)
    : date_(options.date), heap_(options.memory_limit_bytes, [this] {
          is_out_of_memory_ = true;
          is_stopped_.store(true);
      }) {
    runtime_ = heap_.make_runtime();
    if (runtime_ == nullptr) throw std::bad_alloc();
    given_seed = options.seed ? &*options.seed : nullptr;
    context_ = JS_NewContext(runtime_);
    given_seed = nullptr;
    if (context_ != nullptr) make_end_error();
    if (!JS_IsError(end_error_.get())) {
        end_error_.reset();
        if (context_ != nullptr) JS_FreeContext(context_);
        JS_FreeRuntime(runtime_);
        throw std::bad_alloc();
    }
    JS_SetContextOpaque(context_, this);
    JS_SetMaxStackSize(runtime_,
                       options.stack_limit_bytes != 0 ? options.stack_limit_bytes : stack_bytes);
    JS_SetCanBlock(runtime_, true);
    shared_limit_ = {context_, options.memory_limit_bytes};
    shared::set_functions(shared_limit_);
    JS_SetInterruptHandler(
        runtime_,
        [](JSRuntime*, void* engine) {
            auto& of = *static_cast<QuickJsEngine*>(engine);
            if (!of.is_interrupted()) return 0;
            if (of.is_interrupt_wanted_.exchange(false)) of.was_interrupted_ = true;
            return 1;
        },
        this);
    JS_SetHostPromiseRejectionTracker(runtime_, &on_rejection_change, this);
    JS_SetModuleLoaderFunc2(runtime_, nullptr, &on_load, nullptr, this);
    JS_SetModuleNormalizeFunc2(runtime_, &on_resolve);
}

QuickJsEngine::~QuickJsEngine() {
    const Entry entry(*this);
    is_stopped_.store(true);
    for (Value& hook : hooks_) hook.reset();
    thrown_.reset();
    slot_getter_.reset();
    sources_.clear();
    async_context.reset();
    end_error_.reset();
    failures_.clear();
    module_by_url_.clear();
    modules_.clear();
    JS_FreeContext(context_);
    JS_FreeRuntime(runtime_);
}

// Thrown whenever a script is ended, which takes no memory: a script may have used all of it, and
// without an error that no catch block sees it would go on.
void QuickJsEngine::make_end_error() {
    JS_ThrowInternalError(context_, "stopped");
    end_error_ = Value(context_, JS_GetException(context_));
    JS_SetUncatchableError(context_, end_error_.get());
}

JSValue QuickJsEngine::throw_stopped() {
    return JS_Throw(context_, JS_DupValue(context_, end_error_.get()));
}

Outcome QuickJsEngine::start(std::span<const LibraryFile> library, std::span<const Native> natives,
                             void* host, std::string_view config) {
    const Entry entry(*this);
    host_ = host;
    natives_ = natives;
    library_ = library;
    const Value given(context_, JS_NewObject(context_));
    const Value table(context_, JS_NewObject(context_));
    for (std::size_t i = 0; i < natives.size(); ++i) {
        JS_SetPropertyStr(context_, table.get(), natives[i].name,
                          JS_NewCFunctionMagic(context_, &on_native, natives[i].name, 0,
                                               JS_CFUNC_generic_magic, static_cast<int>(i)));
    }
    JS_SetPropertyStr(context_, given.get(), "natives", JS_DupValue(context_, table.get()));
    const Value engine(context_, JS_NewObject(context_));
    bind(context_, engine.get(), engine_functions());
    bind(context_, engine.get(), module_functions());
    JS_SetPropertyStr(context_, engine.get(), "version", string(context_, version()));
    JS_SetPropertyStr(context_, engine.get(), "name", string(context_, "quickjs"));
    JS_SetPropertyStr(context_, engine.get(), "hasLateStacks", JS_TRUE);
    JS_SetPropertyStr(context_, given.get(), "engine", JS_DupValue(context_, engine.get()));
    JS_SetPropertyStr(context_, given.get(), "config", string(context_, config));
    const Value words(context_,
                      JS_NewArrayBuffer(context_, reinterpret_cast<std::uint8_t*>(shared_.data()),
                                        sizeof(shared_), 0, nullptr, nullptr, false));
    JSValueConst buffer[] = {words.get()};
    JS_SetPropertyStr(context_, given.get(), "shared",
                      JS_NewTypedArray(context_, 1, buffer, JS_TYPED_ARRAY_INT32));
    change_stacks(context_);
    remove_globals(context_);
    return run_library(given.get());
}

Value QuickJsEngine::compile(const std::string& text, const std::string& name,
                             std::string_view parameters) {
    // The text begins in line 1.
    const std::string whole = "(function (" + std::string(parameters) + ") {\n\n" + text + "\n})";
    JSEvalOptions options{.version = JS_EVAL_OPTIONS_VERSION,
                          .eval_flags = JS_EVAL_TYPE_GLOBAL,
                          .filename = name.c_str(),
                          .line_num = -1};
    return {context_, JS_Eval2(context_, whole.c_str(), whole.size(), &options)};
}

// The library has its own, in Node's order.
void QuickJsEngine::remove_globals(JSContext* context) {
    const Value global(context, JS_GetGlobalObject(context));
    for (const char* name : {"queueMicrotask", "btoa", "atob", "performance", "DOMException"}) {
        const JSAtom atom = JS_NewAtom(context, name);
        JS_DeleteProperty(context, global.get(), atom, 0);
        JS_FreeAtom(context, atom);
    }
}

void QuickJsEngine::keep_source(const std::string& name, JSValueConst text) {
    sources_.insert_or_assign(name, Value::copy(context_, text));
}

Value QuickJsEngine::compile_library(const LibraryFile& file) {
    return compile(std::string(file.text), std::string("gyre:") + file.name, "host, shelf");
}

Value QuickJsEngine::compile_lazy(std::string_view name) {
    for (const LibraryFile& file : library_) {
        if (file.is_lazy && file.name == name) return compile_library(file);
    }
    return {context_, JS_ThrowPlainError(context_, "the host library has no such file")};
}

Outcome QuickJsEngine::run_library(JSValueConst host) {
    const Value shelf(context_, JS_NewObject(context_));
    JS_SetPropertyStr(context_, shelf.get(), "hooks", JS_NewObject(context_));
    for (const LibraryFile& file : library_) {
        if (file.is_lazy) continue;
        const Value body = compile_library(file);
        if (body.is_exception()) return ended();
        JSValueConst arguments[] = {host, shelf.get()};
        if (Value(context_, JS_Call(context_, body.get(), JS_UNDEFINED, 2, arguments))
                .is_exception()) {
            return ended();
        }
    }
    const Value hooks(context_, JS_GetPropertyStr(context_, shelf.get(), "hooks"));
    for (std::size_t i = 0; i < hook_names.size(); ++i) {
        Value hook(context_, JS_GetPropertyStr(context_, hooks.get(), hook_names[i]));
        if (JS_IsFunction(context_, hook.get())) hooks_[i] = std::move(hook);
    }
    return Outcome::done;
}

// ---- Calls of the host into the script ----

// Keeps what was thrown for call_with_thrown.
Outcome QuickJsEngine::ended() {
    Value thrown(context_, JS_GetException(context_));
    if (is_stopped_.load()) return Outcome::stopped;
    thrown_ = caught(std::move(thrown));
    return Outcome::threw;
}

// What a call threw, or an error that scripts can catch in place of the one that interrupted it.
Value QuickJsEngine::caught(Value thrown) {
    if (!std::exchange(was_interrupted_, false)) return thrown;
    Value error(context_, JS_NewError(context_));
    JS_DefinePropertyValueStr(context_, error.get(), "message", string(context_, "interrupted"),
                              JS_PROP_C_W_E);
    return error;
}

Value QuickJsEngine::call_hook(Hook hook, std::span<JSValueConst> arguments) {
    const Value& function = hooks_[static_cast<std::size_t>(hook)];
    if (!JS_IsFunction(context_, function.get())) return {};
    return {context_, JS_Call(context_, function.get(), JS_UNDEFINED,
                              static_cast<int>(arguments.size()), arguments.data())};
}

Outcome QuickJsEngine::call_values(Hook hook, std::span<JSValueConst> arguments) {
    const Value result = call_hook(hook, arguments);
    if (result.is_exception()) return ended();
    result_ = 0;
    if (JS_IsNumber(result.get())) JS_ToFloat64(context_, &result_, result.get());
    return is_stopped_.load() ? Outcome::stopped : Outcome::done;
}

Outcome QuickJsEngine::call(Hook hook, std::span<const Argument> arguments) {
    if (is_stopped_.load()) return Outcome::stopped;
    const Entry entry(*this);
    std::array<Value, 4> values;
    std::array<JSValueConst, 4> given;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Argument& argument = arguments[i];
        values[i] = Value(context_, argument.is_text ? string(context_, argument.text)
                                                     : JS_NewNumber(context_, argument.number));
        given[i] = values[i].get();
    }
    return call_values(hook, std::span(given).first(arguments.size()));
}

Outcome QuickJsEngine::call_with_thrown(Hook hook) {
    if (is_stopped_.load()) return Outcome::stopped;
    const Entry entry(*this);
    const Value thrown = std::move(thrown_);
    const Value place(context_, string(context_, place_of(thrown.get())));
    JSValueConst values[] = {thrown.get(), place.get()};
    return call_values(hook, values);
}

std::string QuickJsEngine::thrown_text() {
    const Entry entry(*this);
    const std::string text = text_of(context_, thrown_.get());
    return text.empty() ? "an error without a text" : text;
}

// ---- Promises and microtasks ----

void QuickJsEngine::on_rejection_change(JSContext* context, JSValueConst promise,
                                        JSValueConst reason, bool is_handled, void* engine) {
    auto* self = static_cast<QuickJsEngine*>(engine);
    if (self->is_stopped_.load()) return;
    JSValueConst values[] = {JS_NewInt32(context, is_handled ? 1 : 0), promise, reason};
    if (self->call_hook(Hook::on_promise, values).is_exception()) {
        JS_FreeValue(context, JS_GetException(context));
    }
}

std::size_t QuickJsEngine::pending() const noexcept {
    return !is_stopped_.load() && JS_IsJobPending(runtime_) ? 1 : 0;
}

job::JobsRun QuickJsEngine::run_some(std::size_t max) noexcept {
    const Entry entry(*this);
    std::size_t count = 0;
    while (count < max && !is_stopped_.load() && job_error_ == nullptr) {
        JSContext* context = nullptr;
        const int outcome = JS_ExecutePendingJob(runtime_, &context);
        if (outcome == 0) break;
        ++count;
        if (outcome < 0) report_job_error();
    }
    return {.count = count, .error = std::exchange(job_error_, nullptr)};
}

// Callbacks of queueMicrotask report their errors themselves: this is one of a finalization
// registry.
void QuickJsEngine::report_job_error() {
    const Value thrown = caught(Value(context_, JS_GetException(context_)));
    if (is_stopped_.load()) return;
    const Value place(context_, string(context_, place_of(thrown.get())));
    JSValueConst values[] = {thrown.get(), place.get()};
    if (call_hook(Hook::on_uncaught, values).is_exception()) {
        JS_FreeValue(context_, JS_GetException(context_));
    }
}

JSValue QuickJsEngine::run_queued(JSContext* context, int /*count*/, JSValueConst* /*arguments*/) {
    QuickJsEngine& engine = of(context);
    Callback<> job = std::move(engine.queued_.front());
    engine.queued_.pop_front();
    try {
        job.call_unshared();
    } catch (...) {
        engine.job_error_ = std::current_exception();
    }
    return engine.is_stopped_.load() ? engine.throw_stopped() : JS_UNDEFINED;
}

void QuickJsEngine::queue(Callback<> job) {
    const Entry entry(*this);
    queued_.push_back(std::move(job));
    if (JS_EnqueueJob(context_, &run_queued, 0, nullptr) != 0) queued_.pop_back();
}

MemoryUse QuickJsEngine::memory() noexcept {
    return {.heap_total = heap_.used_bytes(), .heap_used = heap_.used_bytes(), .external = 0};
}

}  // namespace gyre::script::quickjs

// The names that the changed sources of QuickJS call: see edits.cmake.
extern "C" {
std::int64_t gyre_quickjs_date_ms(std::int64_t system_ms) {
    return gyre::script::quickjs::QuickJsEngine::date_ms(system_ms);
}
int gyre_quickjs_is_stopped(JSContext* context) {
    return gyre::script::quickjs::QuickJsEngine::of(context).is_interrupted() ? 1 : 0;
}
void gyre_quickjs_throw_stopped(JSContext* context) {
    gyre::script::quickjs::QuickJsEngine::of(context).throw_stopped();
}
std::uint64_t gyre_quickjs_seed(std::uint64_t system_us) {
    return gyre::script::quickjs::QuickJsEngine::seed_of_context(system_us);
}
}
