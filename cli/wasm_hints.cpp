// SPDX-License-Identifier: Apache-2.0
#include "cli/wasm_hints.hpp"

#include <vector>

#include "cli/nearest.hpp"

namespace gyre::cli {
namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\n";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// The last cause says what is wrong: `    1: Invalid input WebAssembly code at offset 36: type mismatch`.
std::string_view last_cause(std::string_view text) {
    std::string_view line = trimmed(text);
    line = trimmed(line.substr(line.rfind('\n') + 1));
    const std::size_t number_end = line.find_first_not_of("0123456789");
    if (number_end > 0 && number_end != std::string_view::npos && line[number_end] == ':') {
        line = trimmed(line.substr(number_end + 1));
    }
    return line;
}

}  // namespace

std::string compile_fault(const std::string& path, std::string_view engine_text) {
    if (const std::size_t causes = engine_text.find("Caused by:");
        causes != std::string_view::npos) {
        return path + ": " + std::string(last_cause(engine_text.substr(causes + 10)));
    }
    // Text format: the fault, `--> <anon>:LINE:COLUMN`, and the line.
    constexpr std::string_view arrow = "--> <anon>:";
    const std::size_t at = engine_text.find(arrow);
    if (at == std::string_view::npos) return path + ": " + std::string(trimmed(engine_text));
    const std::string_view fault = trimmed(engine_text.substr(0, at));
    const std::string_view rest = engine_text.substr(at + arrow.size());
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    return path + ":" + std::string(rest.substr(0, end)) + ": " + std::string(fault) +
           std::string(rest.substr(end));
}

std::string entry_fault(const std::string& path, const std::string& entry,
                        const wasm::Program& program) {
    std::vector<std::string> names;
    for (const auto& function : program.functions()) names.push_back(function.name);
    if (names.empty()) return path + " exports no function: there is nothing to run";
    const std::string near = nearest(entry, names);
    std::string text = path + " exports no function '" + entry + "': ";
    if (!near.empty()) return text + "did you mean --entry " + near + "?";
    text += "give --entry NAME; there are:";
    for (const std::string& name : names) text += " " + name;
    return text;
}

std::string hint_for(const effect::RunError& error, const wasm::Program& program,
                     const std::string& entry, bool has_asked) {
    using effect::ErrorKind;
    switch (error.kind) {
        case ErrorKind::unhandled_effect:
            return "provide a handler for it: --handlers FILE (gyre inspect lists the effects of a "
                   "module, and --allow permits standard ones)";
        case ErrorKind::decode_failed:
            if (const auto* function = program.find(entry); function != nullptr && !has_asked) {
                return "give one --arg JSON for each parameter of " + function->to_text();
            }
            return "";
        case ErrorKind::memory_limit:
            return "--memory-limit SIZE permits more; without it a module may have 256M";
        case ErrorKind::guest_failed:
            if (error.message.starts_with("the module imports ")) {
                return "only WASI preview 1 and the imports of Voyd are provided; gyre inspect "
                       "lists "
                       "those of a module";
            }
            return "";
        default:
            return "";
    }
}

}  // namespace gyre::cli
