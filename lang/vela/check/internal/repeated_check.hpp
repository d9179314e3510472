// SPDX-License-Identifier: Apache-2.0
// RepeatedCheck: checks programs one after the other with one standard surface, which is parsed and
// checked once, not for each. For fuzz targets: it takes most of the time of a small program. One
// thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "lang/vela/check/check.hpp"

namespace gyre::vela::internal {

// The standard surface of a new program.
void add_standard(Program& program);
// A file and its imports, to a program with the standard surface.
void add_file(Program& program, const std::string& path, std::string text, SourceFiles& files,
              const CheckOptions& options);

class RepeatedCheck {
public:
    // As vela::check. The program is valid until the next call.
    [[nodiscard]] const Program& check(const std::string& path, std::string text,
                                       SourceFiles& files, const CheckOptions& options = {});

private:
    // Types of earlier checks stay in the arena: it is made anew after this many.
    static constexpr std::size_t checks_per_program = 200;

    std::unique_ptr<Program> program_;
    std::size_t info_count_ = 0;      // of the standard surface
    std::size_t function_count_ = 0;  // likewise
    std::size_t check_count_ = 0;
};

}  // namespace gyre::vela::internal
