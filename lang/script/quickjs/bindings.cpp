// SPDX-License-Identifier: Apache-2.0
// The functions of QuickJS that the host library gets as host.engine: looks into values that
// JavaScript itself hides, and compiles functions. The async context is here too.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include "lang/script/quickjs/internal/quickjs_engine.hpp"

// internal/preview.c
extern "C" JSValue gyre_quickjs_preview(JSContext* context, JSValueConst iterator, bool is_set,
                                        bool* are_pairs);

namespace gyre::script::quickjs {

std::string text_of(JSContext* context, JSValueConst value) {
    std::size_t length = 0;
    const char* text = JS_ToCStringLen(context, &length, value);
    if (text == nullptr) {
        JS_FreeValue(context, JS_GetException(context));
        return {};
    }
    std::string made(text, length);
    JS_FreeCString(context, text);
    // A lone surrogate comes as three bytes, ED A0..BF xx; U+FFFD has three bytes too.
    for (std::size_t at = made.find('\xed'); at != std::string::npos;
         at = made.find('\xed', at + 1)) {
        if (at + 2 < made.size() && static_cast<unsigned char>(made[at + 1]) >= 0xa0) {
            made.replace(at, 3, "\xef\xbf\xbd");
        }
    }
    return made;
}

namespace {

// A C++ exception becomes a JavaScript error.
using Body = JSValue (*)(QuickJsEngine& engine, JSContext* context, std::span<JSValueConst> given);
template <Body body>
JSValue guarded(JSContext* context, JSValueConst /*self*/, int count, JSValueConst* arguments) {
    std::array<JSValueConst, 3> given;
    given.fill(JS_UNDEFINED);
    std::copy_n(arguments, std::min<std::size_t>(static_cast<std::size_t>(count), given.size()),
                given.begin());
    try {
        return body(QuickJsEngine::of(context), context, given);
    } catch (const std::exception& error) {
        return JS_ThrowInternalError(context, "%s", error.what());
    }
}

std::string class_name(JSContext* context, JSValueConst value) {
    const JSAtom atom = JS_GetClassName(JS_GetRuntime(context), JS_GetClassID(value));
    if (atom == JS_ATOM_NULL) return {};
    const Value name(context, JS_AtomToString(context, atom));
    JS_FreeAtom(context, atom);
    return text_of(context, name.get());
}

// The kind of an object, for util.inspect and util.types, in V8's words.
std::string kind_of(JSContext* context, JSValueConst value) {
    static constexpr std::pair<std::string_view, const char*> kinds[] = {
        {"Map Iterator", "MapIterator"},        {"Set Iterator", "SetIterator"},
        {"AsyncGenerator", "Generator"},        {"AsyncGeneratorFunction", "AsyncFunction"},
        {"PromiseResolveFunction", "Function"}, {"PromiseRejectFunction", "Function"},
    };
    static constexpr std::string_view same[] = {"Arguments", "Array",         "Promise",
                                                "Map",       "Set",           "WeakMap",
                                                "WeakSet",   "Date",          "RegExp",
                                                "Error",     "Generator",     "ArrayBuffer",
                                                "DataView",  "Number",        "String",
                                                "Boolean",   "BigInt",        "SharedArrayBuffer",
                                                "Symbol",    "AsyncFunction", "GeneratorFunction"};
    if (!JS_IsObject(value)) return {};
    if (JS_IsProxy(value)) return "Proxy";
    if (JS_GetTypedArrayType(value) >= 0) return "TypedArray";
    const std::string name = class_name(context, value);
    for (const auto& [ours, theirs] : kinds) {
        if (name == ours) return theirs;
    }
    if (std::ranges::find(same, name) != std::end(same)) return name;
    if (JS_IsFunction(context, value)) return "Function";
    // The namespace of a module is of a class of its own with the name of another.
    const Value plain(context, JS_NewObject(context));
    return name == "Object" && JS_GetClassID(value) != JS_GetClassID(plain.get()) ? "Module" : "";
}

JSValue kind(QuickJsEngine& /*engine*/, JSContext* context, std::span<JSValueConst> given) {
    return string(context, kind_of(context, given[0]));
}

JSValue pair(JSContext* context, JSValue first, JSValue second) {
    const JSValue values[] = {first, second};
    return JS_NewArrayFrom(context, 2, values);
}

JSValue promise_details(QuickJsEngine& /*engine*/, JSContext* context,
                        std::span<JSValueConst> given) {
    if (!JS_IsPromise(given[0])) return JS_UNDEFINED;
    const auto state = JS_PromiseState(context, given[0]);
    return pair(context, JS_NewInt32(context, state),
                state == JS_PROMISE_PENDING ? JS_UNDEFINED : JS_PromiseResult(context, given[0]));
}

JSValue proxy_details(QuickJsEngine& /*engine*/, JSContext* context,
                      std::span<JSValueConst> given) {
    if (!JS_IsProxy(given[0])) return JS_UNDEFINED;
    return pair(context, JS_GetProxyTarget(context, given[0]),
                JS_GetProxyHandler(context, given[0]));
}

// The entries of an iterator: [entries, are they pairs]. QuickJS does not show those of weak
// collections.
JSValue preview_entries(QuickJsEngine& /*engine*/, JSContext* context,
                        std::span<JSValueConst> given) {
    const std::string kind = kind_of(context, given[0]);
    if (kind != "MapIterator" && kind != "SetIterator") return JS_UNDEFINED;
    bool are_pairs = false;
    const JSValue entries =
        gyre_quickjs_preview(context, given[0], kind == "SetIterator", &are_pairs);
    return pair(context, entries, JS_NewBool(context, are_pairs));
}

// The own data property `name` of an object that is no proxy; undefined without one.
Value own_data(JSContext* context, JSValueConst object, JSAtom name) {
    JSPropertyDescriptor found{};
    if (!JS_IsObject(object) || JS_IsProxy(object) ||
        JS_GetOwnProperty(context, &found, object, name) != 1) {
        return {};
    }
    JS_FreeValue(context, found.getter);
    JS_FreeValue(context, found.setter);
    return {context, found.value};
}

// The name of the function that made an object, without calling into the script.
JSValue constructor_name(QuickJsEngine& /*engine*/, JSContext* context,
                         std::span<JSValueConst> given) {
    if (!JS_IsObject(given[0])) return JS_UNDEFINED;
    const JSAtom constructor = JS_NewAtom(context, "constructor");
    const JSAtom name = JS_NewAtom(context, "name");
    std::string made;
    Value object = Value::copy(context, given[0]);
    while (made.empty() && JS_IsObject(object.get()) && !JS_IsProxy(object.get())) {
        const Value maker = own_data(context, object.get(), constructor);
        const Value text = own_data(context, maker.get(), name);
        if (JS_IsString(text.get())) made = text_of(context, text.get());
        object = Value(context, JS_GetPrototype(context, object.get()));
    }
    JS_FreeAtom(context, constructor);
    JS_FreeAtom(context, name);
    if (made.empty()) made = class_name(context, given[0]);
    return string(context, made.empty() ? "Object" : made);
}

bool is_index(const std::string& name) {
    if (name.empty() || name.size() > 10 || (name[0] == '0' && name.size() > 1)) return false;
    return std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; }) &&
           std::strtoull(name.c_str(), nullptr, 10) < 0xffffffffu;
}

