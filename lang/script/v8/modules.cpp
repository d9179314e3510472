// SPDX-License-Identifier: Apache-2.0
// ES modules: the host library finds, reads and links them; here they are compiled and evaluated. A
// module is a number to the library.
#include "lang/script/v8/internal/v8_engine.hpp"

namespace gyre::script::v8 {
namespace {

using Info = FunctionCallbackInfo<Value>;

int number_of(const Info& info, int index) {
    return info[index]->IsInt32() ? info[index].As<::v8::Int32>()->Value() : -1;
}

std::string text_of(Isolate* isolate, Local<Value> value) {
    const ::v8::String::Utf8Value text(isolate, value);
    return *text == nullptr ? std::string()
                            : std::string(*text, static_cast<std::size_t>(text.length()));
}

// The value of the attribute `type`; undefined without one. Entries have `stride` elements.
Local<Value> attribute_type(Local<Context> context, Local<::v8::FixedArray> list, int stride) {
    Isolate* isolate = context->GetIsolate();
    for (int i = 0; i + 1 < list->Length(); i += stride) {
        if (text_of(isolate, list->Get(context, i).As<Value>()) == "type") {
            return list->Get(context, i + 1).As<Value>();
        }
    }
    return ::v8::Undefined(isolate);
}

}  // namespace

V8Engine::ModuleRecord* V8Engine::record_of(Local<Module> module) {
    const auto [first, last] = module_by_hash_.equal_range(module->GetIdentityHash());
    for (auto it = first; it != last; ++it) {
        ModuleRecord* record = modules_[static_cast<std::size_t>(it->second)].get();
        if (record->module == module) return record;
    }
    return nullptr;
}

// createModule(url, text): the number of the module.
void V8Engine::create_module(const Info& info) {
    Isolate* isolate = info.GetIsolate();
    V8Engine& engine = of(isolate);
    const ::v8::ScriptOrigin origin(isolate, info[0], 0, 0, false, -1, Local<Value>(), false, false,
                                    true);
    ::v8::ScriptCompiler::Source source(info[1].As<::v8::String>(), origin);
    Local<Module> module;
    if (!::v8::ScriptCompiler::CompileModule(isolate, &source).ToLocal(&module)) return;
    const int number = static_cast<int>(engine.modules_.size());
    auto record = std::make_unique<ModuleRecord>();
    record->module.Reset(isolate, module);
    record->url = text_of(isolate, info[0]);
    engine.modules_.push_back(std::move(record));
    engine.module_by_hash_.emplace(module->GetIdentityHash(), number);
    info.GetReturnValue().Set(number);
}

// createSynthetic(url, [names], evaluate): evaluate calls setExport.
void V8Engine::create_synthetic(const Info& info) {
    Isolate* isolate = info.GetIsolate();
    V8Engine& engine = of(isolate);
    const auto given = info[1].As<::v8::Array>();
    std::vector<Local<::v8::String>> names;
    for (std::uint32_t i = 0; i < given->Length(); ++i) {
        names.push_back(
            given->Get(isolate->GetCurrentContext(), i).ToLocalChecked().As<::v8::String>());
    }
    const Local<Module> module = Module::CreateSyntheticModule(isolate, info[0].As<::v8::String>(),
                                                               names, &V8Engine::on_synthetic);
    const int number = static_cast<int>(engine.modules_.size());
    auto record = std::make_unique<ModuleRecord>();
    record->module.Reset(isolate, module);
    record->evaluate.Reset(isolate, info[2].As<Function>());
    record->url = text_of(isolate, info[0]);
    engine.modules_.push_back(std::move(record));
    engine.module_by_hash_.emplace(module->GetIdentityHash(), number);
    info.GetReturnValue().Set(number);
}

MaybeLocal<Value> V8Engine::on_synthetic(Local<Context> context, Local<Module> module) {
    Isolate* isolate = context->GetIsolate();
    ModuleRecord* record = of(isolate).record_of(module);
    if (record->evaluate.Get(isolate)
            ->Call(context, ::v8::Undefined(isolate), 0, nullptr)
            .IsEmpty()) {
        return {};
    }
    Local<Promise::Resolver> resolver;
    if (!Promise::Resolver::New(context).ToLocal(&resolver)) return {};
    if (resolver->Resolve(context, ::v8::Undefined(isolate)).IsNothing()) return {};
    return resolver->GetPromise().As<Value>();
}

// setExport(number, name, value)
void V8Engine::set_export(const Info& info) {
    Isolate* isolate = info.GetIsolate();
    const auto& record = of(isolate).modules_.at(static_cast<std::size_t>(number_of(info, 0)));
    // A failure is an exception in the engine, which the script sees when this returns.
    [[maybe_unused]] const auto is_set = record->module.Get(isolate)->SetSyntheticModuleExport(
        isolate, info[1].As<::v8::String>(), info[2]);
}

// moduleRequests(number): a specifier and its attribute `type` in turn.
void V8Engine::module_requests(const Info& info) {
    Isolate* isolate = info.GetIsolate();
    const Local<Context> context = isolate->GetCurrentContext();
    const auto& record = of(isolate).modules_.at(static_cast<std::size_t>(number_of(info, 0)));
    const Local<::v8::FixedArray> requests = record->module.Get(isolate)->GetModuleRequests();
    std::vector<Local<Value>> names;
    for (int i = 0; i < requests->Length(); ++i) {
        const auto request = requests->Get(context, i).As<::v8::ModuleRequest>();
        names.push_back(request->GetSpecifier());
        names.push_back(attribute_type(context, request->GetImportAssertions(), 3));
    }
    info.GetReturnValue().Set(::v8::Array::New(isolate, names.data(), names.size()));
}

// linkModule(number, specifier, target)
void V8Engine::link_module(const Info& info) {
    V8Engine& engine = of(info.GetIsolate());
    engine.modules_.at(static_cast<std::size_t>(number_of(info, 0)))
        ->links[text_of(info.GetIsolate(), info[1])] = number_of(info, 2);
}

MaybeLocal<Module> V8Engine::on_resolve(Local<Context> context, Local<::v8::String> specifier,
                                        Local<::v8::FixedArray> /*assertions*/,
                                        Local<Module> referrer) {
    Isolate* isolate = context->GetIsolate();
    V8Engine& engine = of(isolate);
    const ModuleRecord* record = engine.record_of(referrer);
    const auto found = record->links.find(text_of(isolate, specifier));
    if (found == record->links.end()) {
        engine.throw_error("Error", "a module that was not linked");
        return {};
    }
    return engine.modules_.at(static_cast<std::size_t>(found->second))->module.Get(isolate);
}

void V8Engine::instantiate_module(const Info& info) {
    Isolate* isolate = info.GetIsolate();
    const auto& record = of(isolate).modules_.at(static_cast<std::size_t>(number_of(info, 0)));
    // As above.
    [[maybe_unused]] const auto is_done = record->module.Get(isolate)->InstantiateModule(
        isolate->GetCurrentContext(), &V8Engine::on_resolve);
}

// evaluateModule(number): a promise.
void V8Engine::evaluate_module(const Info& info) {
    Isolate* isolate = info.GetIsolate();
    const auto& record = of(isolate).modules_.at(static_cast<std::size_t>(number_of(info, 0)));
    Local<Value> promise;
    if (record->module.Get(isolate)->Evaluate(isolate->GetCurrentContext()).ToLocal(&promise)) {
        info.GetReturnValue().Set(promise);
    }
}

// isModuleEvaluating(number): its body runs now, or that of a module that it imports.
void V8Engine::is_module_evaluating(const Info& info) {
    Isolate* isolate = info.GetIsolate();
    const auto& record = of(isolate).modules_.at(static_cast<std::size_t>(number_of(info, 0)));
    info.GetReturnValue().Set(record->module.Get(isolate)->GetStatus() == Module::kEvaluating);
}

void V8Engine::module_namespace(const Info& info) {
    Isolate* isolate = info.GetIsolate();
    const auto& record = of(isolate).modules_.at(static_cast<std::size_t>(number_of(info, 0)));
    info.GetReturnValue().Set(record->module.Get(isolate)->GetModuleNamespace());
}

// import(): the library gives a promise.
MaybeLocal<Promise> V8Engine::on_import(Local<Context> context,
                                        Local<::v8::Data> /*host_defined_options*/,
                                        Local<Value> resource_name, Local<::v8::String> specifier,
                                        Local<::v8::FixedArray> import_assertions) {
    V8Engine& engine = of(context->GetIsolate());
    Local<Value> values[] = {specifier, resource_name,
                             attribute_type(context, import_assertions, 2)};
    Local<Value> promise;
    if (!engine.call_hook(Hook::import_module, values).ToLocal(&promise)) return {};
    return promise.As<Promise>();
}

void V8Engine::on_import_meta(Local<Context> context, Local<Module> module, Local<Object> meta) {
    V8Engine& engine = of(context->GetIsolate());
    const ModuleRecord* record = engine.record_of(module);
    if (record == nullptr) return;
    Local<Value> values[] = {engine.string(record->url), meta};
    static_cast<void>(engine.call_hook(Hook::fill_import_meta, values));
}

void V8Engine::bind_module_functions(Local<Object> engine) {
    const Local<Context> context = isolate_->GetCurrentContext();
    static constexpr std::pair<const char*, ::v8::FunctionCallback> functions[] = {
        {"createModule", &V8Engine::create_module},
        {"createSynthetic", &V8Engine::create_synthetic},
        {"setExport", &V8Engine::set_export},
        {"moduleRequests", &V8Engine::module_requests},
        {"linkModule", &V8Engine::link_module},
        {"instantiateModule", &V8Engine::instantiate_module},
        {"evaluateModule", &V8Engine::evaluate_module},
        {"isModuleEvaluating", &V8Engine::is_module_evaluating},
        {"moduleNamespace", &V8Engine::module_namespace},
    };
    for (const auto& [name, function] : functions) {
        engine->Set(context, string(name), Function::New(context, function).ToLocalChecked())
            .Check();
    }
}

}  // namespace gyre::script::v8
