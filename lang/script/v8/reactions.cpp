// SPDX-License-Identifier: Apache-2.0
// Where the reactions of promises come from, for the trace: V8 tells when a promise is made, by
// `then` or `await`, and before its reaction runs. The place is kept in a private property.
#include <algorithm>

#include "lang/script/v8/internal/v8_engine.hpp"

namespace gyre::script::v8 {
namespace {

constexpr int frame_count_max = 8;  // to the first frame outside of the host library

Local<::v8::Private> place_key(Isolate* isolate) {
    return ::v8::Private::ForApi(
        isolate, ::v8::String::NewFromUtf8Literal(isolate, "gyre.place",
                                                  ::v8::NewStringType::kInternalized));
}

std::string utf8_of(Isolate* isolate, Local<Value> value) {
    const ::v8::String::Utf8Value text(isolate, value);
    return *text == nullptr ? std::string() : std::string(*text);
}

// `then: name (file:line:column)` of the innermost frame of the script; empty without one.
std::string caller(Isolate* isolate) {
    const Local<::v8::StackTrace> stack =
        ::v8::StackTrace::CurrentStackTrace(isolate, frame_count_max);
    for (int i = 0; i < stack->GetFrameCount(); ++i) {
        const Local<::v8::StackFrame> frame = stack->GetFrame(isolate, static_cast<uint32_t>(i));
        const std::string file = utf8_of(isolate, frame->GetScriptNameOrSourceURL());
        if (file.starts_with("gyre:")) continue;
        std::string name = utf8_of(isolate, frame->GetFunctionName());
        if (name.empty()) name = "(anonymous)";
        return "then: " + name + " (" + file + ":" + std::to_string(frame->GetLineNumber()) + ":" +
               std::to_string(frame->GetColumn()) + ")";
    }
    return {};
}

}  // namespace

bool V8Engine::tell_reactions(std::function<void(std::string_view)> tell) {
    tell_reaction_ = std::move(tell);
    isolate_->SetPromiseHook(&V8Engine::on_promise_hook);
    return true;
}

void V8Engine::on_promise_hook(::v8::PromiseHookType type, Local<Promise> promise,
                               Local<Value> /*parent*/) {
    Isolate* isolate = Isolate::GetCurrent();
    const Local<Context> context = isolate->GetCurrentContext();
    V8Engine& engine = of(isolate);
    if (type == ::v8::PromiseHookType::kInit) {
        const std::string place = caller(isolate);
        if (place.empty()) return;
        static_cast<void>(promise->SetPrivate(context, place_key(isolate), engine.string(place)));
    } else if (type == ::v8::PromiseHookType::kBefore) {
        Local<Value> place;
        if (!promise->GetPrivate(context, place_key(isolate)).ToLocal(&place)) return;
        if (place->IsString()) engine.tell_reaction_(utf8_of(isolate, place));
    }
}

}  // namespace gyre::script::v8
