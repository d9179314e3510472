// SPDX-License-Identifier: Apache-2.0
// Outcome: the observable result of one run of a Vela program. Plain data; two interpreters agree
// if their outcomes are equal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gyre::vela {

struct Outcome {
    std::vector<std::string> lines;   // printed, one a call
    std::vector<std::string> errors;  // lines of standard error
    int exit_code = 0;                // 0 fine, 1 uncaught in main, 3 deadlock
    std::int64_t ended_at_ms = 0;     // in virtual time
    std::string internal_error;       // a fault of the interpreter; otherwise empty

    friend bool operator==(const Outcome&, const Outcome&) = default;

    // The lines as one text.
    [[nodiscard]] std::string output() const {
        std::string text;
        for (const std::string& line : lines) text += line + '\n';
        return text;
    }
    // For the message of a failed test.
    [[nodiscard]] std::string all() const {
        std::string text = output();
        for (const std::string& line : errors) text += "stderr: " + line + '\n';
        text += "exit " + std::to_string(exit_code) + " at " + std::to_string(ended_at_ms) + "ms\n";
        if (!internal_error.empty()) text += "internal error: " + internal_error + '\n';
        return text;
    }
};

}  // namespace gyre::vela
