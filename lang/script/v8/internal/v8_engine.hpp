// SPDX-License-Identifier: Apache-2.0
// V8Engine: one isolate with one context. engine.cpp has its life and the calls into the script,
// native_calls.cpp those out of it, bindings.cpp the functions that the host library gets from V8
// (`host.engine`), modules.cpp ES modules, code_cache.cpp the compilation of the library. The thread
// that made it; `terminate` from any.
#pragma once

#include <v8.h>

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "gyre/base/detail/atomic.hpp"
#include "lang/script/engine.hpp"
#include "lang/script/v8/internal/bounded_drain.hpp"
#include "lang/script/v8/internal/buffers.hpp"
#include "lang/script/v8/internal/platform.hpp"

namespace gyre::script::v8 {

using ::v8::Context;
using ::v8::Function;
using ::v8::FunctionCallbackInfo;
using ::v8::Global;
using ::v8::HandleScope;
using ::v8::Isolate;
using ::v8::Local;
using ::v8::MaybeLocal;
using ::v8::Module;
using ::v8::Object;
using ::v8::Promise;
using ::v8::TryCatch;
using ::v8::Value;

class V8Debugger;

class V8Engine final : public Engine, public job::JobSource {
public:
    explicit V8Engine(const EngineOptions& options);
    ~V8Engine() override;

    Outcome start(std::span<const LibraryFile> library, std::span<const Native> natives, void* host,
                  std::string_view config) override;
    Outcome call(Hook hook, std::span<const Argument> arguments) override;
    double result() const noexcept override { return result_; }
    Outcome call_with_thrown(Hook hook) override;
    std::string thrown_text() override;
    job::JobSource& microtasks() noexcept override { return *this; }
    std::span<std::int32_t> shared_words() noexcept override { return shared_; }
    void terminate() noexcept override;
    bool is_stopped() const noexcept override { return is_stopped_.load(); }
    void interrupt() noexcept override;
    bool withdraw_interrupt() noexcept override;
    bool is_out_of_memory() const noexcept override { return is_out_of_memory_; }
    MemoryUse memory() noexcept override;
    void collect_garbage() override;
    void set_task_bell(std::function<void()> bell) override { tasks_->set_bell(std::move(bell)); }
    bool tell_reactions(std::function<void(std::string_view)> tell) override;
    void run_tasks() override;
    bool drain_tasks() override;
    std::string version() const override;

    // debugger.cpp
    std::unique_ptr<Debugger> open_debugger(DebugLink& link) override;
    void serve_debugger();
    void ring_debugger() noexcept;  // any thread
    void forget_debugger() noexcept { debugger_.store(nullptr); }
    [[nodiscard]] bool is_debugged() const noexcept { return debugger_.load() != nullptr; }

    // code_cache.cpp
    void record_code() noexcept { is_recording_ = true; }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> recorded_code();
    // Files of the library whose code came from the cache.
    [[nodiscard]] std::size_t cached_file_count() const noexcept { return cached_file_count_; }

    // JobSource: the microtasks.
    std::size_t pending() const noexcept override;
    job::JobsRun run_some(std::size_t max) noexcept override;
    void queue(Callback<> job) override;

    static V8Engine& of(Isolate* isolate) { return *static_cast<V8Engine*>(isolate->GetData(0)); }
    [[nodiscard]] Local<::v8::String> string(std::string_view text);
    void throw_error(std::string_view type, std::string_view message);
    // The source line of an error with a caret.
    [[nodiscard]] std::string place_of(Local<::v8::Message> message);
    // Calls a function of the library inside of a call from V8.
    MaybeLocal<Value> call_hook(Hook hook, std::span<Local<Value>> arguments);

private:
    // engine.cpp
    void make_isolate(const EngineOptions& options);
    void bind_natives(Local<Object> host, std::span<const Native> natives);
    Outcome run_library(Local<Object> host);
    MaybeLocal<Function> compile_library(const LibraryFile& file);
    static void compile_lazy(const FunctionCallbackInfo<Value>& info);
    Outcome call_values(Hook hook, std::span<Local<Value>> arguments);
    Outcome ended_by(TryCatch& caught);
    [[nodiscard]] bool has_interrupted(const ::v8::TryCatch& caught) noexcept;
    static void on_native(const FunctionCallbackInfo<Value>& info);
    static void on_promise_reject(::v8::PromiseRejectMessage message);
    static void on_promise_hook(::v8::PromiseHookType type, Local<Promise> promise,
                                Local<Value> parent);
    static std::size_t on_near_heap_limit(void* engine, std::size_t current, std::size_t initial);

