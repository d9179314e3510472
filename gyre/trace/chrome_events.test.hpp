// SPDX-License-Identifier: Apache-2.0
// For the tests of the export: the events of a trace, parsed from its JSON by nlohmann::json. A
// value; lives as long as its test.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace gyre::trace {

class ChromeEvents {
public:
    explicit ChromeEvents(const std::string& text) : all_(nlohmann::json::parse(text)) {}

    [[nodiscard]] const nlohmann::json& all() const { return all_; }
    [[nodiscard]] std::vector<nlohmann::json> of_phase(std::string_view phase) const {
        std::vector<nlohmann::json> found;
        for (const auto& event : all_.at("traceEvents")) {
            if (event.at("ph") == phase) found.push_back(event);
        }
        return found;
    }
    [[nodiscard]] std::vector<nlohmann::json> named(std::string_view phase,
                                                    std::string_view name) const {
        std::vector<nlohmann::json> found = of_phase(phase);
        std::erase_if(found, [name](const auto& event) { return event.at("name") != name; });
        return found;
    }
    // The rows with this name, as their threads.
    [[nodiscard]] std::vector<int> rows_named(std::string_view name) const {
        std::vector<int> found;
        for (const auto& event : named("M", "thread_name")) {
            if (event.at("args").at("name") == name) found.push_back(event.at("tid"));
        }
        return found;
    }

    static std::int64_t ns_of(const nlohmann::json& event, const char* key = "ts") {
        return std::llround(event.at(key).get<double>() * 1000);
    }

    // Every flow has one start and one later end; every step belongs to a started flow; and each of
    // these events is inside a slice of its row, because the viewer shows no others. Returns the
    // number of flows.
    std::size_t expect_whole_flows() const {
        std::map<std::string, std::int64_t> starts;
        std::set<std::string> ends;
        for (const auto& event : of_phase("s")) {
            EXPECT_TRUE(starts.emplace(event.at("id"), ns_of(event)).second) << event;
        }
        for (const auto& event : of_phase("t")) {
            EXPECT_TRUE(starts.contains(event.at("id"))) << event;
        }
        for (const auto& event : of_phase("f")) {
            const std::string id = event.at("id");
            EXPECT_TRUE(ends.insert(id).second) << "ends twice: " << event;
            const auto start = starts.find(id);
            if (start == starts.end()) {
                ADD_FAILURE() << "ends without a start: " << event;
            } else {
                EXPECT_GE(ns_of(event), start->second) << event;
            }
        }
        for (const auto& [id, start] : starts) EXPECT_TRUE(ends.contains(id)) << id;
        for (const char* phase : {"s", "t", "f"}) {
            for (const auto& event : of_phase(phase)) {
                EXPECT_TRUE(is_in_a_slice(event)) << event;
            }
        }
        return starts.size();
    }

private:
    [[nodiscard]] bool is_in_a_slice(const nlohmann::json& event) const {
        if (slices_.empty()) {
            for (const auto& slice : of_phase("X")) {
                const std::int64_t begin = ns_of(slice);
                slices_[row_of(slice)].emplace_back(begin, begin + ns_of(slice, "dur"));
            }
        }
        const std::int64_t at = ns_of(event);
        for (const auto& [begin, end] : slices_[row_of(event)]) {
            if (begin <= at && at <= end) return true;
        }
        return false;
    }
    [[nodiscard]] static std::pair<int, int> row_of(const nlohmann::json& event) {
        return {event.at("pid"), event.at("tid")};
    }

    nlohmann::json all_;
    mutable std::map<std::pair<int, int>, std::vector<std::pair<std::int64_t, std::int64_t>>>
        slices_;
};

}  // namespace gyre::trace
