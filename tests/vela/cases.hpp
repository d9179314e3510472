// SPDX-License-Identifier: Apache-2.0
// Files of small programs, each about one rule:
//
//     === name: 3:7 E0303, 4:1 W0401
//     the program
//     ---
//     all that is said of it
//
// A clean program has its name alone.
#pragma once

#include "tests/vela/vela_files.hpp"

namespace gyre::vela {

struct Case {
    std::string name;
    std::string places;
    std::string program;
    std::string report;
};

inline std::vector<Case> cases_of(const std::string& folder) {
    std::vector<Case> result;
    for (const auto& path : files_of(folder, ".cases")) {
        std::string text = "\n";
        text += read_text(path);
        std::size_t begin = text.find("\n=== ");
        while (begin != std::string::npos) {
            const std::size_t end = text.find("\n=== ", begin + 1);
            std::string part = text.substr(begin + 5, end - begin - 5);
            if (end != std::string::npos) part += '\n';
            const std::string head = part.substr(0, part.find('\n'));
            const std::string rest = part.substr(head.size() + 1);
            const std::size_t colon = head.find(": ");
            const std::size_t line = rest.find("---\n");
            Case made;
            made.name = head.substr(0, colon);
            if (colon != std::string::npos) made.places = head.substr(colon + 2);
            made.program = rest.substr(0, line);
            if (line != std::string::npos) made.report = rest.substr(line + 4);
            result.push_back(made);
            begin = end;
        }
    }
    return result;
}

}  // namespace gyre::vela