    // bindings.cpp
    void bind_engine_functions(Local<Object> engine);
    // debugger.cpp
    void end_debugger_waits() noexcept;  // any thread
    static void pause_at_first_call(const FunctionCallbackInfo<Value>& info);
    // contexts.cpp
    static void check_script(const FunctionCallbackInfo<Value>& info);
    static void run_script(const FunctionCallbackInfo<Value>& info);
    static void make_context(const FunctionCallbackInfo<Value>& info);
    // modules.cpp
    void bind_module_functions(Local<Object> engine);
    static void create_module(const FunctionCallbackInfo<Value>& info);
    static void create_synthetic(const FunctionCallbackInfo<Value>& info);
    static void set_export(const FunctionCallbackInfo<Value>& info);
    static void module_requests(const FunctionCallbackInfo<Value>& info);
    static void link_module(const FunctionCallbackInfo<Value>& info);
    static void instantiate_module(const FunctionCallbackInfo<Value>& info);
    static void evaluate_module(const FunctionCallbackInfo<Value>& info);
    static void is_module_evaluating(const FunctionCallbackInfo<Value>& info);
    static void module_namespace(const FunctionCallbackInfo<Value>& info);
    static MaybeLocal<Module> on_resolve(Local<Context> context, Local<::v8::String> specifier,
                                         Local<::v8::FixedArray> assertions,
                                         Local<Module> referrer);
    static MaybeLocal<Value> on_synthetic(Local<Context> context, Local<Module> module);
    static MaybeLocal<Promise> on_import(Local<Context> context,
                                         Local<::v8::Data> host_defined_options,
                                         Local<Value> resource_name, Local<::v8::String> specifier,
                                         Local<::v8::FixedArray> import_assertions);
    static void on_import_meta(Local<Context> context, Local<Module> module, Local<Object> meta);

    struct ModuleRecord {
        Global<Module> module;
        Global<Function> evaluate;                   // of a synthetic module
        std::unordered_map<std::string, int> links;  // specifier to number
        std::string url;
    };
    ModuleRecord* record_of(Local<Module> module);
    std::vector<std::unique_ptr<ModuleRecord>> modules_;
    std::unordered_multimap<int, int> module_by_hash_;

    std::span<const LibraryFile> library_;
    std::vector<std::pair<std::string, Global<Function>>> recorded_;
    std::size_t cached_file_count_ = 0;
    bool is_recording_ = false;
    std::function<double()> date_;
    std::shared_ptr<::v8::ArrayBuffer::Allocator> buffers_;
    std::shared_ptr<TaskQueue> tasks_;
    Isolate* isolate_ = nullptr;
    std::unique_ptr<::v8::MicrotaskQueue> queue_;
    Global<Context> context_;
    std::unique_ptr<BoundedDrain> drain_;
    std::function<void(std::string_view)> tell_reaction_;
    std::array<Global<Function>, hook_names.size()> hooks_;
    Global<Value> thrown_;
    std::string thrown_place_;
    std::array<std::int32_t, SharedWords::count> shared_{};
    std::vector<std::unique_ptr<Callback<>>> queued_;
    void* host_ = nullptr;
    double result_ = 0;
    Atomic<V8Debugger*> debugger_{nullptr};
    Atomic<bool> is_stopped_{false};
    Atomic<bool> is_interrupted_{false};  // a call must end
    bool is_out_of_memory_ = false;
};

}  // namespace gyre::script::v8
