// SPDX-License-Identifier: Apache-2.0
// A program of the build: runs a small script on V8 and writes the code of the host library as a C++
// source, which the program gyre has compiled in.
//
//     make_script_cache OUTPUT
#include <cstdio>
#include <string>

#include "gyre/app/program.hpp"
#include "lang/script/script.hpp"
#include "lang/script/v8/code_cache.hpp"

namespace gyre::cli {
namespace {

// What most programs use: its functions are compiled when the code is taken.
constexpr const char* usual = R"(
    const path = require('path');
    console.log('%s', path.join('a', 'b'), { a: [1, 'x'], b: new Map([[1, 2]]) }, new Error('e').message);
    setTimeout(() => {}, 1).unref();
    setImmediate(() => {});
    process.nextTick(() => {});
    queueMicrotask(() => {});
    (async () => { await null; process.exitCode = 0; })();
)";

class Silent final : public script::System {
    void write(int /*stream*/, std::string_view /*text*/) override {}
};

bool write_source(const char* path, script::Engine& engine) {
    std::FILE* file = std::fopen(path, "w");
    if (file == nullptr) return false;
    std::fputs(
        "// Made by cli/script_cache.cpp.\n#include \"lang/script/v8/code_cache.hpp\"\n\n"
        "namespace gyre::cli {\nnamespace {\n\n",
        file);
    const auto recorded = script::v8::recorded_code(engine);
    std::string rows;
    for (std::size_t i = 0; i < recorded.size(); ++i) {
        const auto& [name, code] = recorded[i];
        const std::string array = "code_" + std::to_string(i);
        std::fprintf(file, "alignas(8) constexpr std::uint8_t %s[] = {", array.c_str());
        for (std::size_t at = 0; at < code.size(); ++at) {
            std::fprintf(file, "%s%u,", at % 32 == 0 ? "\n" : "",
                         static_cast<unsigned>(static_cast<unsigned char>(code[at])));
        }
        std::fputs("};\n", file);
        rows += "    {\"" + name + "\", " + array + "},\n";
    }
    std::fprintf(file,
                 "constexpr script::v8::CodeCache caches[] = {\n%s};\n\n}  // namespace\n\n"
                 "std::span<const script::v8::CodeCache> script_code_cache() noexcept;\n"
                 "std::span<const script::v8::CodeCache> script_code_cache() noexcept {\n"
                 "    return caches;\n}\n\n}  // namespace gyre::cli\n",
                 rows.c_str());
    return std::fclose(file) == 0;
}

int make(const char* path) {
    Program program;
    Silent system;
    script::Script script(program.clock(), system, {.engine = script::v8::make_recording_engine});
    Loop loop(program.platform(), script.pump(), program.loop_options());
    script.start_text(usual);
    const int status = script.run(loop);
    const bool is_written = status == 0 && write_source(path, script.engine());
    loop.close();
    if (!is_written) std::fprintf(stderr, "make_script_cache: no code was written\n");
    return is_written ? 0 : 1;
}

}  // namespace
}  // namespace gyre::cli

int main(int count, char** arguments) {
    return count == 2 ? gyre::cli::make(arguments[1]) : 2;
}
