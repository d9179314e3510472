// SPDX-License-Identifier: Apache-2.0
// report: diagnostics as text for people, with the source line and a caret, or as JSON with spans
// and fixes for programs. Pure functions.
//
//     std::fputs(vela::report(diagnostics.sorted()).c_str(), stderr);
//
// Thread: any.
// Lifetime: the text is a value.
#pragma once

#include <span>
#include <string>

#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela {

struct ReportOptions {
    bool has_colour = false;
};

// `file:line:column: error[CODE]: text`, then the line, the caret, the notes and the fix.
[[nodiscard]] std::string report(std::span<const Diagnostic> diagnostics,
                                 ReportOptions options = {});

// One array; an object for each diagnostic: file, line, column, end, severity, code, message,
// notes, fix. Lines and columns from 1, columns in code points.
[[nodiscard]] std::string report_json(std::span<const Diagnostic> diagnostics);

}  // namespace gyre::vela
