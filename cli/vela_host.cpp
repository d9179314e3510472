// SPDX-License-Identifier: Apache-2.0
#include "cli/vela_host.hpp"

#include <cstdlib>
#include <ctime>

#include "cli/run.hpp"
#include "cli/usage.hpp"
#include "cli/vela_file.hpp"
#include "gyre/sim/virtual_clock.hpp"
#include "lang/vela/lower/lower.hpp"

namespace gyre::cli {

void VelaHost::print(std::string_view line) {
    static_cast<void>(std::fwrite(line.data(), 1, line.size(), stdout));
    static_cast<void>(std::fputc('\n', stdout));
    has_printed_ = true;
}

void VelaHost::report(std::string_view line) {
    flush();
    std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
}

Instant VelaHost::time() noexcept {
    if (const auto* clock = dynamic_cast<sim::VirtualClock*>(&program_.clock())) {
        return clock->peek();
    }
    return program_.clock().now();
}

Instant VelaHost::read_clock() {
    if (auto* clock = dynamic_cast<sim::VirtualClock*>(&program_.clock())) {
        clock->advance(clock_step);
        return clock->peek();
    }
    return program_.clock().now();
}

std::int64_t VelaHost::unix_time_ms() {
    // In virtual time a run begins at the first second of 1970.
    if (dynamic_cast<sim::VirtualClock*>(&program_.clock()) != nullptr) {
        return static_cast<std::int64_t>(read_clock().nanoseconds() / 1'000'000);
    }
    std::timespec now{};
    static_cast<void>(std::timespec_get(&now, TIME_UTC));
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

const char* VelaHost::environment(const std::string& name) {
    return std::getenv(name.c_str());
}

VelaProgram load_vela(const std::string& path) {
    SystemSourceFiles files;
    auto text = files.read(path);
    if (!text) throw UsageError(text.error());
    VelaProgram loaded;
    loaded.program = vela::check(path, std::move(*text), files);
    tell(loaded.program->diagnostics);
    if (loaded.program->diagnostics.has_errors()) return loaded;
    loaded.lowered = vela::lower(*loaded.program);
    return loaded;
}

vela::NativeLibraries vela_libraries() {
    vela::NativeLibraries libraries{vela::system_library()};
    if (const auto* http = vela::http_library()) libraries.push_back(http);
    return libraries;
}

}  // namespace gyre::cli
