// SPDX-License-Identifier: Apache-2.0
// ReplSession: Vela at a prompt: reads an input, checks and lowers it, and tells how a name could go
// on. Running is run_interactive's (lang/vela/run/interactive.hpp).
//
//     vela::ReplSession session(files);
//     if (session.is_complete("1 + 1")) {
//         const auto added = session.add("1 + 1");
//         if (!added) std::fputs(added.error().c_str(), stderr);
//     }
//
// Thread: one at a time; not while an input runs.
// Lifetime: the files outlive it; it owns the program and its lowered code.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/vela/check/interactive.hpp"
#include "lang/vela/run/interactive.hpp"

namespace gyre::vela {

class ReplSession {
public:
    // Beyond it an input is refused.
    static constexpr std::size_t input_bytes_max = std::size_t{1} << 20U;

    explicit ReplSession(SourceFiles& files);

    // False if more lines must follow: brackets or a text are open, or the last line ends with an
    // operator.
    [[nodiscard]] bool is_complete(const std::string& input) const;
    // The error is the report of the diagnostics. Warnings of an input without errors are in
    // `warnings()`.
    [[nodiscard]] std::expected<AddedInput, std::string> add(const std::string& input);
    [[nodiscard]] const std::string& warnings() const noexcept { return warnings_; }
    // The type of an expression, or the report of its errors.
    [[nodiscard]] std::expected<std::string, std::string> type_of(const std::string& input);
    // The names that could stand in place of the word that the input ends with.
    [[nodiscard]] std::vector<std::string> completions(const std::string& input);

    [[nodiscard]] Lowered& lowered() noexcept { return *lowered_; }

private:
    InteractiveCheck check_;
    std::unique_ptr<Lowered> lowered_;
    std::size_t lowered_count_ = 0;  // of the modules in the order of the program
    std::string warnings_;
};

}  // namespace gyre::vela
