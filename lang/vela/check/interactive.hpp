// SPDX-License-Identifier: Apache-2.0
// InteractiveCheck: checks a program input by input, as a prompt gets it. Each input is a module that
// sees the names of all inputs before it; a declaration hides an earlier one of its name. An input
// with errors leaves nothing behind.
//
//     vela::SourceTable files;
//     vela::InteractiveCheck session(files);
//     session.add("fn twice(n: Number) -> Number { n * 2 }");
//     if (session.add("twice(21)")) std::puts(type_text(session.value()->type).c_str());  // Number
//
// Thread: one at a time.
// Lifetime: the files outlive it; it owns the Program, and the modules of refused inputs, which
// their diagnostics point into.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/vela/check/check.hpp"

namespace gyre::vela {

class InteractiveCheck {
public:
    explicit InteractiveCheck(SourceFiles& files, CheckOptions options = {});
    ~InteractiveCheck();
    InteractiveCheck(const InteractiveCheck&) = delete;
    InteractiveCheck& operator=(const InteractiveCheck&) = delete;

    // True if the input has no errors: it is the last of `program().order` then. The diagnostics
    // of the program are those of this input.
    bool add(std::string text);
    // Checks an input, lets `look` see the result, and forgets it. `asked` is CheckOptions::asked.
    void look_at(std::string text, std::string asked,
                 const std::function<void(const Program& program, const Module& module)>& look);

    [[nodiscard]] Program& program() noexcept { return *program_; }
    // The variable that keeps the value of the last input, if that ended with an expression; else
    // null.
    [[nodiscard]] const Symbol* value() const noexcept { return value_; }

private:
    class Attempt;
    Module* check_input(std::string text);

    SourceFiles& files_;
    CheckOptions options_;
    std::unique_ptr<Program> program_;
    std::unique_ptr<Attempt> attempt_;
    std::unordered_map<std::string_view, const Symbol*> visible_;
    std::vector<std::unique_ptr<Module>> refused_;
    const Symbol* value_ = nullptr;
    std::size_t input_count_ = 0;
};

}  // namespace gyre::vela
