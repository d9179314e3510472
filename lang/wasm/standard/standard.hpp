// SPDX-License-Identifier: Apache-2.0
// Standard: handlers for the effects of Voyd's standard library: time, log, random, input, output; files and the
// environment where it is permitted. Those of HTTP are in lang/wasm/http.
//
//     Standard standard({.allowed = {"env=HOME"}, .seed = 7});
//     standard.add_to(handlers, *program);      // for the ops that have no handler yet
//
// Thread: the scheduler's.
// Lifetime: it outlives the handlers that it adds, and their runs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/base/random.hpp"
#include "gyre/effect/handlers.hpp"
#include "gyre/kernel/clock.hpp"
#include "lang/wasm/program.hpp"

namespace gyre::wasm {

struct StandardOptions {
    // `env=NAME`, `fs=FOLDER` (an absolute path): what a module may reach outside of itself.
    std::vector<std::string> allowed = {};
    std::uint64_t seed = 1;  // of the random numbers
    // The time of the program. Without it, that of the loop's turn.
    std::function<Instant()> read_time = {};
    // Milliseconds since 1970 at the instant 0 of the clock; the system's time is that and the clock's.
    std::int64_t system_start_ms = 0;
    // Nanoseconds since 1970, in place of that.
    std::function<std::int64_t()> read_wall_clock = {};
    // Standard output, error; for tests. Without it, those of the process.
    std::function<void(std::string_view target, std::string_view bytes)> write = {};
    // The next bytes of standard input, at most so many, empty at its end. Without it, those of the process, read
    // by the loop; a simulated loop has none.
    std::function<Future<std::string>(std::size_t size_max)> read_input = {};
};

class Files;
class Input;

class Standard {
public:
    explicit Standard(StandardOptions options = {});
    ~Standard();
    Standard(const Standard&) = delete;
    Standard& operator=(const Standard&) = delete;

    // Adds a handler for each op of the program that is a standard one and has none.
    void add_to(effect::Handlers& handlers, const Program& program);

    [[nodiscard]] static bool has(const effect::OpInfo& op) noexcept;
    // Whether it fails unless `allowed` permits it.
    [[nodiscard]] static bool needs_permission(const effect::OpInfo& op) noexcept;

private:
    struct Op;
    static const Op ops[];
    using Arguments = effect::Arguments;
    using Context = effect::Context;
    using Answer = effect::Answer;

    [[nodiscard]] static const Op* find(const effect::OpInfo& op) noexcept;
    [[nodiscard]] Instant now(const Context& context) const;
    [[nodiscard]] bool is_allowed(std::string_view kind, std::string_view name) const;
    void write(std::string_view target, std::string_view bytes) const;

    Answer monotonic_now(Context& context, const Arguments& arguments);
    Answer system_now(Context& context, const Arguments& arguments);
    Answer sleep(Context& context, const Arguments& arguments);
    Answer get_variable(Context& context, const Arguments& arguments);
    Answer set_variable(Context& context, const Arguments& arguments);
    Answer emit_log(Context& context, const Arguments& arguments);
    Answer next_random(Context& context, const Arguments& arguments);
    Answer fill_random(Context& context, const Arguments& arguments);
    Answer write_text(Context& context, const Arguments& arguments);
    Answer write_bytes(Context& context, const Arguments& arguments);
    Answer flush(Context& context, const Arguments& arguments);
    Answer is_terminal(Context& context, const Arguments& arguments);

    StandardOptions options_;
    Random random_;
    std::unique_ptr<Files> files_;
    std::unique_ptr<Input> input_;
    std::map<std::string, std::string> variables_;  // that modules have set
};

}  // namespace gyre::wasm
