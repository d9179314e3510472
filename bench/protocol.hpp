// SPDX-License-Identifier: Apache-2.0
// What every benchmark program written in C++ speaks with bench/run.py: `--list` prints the names
// of its cases; `--cases a,b [--quick]` runs those and prints `case<TAB>value` lines.
//
// A program is a few tables of entries. An entry measures one case, or several that come out of one
// run (insert, cancel and fire of the same timers). Used from the main thread; a Run lives for one
// call.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gyre::bench {

class Run {
public:
    explicit Run(bool is_quick) noexcept : is_quick_(is_quick) {}

    [[nodiscard]] bool is_quick() const noexcept { return is_quick_; }

    // How long a case that repeats one small operation should run.
    [[nodiscard]] double span_ns() const noexcept { return is_quick_ ? 50e6 : 300e6; }

    // Keeps the least of several reports of one case, so that passes can simply be repeated.
    void report(const std::string& name, double value) {
        const auto [entry, is_new] = values_.try_emplace(name, value);
        if (!is_new && value < entry->second) entry->second = value;
    }

    [[nodiscard]] const std::map<std::string, double>& values() const noexcept { return values_; }

private:
    bool is_quick_;
    std::map<std::string, double> values_;
};

struct Entry {
    std::vector<std::string> cases;
    void (*measure)(Run& run);
};

inline bool names_case(std::string_view comma_list, std::string_view name) {
    while (!comma_list.empty()) {
        const std::size_t comma = comma_list.find(',');
        if (comma_list.substr(0, comma) == name) return true;
        if (comma == std::string_view::npos) return false;
        comma_list.remove_prefix(comma + 1);
    }
    return false;
}

inline void list_entry(const Entry& entry) {
    for (const std::string& name : entry.cases) std::printf("%s\n", name.c_str());
}

inline void run_entry(const Entry& entry, std::string_view wanted, bool is_quick) {
    std::vector<std::string> wanted_cases;
    for (const std::string& name : entry.cases) {
        if (names_case(wanted, name)) wanted_cases.push_back(name);
    }
    if (wanted_cases.empty()) return;

    Run run{is_quick};
    entry.measure(run);
    for (const std::string& name : wanted_cases) {
        const auto value = run.values().find(name);
        if (value == run.values().end()) continue;
        std::printf("%s\t%.3f\n", name.c_str(), value->second);
    }
    std::fflush(stdout);
}

// The whole of a program's `main`. Exit code 2 is a usage error.
inline int run_program(int argument_count, char** arguments,
                       const std::vector<std::vector<Entry>>& tables) {
    std::string_view wanted;
    bool is_list = false;
    bool is_quick = false;
    for (int i = 1; i < argument_count; ++i) {
        const std::string_view argument = arguments[i];
        if (argument == "--list") {
            is_list = true;
        } else if (argument == "--quick") {
            is_quick = true;
        } else if (argument == "--cases" && i + 1 < argument_count) {
            wanted = arguments[++i];
        } else {
            std::fprintf(stderr, "usage: %s --list | --cases a,b,c [--quick]\n", arguments[0]);
            return 2;
        }
    }
    for (const std::vector<Entry>& table : tables) {
        for (const Entry& entry : table) {
            if (is_list) list_entry(entry);
            if (!is_list) run_entry(entry, wanted, is_quick);
        }
    }
    return 0;
}

}  // namespace gyre::bench
