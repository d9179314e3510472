// SPDX-License-Identifier: Apache-2.0
#include "cli/vela_host.hpp"

#include <cstdlib>
#include <ctime>

#include "cli/permissions.hpp"
#include "cli/run.hpp"
#include "cli/usage.hpp"
#include "cli/vela_file.hpp"
#include "gyre/sim/host.hpp"
#include "gyre/sim/virtual_clock.hpp"
#include "lang/vela/lower/lower.hpp"
#include "lang/vela/syntax/source.hpp"

namespace gyre::cli {

VelaHost::VelaHost(gyre::Program& program, std::vector<std::string> arguments,
                   std::optional<Permissions> permissions)
    : virtual_clock_(dynamic_cast<sim::VirtualClock*>(&program.clock())),
      arguments_(std::move(arguments)),
      permissions_(std::move(permissions)) {}

void VelaHost::print(std::string_view line) {
    const std::lock_guard lock(mutex_);
    static_cast<void>(std::fwrite(line.data(), 1, line.size(), stdout));
    static_cast<void>(std::fputc('\n', stdout));
    has_printed_ = true;
}

void VelaHost::report(std::string_view line) {
    const std::lock_guard lock(mutex_);
    flush_locked();
    std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
}

void VelaHost::flush() {
    const std::lock_guard lock(mutex_);
    flush_locked();
}

void VelaHost::flush_locked() {
    if (!std::exchange(has_printed_, false)) return;
    static_cast<void>(std::fflush(stdout));
}

Instant VelaHost::time() noexcept {
    return virtual_clock_ != nullptr ? virtual_clock_->peek() : system_.now();
}

Instant VelaHost::read_clock() {
    if (virtual_clock_ == nullptr) return system_.now();
    virtual_clock_->advance(clock_step);
    return virtual_clock_->peek();
}

std::int64_t VelaHost::unix_time_ms() {
    if (sim::Host::current() != nullptr) {
        static_cast<void>(read_clock());
        return sim::unix_nanoseconds() / 1'000'000;
    }
    // In virtual time a run begins at the first second of 1970.
    if (virtual_clock_ != nullptr) {
        return static_cast<std::int64_t>(read_clock().nanoseconds() / 1'000'000);
    }
    std::timespec now{};
    static_cast<void>(std::timespec_get(&now, TIME_UTC));
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

const char* VelaHost::environment(const std::string& name) {
    return std::getenv(name.c_str());
}

VelaProgram load_vela(const std::string& path, const std::vector<std::string>& allowed) {
    auto text = read_vela_file(path);
    if (!text) throw UsageError(text.error());
    auto files = SystemSourceFiles::of_program(path, read_permissions(allowed).folders);
    VelaProgram loaded;
    loaded.program = vela::check(path, std::move(*text), files);
    tell(loaded.program->diagnostics);
    if (loaded.program->diagnostics.has_errors()) return loaded;
    loaded.lowered = vela::lower(*loaded.program);
    // Several threads may run it: positions are found through a table that is made on first use.
    for (const vela::Module* module : loaded.program->order) {
        static_cast<void>(module->source->position(0));
    }
    return loaded;
}

vela::NativeLibraries vela_libraries() {
    vela::NativeLibraries libraries{vela::system_library()};
    if (const auto* http = vela_http_library()) libraries.push_back(http);
    if (const auto* databases = vela_db_library()) libraries.push_back(databases);
    return libraries;
}

}  // namespace gyre::cli
