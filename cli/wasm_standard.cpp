// SPDX-License-Identifier: Apache-2.0
#include "cli/wasm_standard.hpp"

#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <string>
#include <vector>

#include "cli/permissions.hpp"
#include "gyre/sim/host.hpp"
#include "gyre/sim/virtual_clock.hpp"

namespace gyre::cli {
namespace {

// In the form that the handlers of standard effects take them.
std::vector<std::string> allowed_places(const RunRequest& request) {
    const Permissions permissions = read_permissions(request.allowed);
    std::vector<std::string> places;
    for (const std::string& folder : permissions.folders) places.push_back("fs=" + folder);
    for (const std::string& host : permissions.hosts) places.push_back("net=" + host);
    for (const std::string& name : permissions.variables) places.push_back("env=" + name);
    return places;
}

// In virtual time nothing else can happen while the program waits for its input.
Future<std::string> read_input_at_once(std::size_t size_max) {
    std::string bytes(size_max, '\0');
    ssize_t size = -1;
    do {
        size = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    } while (size < 0 && errno == EINTR);
    if (size < 0)
        throw SystemFailure(static_cast<std::errc>(errno), "standard input cannot be read");
    bytes.resize(static_cast<std::size_t>(size));
    co_return bytes;
}

}  // namespace

// Reading the virtual clock moves it, so that a program which waits for the clock to move ends.
wasm::StandardOptions standard_options(const RunRequest& request, Program& program) {
    constexpr std::int64_t virtual_start_ms = 946'684'800'000;  // 2000-01-01
    wasm::StandardOptions options;
    options.allowed = allowed_places(request);
    if (auto* clock = dynamic_cast<sim::VirtualClock*>(&program.clock())) {
        options.system_start_ms = virtual_start_ms;
        options.read_input = &read_input_at_once;
        options.read_time = [clock] {
            clock->advance(clock_step);
            return clock->peek();
        };
        if (sim::Host::current() != nullptr) options.read_wall_clock = &sim::unix_nanoseconds;
    } else {
        std::timespec now{};
        static_cast<void>(std::timespec_get(&now, TIME_UTC));
        options.read_time = [&program] { return program.clock().now(); };
        const auto passed =
            static_cast<std::int64_t>(program.clock().now().nanoseconds() / 1'000'000);
        options.system_start_ms = now.tv_sec * 1'000 + now.tv_nsec / 1'000'000 - passed;
        static_cast<void>(::getentropy(&options.seed, sizeof options.seed));
    }
    if (request.seed) options.seed = *request.seed;
    return options;
}

}  // namespace gyre::cli
