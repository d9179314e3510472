// SPDX-License-Identifier: Apache-2.0
// QuickJsEngine: one runtime with one context. engine.cpp has its life and the calls into the script,
// native_calls.cpp those out of it, bindings.cpp the functions that the host library gets
// (`host.engine`), modules.cpp ES modules, stacks.cpp the stacks of errors. The thread that made it;
// `terminate` from any.
#pragma once

#include <quickjs.h>

#include <array>
#include <deque>
#include <exception>
#include <string>
#include <unordered_map>
#include <vector>

#include "gyre/base/detail/atomic.hpp"
#include "lang/script/engine.hpp"
#include "lang/script/quickjs/internal/heap.hpp"
#include "lang/script/quickjs/internal/shared_buffers.hpp"
#include "lang/script/quickjs/internal/value.hpp"

namespace gyre::script::quickjs {

// Given to host.engine by bindings.cpp and modules.cpp.
struct Binding {
    const char* name;
    JSCFunction* function;
};

class QuickJsEngine final : public Engine, public job::JobSource {
public:
    explicit QuickJsEngine(const EngineOptions& options);
    ~QuickJsEngine() override;

    Outcome start(std::span<const LibraryFile> library, std::span<const Native> natives, void* host,
                  std::string_view config) override;
    Outcome call(Hook hook, std::span<const Argument> arguments) override;
    double result() const noexcept override { return result_; }
    Outcome call_with_thrown(Hook hook) override;
    std::string thrown_text() override;
    job::JobSource& microtasks() noexcept override { return *this; }
    std::span<std::int32_t> shared_words() noexcept override { return shared_; }
    void terminate() noexcept override { is_stopped_.store(true); }
    bool is_stopped() const noexcept override { return is_stopped_.load(); }
    void interrupt() noexcept override { is_interrupt_wanted_.store(true); }
    bool withdraw_interrupt() noexcept override { return is_interrupt_wanted_.exchange(false); }
    bool is_out_of_memory() const noexcept override { return is_out_of_memory_; }
    MemoryUse memory() noexcept override;
    void collect_garbage() override { JS_RunGC(runtime_); }
    // The engine has no threads and no tasks.
    void set_task_bell(std::function<void()> /*bell*/) override {}
    void run_tasks() override {}
    bool drain_tasks() override { return false; }
    std::string version() const override { return quickjs_version(); }
    static std::string quickjs_version();

    // JobSource: the microtasks.
    std::size_t pending() const noexcept override;
    job::JobsRun run_some(std::size_t max) noexcept override;
    void queue(Callback<> job) override;

    static QuickJsEngine& of(JSContext* context) {
        return *static_cast<QuickJsEngine*>(JS_GetContextOpaque(context));
    }
    // Calls a function of the library inside of a call from QuickJS.
    [[nodiscard]] Value call_hook(Hook hook, std::span<JSValueConst> arguments);
    // Throws what no catch block sees.
    JSValue throw_stopped();
    // A wait ends: the script, or a run with a limit, must.
    [[nodiscard]] bool is_interrupted() const noexcept {
        return is_stopped_.load() || is_late_.load() || is_interrupt_wanted_.load();
    }
    // The function of a lazy file of the library.
    [[nodiscard]] Value compile_lazy(std::string_view name);
    // (function (parameters) { text }), with the lines of the text. An exception where it has a
    // syntax error.
    [[nodiscard]] Value compile(const std::string& text, const std::string& name,
                                std::string_view parameters);

    // Keeps the text of a file, to show the line of an error.
    void keep_source(const std::string& name, JSValueConst text);

    // The async context, which reactions of promises carry along.
    Value async_context;

    // ---- Called by QuickJS ----

    // The time for Date: the host's, or the system's, which is given.
    static std::int64_t date_ms(std::int64_t system_ms);
    static std::uint64_t seed_of_context(std::uint64_t system_us);

private:
    // In every call from outside: says which engine runs on this thread, and where its stack begins.
    class Entry;
    friend class Entry;