JSValue own_non_index_keys(QuickJsEngine& /*engine*/, JSContext* context,
                           std::span<JSValueConst> given) {
    if (!JS_IsObject(given[0])) return JS_UNDEFINED;
    const bool wants_hidden = JS_ToBool(context, given[1]) == 1;
    JSPropertyEnum* names = nullptr;
    std::uint32_t count = 0;
    if (JS_GetOwnPropertyNames(
            context, &names, &count, given[0],
            JS_GPN_STRING_MASK | JS_GPN_SYMBOL_MASK | (wants_hidden ? 0 : JS_GPN_ENUM_ONLY)) != 0) {
        return JS_EXCEPTION;
    }
    Value keys(context, JS_NewArray(context));
    std::uint32_t used = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        Value key(context, JS_AtomToValue(context, names[i].atom));
        if (!JS_IsSymbol(key.get()) && is_index(text_of(context, key.get()))) continue;
        JS_SetPropertyUint32(context, keys.get(), used++, key.release());
    }
    JS_FreePropertyEnum(context, names, count);
    return keys.release();
}

// compileFunction(text, name, [parameters])
JSValue compile_function(QuickJsEngine& engine, JSContext* context, std::span<JSValueConst> given) {
    std::int64_t count = 0;
    std::string parameters;
    if (JS_GetLength(context, given[2], &count) != 0) return JS_EXCEPTION;
    for (std::int64_t i = 0; i < count; ++i) {
        const Value name(context, JS_GetPropertyInt64(context, given[2], i));
        parameters += (i > 0 ? ", " : "") + text_of(context, name.get());
    }
    const std::string name = text_of(context, given[1]);
    engine.keep_source(name, given[0]);
    return engine.compile(text_of(context, given[0]), name, parameters).release();
}

