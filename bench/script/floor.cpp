// SPDX-License-Identifier: Apache-2.0
// The floor of the rows of ./dev bench script that are promise jobs: cases.js on V8 alone, without a
// loop. V8 drains its queue at once, without a bound, with V8's own platform and Node's heap limits.
//
//     bench_script_floor cases.js chain|wide|await1|await100
#include <libplatform/libplatform.h>
#include <unistd.h>
#include <v8.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

namespace {

using Info = v8::FunctionCallbackInfo<v8::Value>;

constexpr int worker_count = 4;  // as Node

v8::Local<v8::String> text_of(v8::Isolate* isolate, const std::string& text) {
    return v8::String::NewFromUtf8(isolate, text.c_str()).ToLocalChecked();
}

void print(const Info& info) {
    const v8::String::Utf8Value text(info.GetIsolate(), info[0]);
    std::puts(*text);
}

void read_clock(const Info& info) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    info.GetReturnValue().Set(v8::BigInt::New(info.GetIsolate(), nanoseconds));
}

void run(v8::Isolate* isolate, const std::string& source, const std::string& name) {
    const v8::Isolate::Scope isolate_scope(isolate);
    const v8::HandleScope handles(isolate);
    isolate->SetMicrotasksPolicy(v8::MicrotasksPolicy::kExplicit);
    const auto context = v8::Context::New(isolate);
    const v8::Context::Scope context_scope(context);
    const auto global = context->Global();
    const auto give = [&](const char* key, v8::FunctionCallback function) {
        const auto made = v8::Function::New(context, function).ToLocalChecked();
        global->Set(context, text_of(isolate, key), made).Check();
    };
    give("print", &print);
    give("readClock", &read_clock);
    const std::string setting = "var console = { log: print }, process = { argv: [0, 0, '" + name +
                                "'], hrtime: { bigint: readClock } };\n";
    const auto script =
        v8::Script::Compile(context, text_of(isolate, setting + source)).ToLocalChecked();
    script->Run(context).ToLocalChecked();
    isolate->PerformMicrotaskCheckpoint();
}

}  // namespace

int main(int argument_count, char** arguments) {
    if (argument_count != 3) {
        std::fputs("usage: bench_script_floor cases.js CASE\n", stderr);
        return 2;
    }
    std::ifstream file(arguments[1]);
    const std::string source{std::istreambuf_iterator<char>(file), {}};
    const auto platform = v8::platform::NewDefaultPlatform(worker_count);
    v8::V8::InitializePlatform(platform.get());
    v8::V8::Initialize();
    v8::Isolate::CreateParams parameters;
    parameters.array_buffer_allocator_shared.reset(
        v8::ArrayBuffer::Allocator::NewDefaultAllocator());
    const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
    const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    parameters.constraints.ConfigureDefaults(pages * page_bytes, 0);
    run(v8::Isolate::New(parameters), source, arguments[2]);
    std::fflush(stdout);
    _exit(0);  // As a program that has ended: the isolate is not taken down.
}
