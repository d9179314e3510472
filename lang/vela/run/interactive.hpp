// SPDX-License-Identifier: Apache-2.0
// run_interactive: runs a program that grows input by input, as a prompt does. Its tasks, timers and
// servers go on between inputs; an error ends an input, not the program.
//
//     vela::Interruption interruption;
//     const int exit_code =
//         co_await vela::run_interactive(*lowered, source, interruption, host);
//
// Thread: that of the calling task's loop.
// Lifetime: the lowered code, the source, the interruption and the host outlive the future.
// Cancel: as of run_program.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "lang/vela/run/run.hpp"

namespace gyre {
class Event;
}

namespace gyre::vela {

// An input that was added to the lowered program.
struct AddedInput {
    std::size_t first_globals = 0;  // the first of Lowered::globals that it brought
    const Symbol* value = nullptr;  // the variable that keeps its value; null: it has none
};

struct InputOutcome {
    bool is_error = false;
    std::string text;  // the value as it is written, or the error; empty: nothing to show
};

class InputSource {
public:
    virtual ~InputSource() = default;
    // Waits for the next input, and adds it to the lowered program. Nothing: the end.
    [[nodiscard]] virtual gyre::Future<std::optional<AddedInput>> next() = 0;
    virtual void show(const InputOutcome& outcome) = 0;
};

// Ends the input that runs, also in a loop without `await`: it gets a CancelledError.
class Interruption {
public:
    // Does nothing between inputs.
    void request() noexcept;

private:
    friend class InteractiveInput;
    Event* wake_ = nullptr;
    bool is_requested_ = false;
};

[[nodiscard]] gyre::Future<int> run_interactive(Lowered& lowered, InputSource& source,
                                                Interruption& interruption, RunHost& host,
                                                MachineOptions options = {},
                                                NativeLibraries libraries = {});

}  // namespace gyre::vela
