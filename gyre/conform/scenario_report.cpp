// SPDX-License-Identifier: Apache-2.0
#include "gyre/conform/scenario.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "gyre/conform/internal/script.hpp"

namespace gyre::conform {
namespace {

constexpr std::size_t columns_max = 80;
constexpr std::size_t clauses_width = 12;
constexpr std::size_t name_width = 52;
constexpr std::size_t platform_width = 9;

void add_cell(std::string& line, std::string_view text, std::size_t width) {
    line += text;
    line.append(width > text.size() ? width - text.size() : 1, ' ');
}

// Wraps at spaces, with each line indented under the scenario's name.
void add_detail(std::string& table, const std::string& detail) {
    std::string line;
    const auto end_line = [&] { table += std::string(clauses_width + 2, ' ') + line + "\n"; };
    for (const std::string& word : split(detail, ' ')) {
        if (!line.empty() && clauses_width + 3 + line.size() + word.size() > columns_max) {
            end_line();
            line.clear();
        }
        if (!line.empty()) line += ' ';
        line += word;
    }
    end_line();
}

std::string quoted(std::string_view text) {
    std::string json = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            json += '\\';
            json += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            std::array<char, 8> escape;
            std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
            json += escape.data();
        } else {
            json += c;
        }
    }
    return json + "\"";
}

std::string quoted(const std::vector<std::string>& texts) {
    std::string json = "[";
    for (const std::string& text : texts) json += (json.size() > 1 ? ", " : "") + quoted(text);
    return json + "]";
}

std::string as_json(const Result& result) {
    const Scenario& scenario = *result.scenario;
    return "{\"topic\": " + quoted(result.table->topic) +
           ", \"table\": " + quoted(result.table->name) +
           ", \"clauses\": " + quoted(split(scenario.clauses, ' ')) +
           ", \"scenario\": " + quoted(scenario.name) +
           ", \"platform\": " + quoted(result.platform) +
           ", \"verdict\": " + quoted(name_of(result.verdict)) +
           ", \"detail\": " + quoted(result.detail) +
           ", \"script\": " + quoted(split(scenario.script, '\n')) +
           ", \"expected\": " + quoted(split(scenario.trace, ',')) + "}";
}

}  // namespace

std::size_t count_of(const Results& results, Verdict verdict) noexcept {
    return static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(),
                      [verdict](const Result& result) { return result.verdict == verdict; }));
}

std::string counts_in_words(const Results& results) {
    return std::to_string(count_of(results, Verdict::pass)) + " pass, " +
           std::to_string(count_of(results, Verdict::fail)) + " FAIL, " +
           std::to_string(count_of(results, Verdict::skipped)) + " skipped\n";
}

std::string as_table(const Results& results) {
    std::string text;
    add_cell(text, "clause", clauses_width);
    add_cell(text, "scenario", name_width);
    add_cell(text, "platform", platform_width);
    text += "verdict\n";
    const Table* table = nullptr;
    for (const Result& result : results) {
        if (std::exchange(table, result.table) != result.table) {
            text += std::string("\n") + result.table->name + "\n";
        }
        add_cell(text, result.scenario->clauses, clauses_width);
        add_cell(text, result.scenario->name, name_width);
        add_cell(text, result.platform, platform_width);
        text += std::string(name_of(result.verdict)) + "\n";
        if (!result.detail.empty()) add_detail(text, result.detail);
    }
    return text + "\n" + counts_in_words(results);
}

std::string as_json(const Results& results) {
    std::string json = "{\"pass\": " + std::to_string(count_of(results, Verdict::pass)) +
                       ", \"fail\": " + std::to_string(count_of(results, Verdict::fail)) +
                       ", \"skipped\": " + std::to_string(count_of(results, Verdict::skipped)) +
                       ",\n \"results\": [";
    std::string_view separator = "\n  ";
    for (const Result& result : results) {
        json += separator;
        json += as_json(result);
        separator = ",\n  ";
    }
    return json + "\n]}\n";
}

}  // namespace gyre::conform