    // engine.cpp
    void make_end_error();
    static void remove_globals(JSContext* context);
    Outcome run_library(JSValueConst host);
    [[nodiscard]] Value compile_library(const LibraryFile& file);
    Outcome call_values(Hook hook, std::span<JSValueConst> arguments);
    // Takes the exception of the context.
    Outcome ended();
    [[nodiscard]] Value caught(Value thrown);
    void report_job_error();
    static JSValue run_queued(JSContext* context, int count, JSValueConst* arguments);
    static void on_rejection_change(JSContext* context, JSValueConst promise, JSValueConst reason,
                                    bool is_handled, void* engine);

    // native_calls.cpp
    static JSValue on_native(JSContext* context, JSValueConst self, int count,
                             JSValueConst* arguments, int index);

    // bindings.cpp
    static std::span<const Binding> engine_functions();
    static void bind(JSContext* context, JSValueConst object, std::span<const Binding> functions);

    // contexts.cpp
    static JSValue check_script(JSContext* context, JSValueConst self, int count,
                                JSValueConst* given);
    static JSValue run_script(JSContext* context, JSValueConst self, int count,
                              JSValueConst* given);
    static JSValue make_context(JSContext* context, JSValueConst self, int count,
                                JSValueConst* given);

    // stacks.cpp
    void change_stacks(JSContext* context);
    std::string place_of(JSValueConst error);
    static std::string shown_line(const std::string& file, std::string_view text, std::size_t line,
                                  std::size_t column);
    static JSValue error_place(JSContext* context, JSValueConst self, int count,
                               JSValueConst* arguments);

    // modules.cpp
    struct Module {
        JSModuleDef* definition = nullptr;  // owned by the context
        Value evaluate;                     // of a synthetic module
        std::string url;
    };
    static std::span<const Binding> module_functions();
    static JSValue create_module(JSContext* context, JSValueConst self, int count,
                                 JSValueConst* arguments);
    static JSValue create_synthetic(JSContext* context, JSValueConst self, int count,
                                    JSValueConst* arguments);
    static JSValue set_export(JSContext* context, JSValueConst self, int count,
                              JSValueConst* arguments);
    static JSValue module_requests(JSContext* context, JSValueConst self, int count,
                                   JSValueConst* arguments);
    static JSValue link_module(JSContext* context, JSValueConst self, int count,
                               JSValueConst* arguments);
    static JSValue instantiate_module(JSContext* context, JSValueConst self, int count,
                                      JSValueConst* arguments);
    static JSValue evaluate_module(JSContext* context, JSValueConst self, int count,
                                   JSValueConst* arguments);
    static JSValue module_namespace(JSContext* context, JSValueConst self, int count,
                                    JSValueConst* arguments);
    static int fill_synthetic(JSContext* context, JSModuleDef* definition);
    static char* on_resolve(JSContext* context, const char* base, const char* name,
                            JSValueConst attributes, void* engine);
    static JSModuleDef* on_load(JSContext* context, const char* url, void* engine,
                                JSValueConst attributes);
    Module* module_at(JSValueConst number);
    JSValue add_module(std::unique_ptr<Module> module);
    const Value* failure_below(const std::string& url);
    std::vector<std::unique_ptr<Module>> modules_;
    std::unordered_map<std::string, Module*> module_by_url_;
    // What a module asked for and did not get, by its url.
    std::unordered_map<std::string, Value> failures_;
    std::unordered_map<std::string, std::vector<std::string>> requests_;
    std::vector<std::string> compiling_;

    std::function<double()> date_;
    Heap heap_;
    shared::Limit shared_limit_;
    JSRuntime* runtime_ = nullptr;
    JSContext* context_ = nullptr;
    std::array<Value, hook_names.size()> hooks_;
    Value thrown_;
    Value end_error_;    // no catch block sees it
    Value slot_getter_;  // of the frames of an error
    std::unordered_map<std::string, Value> sources_;
    std::deque<Callback<>> queued_;
    std::exception_ptr job_error_;  // of a job of the host
    std::array<std::int32_t, SharedWords::count> shared_{};
    std::span<const Native> natives_;
    std::span<const LibraryFile> library_;
    void* host_ = nullptr;
    double result_ = 0;
    Atomic<bool> is_stopped_{false};
    Atomic<bool> is_late_{false};              // a run has passed its own limit
    Atomic<bool> is_interrupt_wanted_{false};  // a call must end
    bool was_interrupted_ = false;
    bool is_out_of_memory_ = false;
};

}  // namespace gyre::script::quickjs
