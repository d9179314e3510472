// SPDX-License-Identifier: Apache-2.0
// VelaHost: the outside of a Vela program that a command runs: standard output and error, the clock
// of its loop, its arguments, what it may reach. Every loop of the program; outlives the program.
#pragma once

#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/app/program.hpp"
#include "gyre/io/permissions.hpp"
#include "gyre/platform/system_clock.hpp"
#include "lang/vela/run/run.hpp"

namespace gyre::sim {
class VirtualClock;
}

namespace gyre::cli {

class VelaHost : public vela::RunHost {
public:
    VelaHost(gyre::Program& program, std::vector<std::string> arguments,
             std::optional<Permissions> permissions = std::nullopt);

    void print(std::string_view line) override;
    void report(std::string_view line) override;
    // On standard error, between the lines of the program.
    void step(std::string_view line) override { report(line); }
    void flush() override;
    [[nodiscard]] Instant time() noexcept override;
    [[nodiscard]] Instant read_clock() override;
    [[nodiscard]] Instant real_time() override { return system_.now(); }
    [[nodiscard]] std::int64_t unix_time_ms() override;
    [[nodiscard]] std::vector<std::string> arguments() override { return arguments_; }
    [[nodiscard]] const char* environment(const std::string& name) override;
    [[nodiscard]] const Permissions* permissions() const noexcept override {
        return permissions_ ? &*permissions_ : nullptr;
    }

private:
    void flush_locked();

    sim::VirtualClock* const virtual_clock_;  // null in real time
    const std::vector<std::string> arguments_;
    const std::optional<Permissions> permissions_;
    platform::SystemClock system_;
    std::mutex mutex_;
    bool has_printed_ = false;  // guarded by the mutex
};

// Checks and lowers a file; prints its diagnostics. Null if it has errors, or cannot be read: that
// throws a UsageError.
struct VelaProgram {
    std::unique_ptr<vela::Program> program;
    std::unique_ptr<vela::Lowered> lowered;
};
// `allowed` are the words of --allow: imports may come from these folders too.
[[nodiscard]] VelaProgram load_vela(const std::string& path,
                                    const std::vector<std::string>& allowed = {});

// system:http, with TLS where this build has it (vela_https.cpp); null where it has no HTTP.
[[nodiscard]] const vela::vm::NativeLibrary* vela_http_library();
// system:db (vela_db.cpp), likewise.
[[nodiscard]] const vela::vm::NativeLibrary* vela_db_library();
// The parts of the standard surface that this build has.
[[nodiscard]] vela::NativeLibraries vela_libraries();

}  // namespace gyre::cli
