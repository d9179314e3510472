// SPDX-License-Identifier: Apache-2.0
// Wasi: WASI preview 1 for plain modules, on this program's clock: arguments, environment, clocks and random numbers, and
// the files of WasiFiles. What a module imports beyond that is refused by name before it runs. The scheduler's thread;
// it outlives the runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/wasm_wasi_call.hpp"
#include "cli/wasm_wasi_files.hpp"
#include "gyre/base/failure.hpp"
#include "gyre/base/random.hpp"
#include "gyre/kernel/clock.hpp"
#include "lang/wasm/engine.hpp"

namespace gyre::cli {

struct WasiOptions {
    std::vector<std::string> arguments = {};    // the first is the name of the program
    std::vector<std::string> environment = {};  // NAME=VALUE
    WasiFilesOptions files = {};
    std::uint64_t seed = 1;
    std::function<Instant()> read_time = {};
    std::int64_t system_start_ms = 0;
    std::function<std::int64_t()> read_wall_clock = {};  // nanoseconds since 1970, in place of that
};

// The module has called proc_exit.
class WasiExit : public Failure {
public:
    explicit WasiExit(int code) : Failure("proc_exit " + std::to_string(code)), code_(code) {}
    [[nodiscard]] int code() const noexcept { return code_; }

private:
    int code_;
};

class Wasi {
public:
    explicit Wasi(WasiOptions options);

    // One function for each import that it has and that returns at once.
    [[nodiscard]] std::vector<wasm::HostImport> imports(const std::vector<wasm::Item>& wanted);
    // The others.
    [[nodiscard]] WasiFiles& files() noexcept { return files_; }

private:
    struct Row;
    static const Row rows[];

    int clock_time(WasiCall& call);
    int random_get(WasiCall& call);

    WasiOptions options_;
    Random random_;
    WasiFiles files_;
};

}  // namespace gyre::cli
