// SPDX-License-Identifier: Apache-2.0
#include "cli/wasm_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/time_limit.hpp"
#include "cli/usage.hpp"
#include "cli/wasm_cache.hpp"
#include "cli/wasm_hints.hpp"
#include "cli/wasm_line.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"

namespace gyre::cli {
namespace {

constexpr std::size_t module_size_max_bytes = std::size_t{256} << 20u;
constexpr Duration quiet_time = std::chrono::seconds(1);

}  // namespace

std::string read_whole_file(const std::string& path, std::size_t size_max_bytes) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               &std::fclose);
    if (file == nullptr) throw UsageError(path + ": " + std::strerror(errno));
    std::string text;
    char part[65'536];
    while (const std::size_t size = std::fread(part, 1, sizeof part, file.get())) {
        text.append(part, size);
        if (text.size() > size_max_bytes) {
            throw UsageError(path + ": more than " + std::to_string(size_max_bytes) + " bytes");
        }
    }
    if (std::ferror(file.get()) != 0) throw UsageError(path + ": " + std::strerror(errno));
    return text;
}

std::string wasm_engine_line() {
    const std::string version = "wasmtime " + wasm::wasmtime_version();
    if (wasm::has_copying_collector()) return version + ", copying collector";
    return version +
           ", reference counting only: cyclic garbage of a module is never freed, and a full heap "
           "fails its run (./dev setup engines builds the whole engine)";
}

CachedEngine make_wasm_engine(EngineChoice choice) {
    CachedEngine made{.cache = open_wasm_cache(), .engine = nullptr};
    made.engine =
        wasm::make_wasmtime({.cache = made.cache.get(), .counts_fuel = choice.counts_fuel});
    return made;
}

std::shared_ptr<const wasm::Program> read_wasm(wasm::Engine& engine, const std::string& path) {
    const std::string bytes = read_whole_file(path, module_size_max_bytes);
    if (bytes.empty()) throw UsageError(path + ": the file is empty, give a .wasm or .wat module");
    const TimeLimit announcement(
        quiet_time, [&path] { std::fprintf(stderr, "gyre: compiling %s ...\n", path.c_str()); });
    try {
        return wasm::Program::read(engine.compile(bytes));
    } catch (const wasm::CompileError& error) {
        throw UsageError(compile_fault(path, error.what()));
    }
}

}  // namespace gyre::cli
