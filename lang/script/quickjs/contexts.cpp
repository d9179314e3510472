// SPDX-License-Identifier: Apache-2.0
// Contexts of node:vm: further contexts of the same runtime. The library links the global object of
// one with its sandbox (lazy/vm.js).
#include <chrono>

#include "lang/script/detail/run_timer.hpp"
#include "lang/script/quickjs/internal/quickjs_engine.hpp"

namespace gyre::script::quickjs {
namespace {

JSValue evaluate(JSContext* context, int count, JSValueConst* given, int flags) {
    if (count < 2) return JS_UNDEFINED;
    QuickJsEngine& engine = QuickJsEngine::of(context);
    const std::string text = text_of(context, given[0]);
    const std::string name = text_of(context, given[1]);
    engine.keep_source(name, given[0]);
    std::int32_t line = 0;
    if (count > 2) JS_ToInt32(context, &line, given[2]);
    JSEvalOptions options{.version = JS_EVAL_OPTIONS_VERSION,
                          .eval_flags = JS_EVAL_TYPE_GLOBAL | flags,
                          .filename = name.c_str(),
                          .line_num = line + 1};
    return JS_Eval2(context, text.c_str(), text.size(), &options);
}

}  // namespace

JSValue QuickJsEngine::check_script(JSContext* context, JSValueConst /*self*/, int count,
                                    JSValueConst* given) {
    const Value compiled(context, evaluate(context, count, given, JS_EVAL_FLAG_COMPILE_ONLY));
    return compiled.is_exception() ? JS_EXCEPTION : JS_UNDEFINED;
}

// runScript(text, name, line, column, milliseconds): as V8's. The context is that of the function.
JSValue QuickJsEngine::run_script(JSContext* context, JSValueConst /*self*/, int count,
                                  JSValueConst* given) {
    QuickJsEngine& engine = of(context);
    std::int32_t limit = 0;
    if (count > 4) JS_ToInt32(context, &limit, given[4]);
    Value result;
    const bool was_late = engine.is_late_.load();
    {
        const RunTimer timer(std::chrono::milliseconds(limit),
                             [&engine] { engine.is_late_.store(true); });
        result = Value(context, evaluate(context, count, given, 0));
    }
    if (limit > 0 && !was_late && engine.is_late_.load() && !engine.is_stopped_.load()) {
        engine.is_late_.store(false);
        if (result.is_exception()) JS_FreeValue(context, JS_GetException(context));
        return JS_Throw(context, JS_TRUE);
    }
    return result.release();
}

// makeContext(): { global, run, check }. The functions of a context keep it.
JSValue QuickJsEngine::make_context(JSContext* context, JSValueConst /*self*/, int /*count*/,
                                    JSValueConst* /*given*/) {
    QuickJsEngine& engine = of(context);
    JSContext* const made = JS_NewContext(engine.runtime_);
    if (made == nullptr) return JS_ThrowOutOfMemory(context);
    JS_SetContextOpaque(made, &engine);
    engine.change_stacks(made);
    remove_globals(made);
    const JSValue parts = JS_NewObject(context);
    JS_SetPropertyStr(context, parts, "global", JS_GetGlobalObject(made));
    JS_SetPropertyStr(context, parts, "run", JS_NewCFunction(made, &run_script, "runScript", 0));
    JS_SetPropertyStr(context, parts, "check",
                      JS_NewCFunction(made, &check_script, "checkScript", 0));
    JS_FreeContext(made);
    return parts;
}

}  // namespace gyre::script::quickjs
