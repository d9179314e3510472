// SPDX-License-Identifier: Apache-2.0
// VelaHost: the outside of a Vela program that a command runs: standard output and error, the clock
// of its loop, its arguments. The main thread; outlives the program.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/app/program.hpp"
#include "gyre/platform/system_clock.hpp"
#include "lang/vela/run/run.hpp"

namespace gyre::cli {

class VelaHost : public vela::RunHost {
public:
    VelaHost(gyre::Program& program, std::vector<std::string> arguments)
        : program_(program), arguments_(std::move(arguments)) {}

    void print(std::string_view line) override;
    void report(std::string_view line) override;
    void flush() override {
        if (!std::exchange(has_printed_, false)) return;
        static_cast<void>(std::fflush(stdout));
    }
    [[nodiscard]] Instant time() noexcept override;
    [[nodiscard]] Instant read_clock() override;
    [[nodiscard]] Instant real_time() override { return system_.now(); }
    [[nodiscard]] std::int64_t unix_time_ms() override;
    [[nodiscard]] std::vector<std::string> arguments() override { return arguments_; }
    [[nodiscard]] const char* environment(const std::string& name) override;

private:
    gyre::Program& program_;
    const std::vector<std::string> arguments_;
    platform::SystemClock system_;
    bool has_printed_ = false;
};

// Checks and lowers a file; prints its diagnostics. Null if it has errors, or cannot be read: that
// throws a UsageError.
struct VelaProgram {
    std::unique_ptr<vela::Program> program;
    std::unique_ptr<vela::Lowered> lowered;
};
[[nodiscard]] VelaProgram load_vela(const std::string& path);

// The parts of the standard surface that this build has.
[[nodiscard]] vela::NativeLibraries vela_libraries();

}  // namespace gyre::cli
