// SPDX-License-Identifier: Apache-2.0
// ES modules. QuickJS asks for the imports of a module while it compiles it: the host library finds
// and makes them meanwhile (the hook resolveModule), so the library has nothing left to link. A
// module is a number to the library.
//
// A module whose imports cannot be had must still be compiled to its end: QuickJS frees it
// otherwise, and modules of a cycle keep pointing to it. It gets an empty module instead, and the
// error is thrown when a graph with that module is to be linked.
#include "lang/script/quickjs/internal/quickjs_engine.hpp"

namespace gyre::script::quickjs {

namespace {

constexpr const char* missing_url = "gyre:missing";

int nothing(JSContext* /*context*/, JSModuleDef* /*definition*/) {
    return 0;
}

char* copy_text(JSContext* context, const std::string& text) {
    return js_strndup(context, text.data(), text.size());
}

}  // namespace

QuickJsEngine::Module* QuickJsEngine::module_at(JSValueConst number) {
    std::int32_t index = -1;
    const bool is_number = JS_IsNumber(number) && JS_ToInt32(context_, &index, number) == 0;
    if (!is_number || index < 0 || static_cast<std::size_t>(index) >= modules_.size()) {
        JS_ThrowRangeError(context_, "no such module");
        return nullptr;
    }
    return modules_[static_cast<std::size_t>(index)].get();
}

JSValue QuickJsEngine::add_module(std::unique_ptr<Module> module) {
    module_by_url_[module->url] = module.get();
    modules_.push_back(std::move(module));
    return JS_NewInt32(context_, static_cast<std::int32_t>(modules_.size() - 1));
}

// createModule(url, text): the number of the module.
JSValue QuickJsEngine::create_module(JSContext* context, JSValueConst /*self*/, int count,
                                     JSValueConst* arguments) {
    if (count < 2) return JS_ThrowTypeError(context, "createModule(url, text)");
    QuickJsEngine& engine = of(context);
    auto module = std::make_unique<Module>();
    module->url = text_of(context, arguments[0]);
    const std::string text = text_of(context, arguments[1]);
    engine.keep_source(module->url, arguments[1]);
    engine.requests_.erase(module->url);
    engine.failures_.erase(module->url);
    engine.compiling_.push_back(module->url);
    const JSValue compiled = JS_Eval(context, text.c_str(), text.size(), module->url.c_str(),
                                     JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    engine.compiling_.pop_back();
    if (JS_IsException(compiled)) return JS_EXCEPTION;
    module->definition = static_cast<JSModuleDef*>(JS_VALUE_GET_PTR(compiled));
    JS_FreeValue(context, compiled);
    const Value meta(context, JS_GetImportMeta(context, module->definition));
    JSValueConst values[] = {arguments[0], meta.get()};
    if (engine.call_hook(Hook::fill_import_meta, values).is_exception()) return JS_EXCEPTION;
    return engine.add_module(std::move(module));
}

// createSynthetic(url, [names], evaluate): evaluate calls setExport.
JSValue QuickJsEngine::create_synthetic(JSContext* context, JSValueConst /*self*/, int count,
                                        JSValueConst* arguments) {
    if (count < 3) return JS_ThrowTypeError(context, "createSynthetic(url, names, evaluate)");
    auto module = std::make_unique<Module>();
    module->url = text_of(context, arguments[0]);
    module->definition = JS_NewCModule(context, module->url.c_str(), &fill_synthetic);
    if (module->definition == nullptr) return JS_EXCEPTION;
    module->evaluate = Value::copy(context, arguments[2]);
    std::int64_t names = 0;
    if (JS_GetLength(context, arguments[1], &names) != 0) return JS_EXCEPTION;
    for (std::int64_t i = 0; i < names; ++i) {
        const Value name(context, JS_GetPropertyInt64(context, arguments[1], i));
        if (JS_AddModuleExport(context, module->definition, text_of(context, name.get()).c_str()) !=
            0) {
            return JS_EXCEPTION;
        }
    }
    return of(context).add_module(std::move(module));
}

int QuickJsEngine::fill_synthetic(JSContext* context, JSModuleDef* definition) {
    QuickJsEngine& engine = of(context);
    for (std::size_t i = 0; i < engine.modules_.size(); ++i) {
        if (engine.modules_[i]->definition != definition) continue;
        const Value evaluate = Value::copy(context, engine.modules_[i]->evaluate.get());
        const Value result(context, JS_Call(context, evaluate.get(), JS_UNDEFINED, 0, nullptr));
        return result.is_exception() ? -1 : 0;
    }
    JS_ThrowInternalError(context, "a module that was not made here");
    return -1;
}

// setExport(number, name, value)
JSValue QuickJsEngine::set_export(JSContext* context, JSValueConst /*self*/, int count,
                                  JSValueConst* arguments) {
    if (count < 3) return JS_ThrowTypeError(context, "setExport(number, name, value)");
    const Module* module = of(context).module_at(arguments[0]);
    if (module == nullptr) return JS_EXCEPTION;
    const int status =
        JS_SetModuleExport(context, module->definition, text_of(context, arguments[1]).c_str(),
                           JS_DupValue(context, arguments[2]));
    return status == 0 ? JS_UNDEFINED : JS_EXCEPTION;
}

// moduleRequests(number): none; the module is linked already.
JSValue QuickJsEngine::module_requests(JSContext* context, JSValueConst /*self*/, int /*count*/,
                                       JSValueConst* /*arguments*/) {
    return JS_NewArray(context);
}

// linkModule(number, specifier, target): done while the module was made.
JSValue QuickJsEngine::link_module(JSContext* /*context*/, JSValueConst /*self*/, int /*count*/,
                                   JSValueConst* /*arguments*/) {
    return JS_UNDEFINED;
}

// The first failure among the modules that `url` reaches, in the order of their imports.
const Value* QuickJsEngine::failure_below(const std::string& url) {
    std::vector<std::string> open{url};
    std::unordered_map<std::string, bool> seen;
    while (!open.empty()) {
        const std::string at = std::move(open.back());
        open.pop_back();
        if (!seen.emplace(at, true).second) continue;
        if (const auto failure = failures_.find(at); failure != failures_.end()) {
            return &failure->second;
        }
        const auto found = requests_.find(at);
        if (found == requests_.end()) continue;
        open.insert(open.end(), found->second.rbegin(), found->second.rend());
    }
    return nullptr;
}

JSValue QuickJsEngine::instantiate_module(JSContext* context, JSValueConst /*self*/, int count,
                                          JSValueConst* arguments) {
    QuickJsEngine& engine = of(context);
    const Module* module = count < 1 ? nullptr : engine.module_at(arguments[0]);
    if (module == nullptr) return JS_EXCEPTION;
    const Value* failure = engine.failure_below(module->url);
    return failure == nullptr ? JS_UNDEFINED
                              : JS_Throw(context, JS_DupValue(context, failure->get()));
}

// evaluateModule(number): a promise.
JSValue QuickJsEngine::evaluate_module(JSContext* context, JSValueConst /*self*/, int count,
                                       JSValueConst* arguments) {
    const Module* module = count < 1 ? nullptr : of(context).module_at(arguments[0]);
    if (module == nullptr) return JS_EXCEPTION;
    return JS_EvalFunction(context,
                           JS_DupValue(context, JS_MKPTR(JS_TAG_MODULE, module->definition)));
}

JSValue QuickJsEngine::module_namespace(JSContext* context, JSValueConst /*self*/, int count,
                                        JSValueConst* arguments) {
    const Module* module = count < 1 ? nullptr : of(context).module_at(arguments[0]);
    if (module == nullptr) return JS_EXCEPTION;
    return JS_GetModuleNamespace(context, module->definition);
}

// The url of what `base` imports as `name`. `base` is being compiled, or it calls import().
char* QuickJsEngine::on_resolve(JSContext* context, const char* base, const char* name,
                                JSValueConst attributes, void* engine) {
    auto* self = static_cast<QuickJsEngine*>(engine);
    const bool is_import = self->compiling_.empty() || self->compiling_.back() != base;
    const Value specifier(context, JS_NewString(context, name));
    const Value referrer(context, JS_NewString(context, base));
    const Value type(context, JS_IsObject(attributes)
                                  ? JS_GetPropertyStr(context, attributes, "type")
                                  : JS_UNDEFINED);
    JSValueConst values[] = {specifier.get(), referrer.get(), type.get(),
                             JS_NewBool(context, is_import)};
    const Value resolved = self->call_hook(Hook::resolve_module, values);
    if (!resolved.is_exception()) {
        const std::string url = text_of(context, resolved.get());
        if (!is_import) {
            self->requests_[base].push_back(url);
        } else if (const Value* failure = self->failure_below(url)) {
            JS_Throw(context, JS_DupValue(context, failure->get()));
            return nullptr;
        }
        return copy_text(context, url);
    }
    if (is_import || self->is_stopped_.load()) return nullptr;
    Value error(context, JS_GetException(context));
    self->failures_.try_emplace(base, std::move(error));
    return copy_text(context, missing_url);
}

// The library has made it when it was resolved.
JSModuleDef* QuickJsEngine::on_load(JSContext* context, const char* url, void* engine,
                                    JSValueConst /*attributes*/) {
    auto* self = static_cast<QuickJsEngine*>(engine);
    if (const auto found = self->module_by_url_.find(url); found != self->module_by_url_.end()) {
        return found->second->definition;
    }
    return JS_NewCModule(context, missing_url, &nothing);
}

std::span<const Binding> QuickJsEngine::module_functions() {
    static constexpr Binding functions[] = {
        {"createModule", &create_module},     {"createSynthetic", &create_synthetic},
        {"setExport", &set_export},           {"moduleRequests", &module_requests},
        {"linkModule", &link_module},         {"instantiateModule", &instantiate_module},
        {"evaluateModule", &evaluate_module}, {"moduleNamespace", &module_namespace},
    };
    return functions;
}

}  // namespace gyre::script::quickjs
