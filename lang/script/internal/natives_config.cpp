// SPDX-License-Identifier: Apache-2.0
// What the host library is told at its start, as JSON.
#include <string>
#include <utility>

#include "lang/script/internal/natives.hpp"

namespace gyre::script {

std::string Natives::quoted(std::string_view text) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string made = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            made += '\\';
            made += c;
        } else if (code < 0x20) {
            made += "\\u00";
            made += digits[code >> 4u];
            made += digits[code & 15u];
        } else {
            made += c;
        }
    }
    return made + "\"";
}

std::string Natives::config(Script& script) {
    System& system = script.system_;
    std::string made = "{\"argv\":[";
    for (std::size_t i = 0; i < script.options_.arguments.size(); ++i) {
        made += (i > 0 ? "," : "") + quoted(script.options_.arguments[i]);
    }
    made += "],\"env\":{";
    bool is_first = true;
    for (const auto& [name, value] : system.environment()) {
        made += (std::exchange(is_first, false) ? "" : ",") + quoted(name) + ":" + quoted(value);
    }
    made += "},\"rejections\":" + quoted(script.options_.unhandled_rejections);
    made += ",\"program\":" + quoted(system.program_path());
    made += ",\"host\":" + quoted(system.host_name());
    made += ",\"release\":" + quoted(system.release());
    made += ",\"pid\":" + std::to_string(system.process_id());
    made += ",\"cores\":" + std::to_string(system.core_count());
    made += std::string(",\"js2il\":") +
            (script.options_.order == job::Profile::js2il ? "true" : "false");
    if (script.tells_jobs()) made += ",\"steps\":true";
    if (system.permissions() != nullptr) made += ",\"sandbox\":true";
    for (const int stream : {0, 1, 2}) {
        made += ",\"tty" + std::to_string(stream) +
                "\":" + (system.is_terminal(stream) ? "true" : "false");
    }
    return made + "}";
}

}  // namespace gyre::script