// compileLibrary(name): the function of a lazy file.
JSValue compile_lazy_file(QuickJsEngine& engine, JSContext* context,
                          std::span<JSValueConst> given) {
    return engine.compile_lazy(text_of(context, given[0])).release();
}

JSValue queue_microtask(QuickJsEngine& /*engine*/, JSContext* context,
                        std::span<JSValueConst> given) {
    const auto run = [](JSContext* own, int /*count*/, JSValueConst* arguments) {
        return JS_Call(own, arguments[0], JS_UNDEFINED, 0, nullptr);
    };
    return JS_EnqueueJob(context, run, 1, given.data()) == 0 ? JS_UNDEFINED : JS_EXCEPTION;
}

JSValue has_microtasks(QuickJsEngine& engine, JSContext* context, std::span<JSValueConst>) {
    return JS_NewBool(context, engine.pending() > 0);
}

// The memory of an array buffer, in a new one; the old one is empty.
JSValue detach(QuickJsEngine& /*engine*/, JSContext* context, std::span<JSValueConst> given) {
    if (!JS_IsArrayBuffer(given[0])) return JS_UNDEFINED;
    std::size_t size = 0;
    const std::uint8_t* data = JS_GetArrayBuffer(context, &size, given[0]);
    Value moved(context, JS_NewArrayBufferCopy(context, data, size));
    if (!moved.is_exception()) JS_DetachArrayBuffer(context, given[0]);
    return moved.release();
}

// ---- The async context ----

JSValue get_context(QuickJsEngine& engine, JSContext* context, std::span<JSValueConst> /*given*/) {
    return JS_DupValue(context, engine.async_context.get());
}

JSValue set_context(QuickJsEngine& engine, JSContext* context, std::span<JSValueConst> given) {
    engine.async_context = Value::copy(context, given[0]);
    return JS_UNDEFINED;
}

// Calls data[0] in the async context data[1].
JSValue call_in_context(JSContext* context, JSValueConst self, int count, JSValueConst* arguments,
                        int /*magic*/, JSValueConst* data) {
    QuickJsEngine& engine = QuickJsEngine::of(context);
    engine.async_context = Value::copy(context, data[1]);
    const JSValue result = JS_Call(context, data[0], self, count, arguments);
    engine.async_context = Value();
    return result;
}

}  // namespace

std::span<const Binding> QuickJsEngine::engine_functions() {
    static constexpr Binding functions[] = {
        {"kind", &guarded<kind>},
        {"promiseDetails", &guarded<promise_details>},
        {"proxyDetails", &guarded<proxy_details>},
        {"previewEntries", &guarded<preview_entries>},
        {"constructorName", &guarded<constructor_name>},
        {"ownNonIndexKeys", &guarded<own_non_index_keys>},
        {"compileFunction", &guarded<compile_function>},
        {"compileLibrary", &guarded<compile_lazy_file>},
        {"getContext", &guarded<get_context>},
        {"setContext", &guarded<set_context>},
        {"placeOf", &error_place},
        {"runScript", &run_script},
        {"checkScript", &check_script},
        {"makeContext", &make_context},
        {"queueMicrotask", &guarded<queue_microtask>},
        {"hasMicrotasks", &guarded<has_microtasks>},
        {"detach", &guarded<detach>},
    };
    return functions;
}

void QuickJsEngine::bind(JSContext* context, JSValueConst object,
                         std::span<const Binding> functions) {
    for (const Binding& binding : functions) {
        JS_SetPropertyStr(context, object, binding.name,
                          JS_NewCFunction(context, binding.function, binding.name, 0));
    }
}

}  // namespace gyre::script::quickjs

// The handler of a promise's reaction, bound to the async context: see edits.cmake. A reaction without a handler passes the
// outcome on: there is nothing to bind.
extern "C" JSValue gyre_quickjs_handler(JSContext* context, JSValueConst handler) {
    using namespace gyre::script::quickjs;
    JSValueConst data[] = {handler, QuickJsEngine::of(context).async_context.get()};
    if (JS_IsUndefined(data[1]) || JS_IsUndefined(handler)) return JS_DupValue(context, handler);
    const JSValue bound = JS_NewCFunctionData(context, &call_in_context, 1, 0, 2, data);
    return JS_IsException(bound) ? JS_DupValue(context, handler) : bound;
}
