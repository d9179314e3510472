// SPDX-License-Identifier: Apache-2.0
#include "lang/script/v8/code_cache.hpp"

#include "gyre/base/assert.hpp"
#include "lang/script/v8/internal/v8_engine.hpp"

namespace gyre::script::v8 {
namespace {

std::span<const CodeCache> used_cache;

std::span<const std::uint8_t> code_of(std::string_view file) noexcept {
    for (const CodeCache& cache : used_cache) {
        if (cache.file == file) return cache.code;
    }
    return {};
}

}  // namespace

void use_code_cache(std::span<const CodeCache> cache) noexcept {
    used_cache = cache;
}

MaybeLocal<Function> V8Engine::compile_library(const LibraryFile& file) {
    using Compiler = ::v8::ScriptCompiler;
    const ::v8::ScriptOrigin origin(isolate_, string(std::string("gyre:") + file.name));
    const std::span<const std::uint8_t> code = code_of(file.name);
    // The source takes over the data's description, not the data.
    auto* cached = code.empty()
                       ? nullptr
                       : new Compiler::CachedData(code.data(), static_cast<int>(code.size()));
    Compiler::Source source(string(file.text), origin, cached);
    Local<::v8::String> names[] = {string("host"), string("shelf")};
    const MaybeLocal<Function> made = Compiler::CompileFunctionInContext(
        isolate_->GetCurrentContext(), &source, 2, names, 0, nullptr,
        cached == nullptr ? Compiler::kNoCompileOptions : Compiler::kConsumeCodeCache);
    if (cached != nullptr && !cached->rejected) ++cached_file_count_;
    Local<Function> body;
    if (is_recording_ && made.ToLocal(&body)) {
        recorded_.emplace_back(file.name, Global<Function>(isolate_, body));
    }
    return made;
}

std::unique_ptr<Engine> make_recording_engine(const EngineOptions& options) {
    auto engine = std::make_unique<V8Engine>(options);
    engine->record_code();
    return engine;
}

std::vector<std::pair<std::string, std::string>> recorded_code(Engine& engine) {
    auto* recording = dynamic_cast<V8Engine*>(&engine);
    GYRE_ASSERT(recording != nullptr, "recorded_code takes an engine of make_recording_engine");
    return recording->recorded_code();
}

std::vector<std::pair<std::string, std::string>> V8Engine::recorded_code() {
    const Isolate::Scope isolate_scope(isolate_);
    const HandleScope handles(isolate_);
    std::vector<std::pair<std::string, std::string>> made;
    for (const auto& [name, body] : recorded_) {
        const std::unique_ptr<::v8::ScriptCompiler::CachedData> code(
            ::v8::ScriptCompiler::CreateCodeCacheForFunction(body.Get(isolate_)));
        if (code == nullptr) continue;
        made.emplace_back(name, std::string(reinterpret_cast<const char*>(code->data),
                                            static_cast<std::size_t>(code->length)));
    }
    return made;
}

}  // namespace gyre::script::v8
