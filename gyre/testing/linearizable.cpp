// SPDX-License-Identifier: Apache-2.0
// The search of Wing and Gong (1993) for an order, with the memory of Lowe (2017): a set of operations
// that have taken effect, with the value that they left, is looked at once.
#include "gyre/testing/linearizable.hpp"

#include <algorithm>
#include <cstdio>
#include <unordered_set>
#include <utility>

#include "gyre/base/assert.hpp"

namespace gyre::testing {
namespace {

using Operation = MapHistory::Operation;
using Outcome = MapHistory::Outcome;

std::string words_of(const Operation& operation) {
    const auto seconds = [](Instant at) {
        char text[32];
        std::snprintf(text, sizeof text, "%.6f",
                      static_cast<double>(at.nanoseconds()) / 1'000'000'000.0);
        return std::string(text);
    };
    std::string text = operation.client + ": ";
    if (operation.kind == MapHistory::Kind::get) {
        text += "get " + operation.key;
    } else {
        text += operation.kind == MapHistory::Kind::put ? "put " : "append ";
        text += operation.key + " '" + operation.value + "'";
    }
    text += " from " + seconds(operation.begin) + " s ";
    if (operation.end == Instant::never()) return text + "without an answer";
    text += "to " + seconds(operation.end) + " s";
    if (operation.kind == MapHistory::Kind::get) text += " -> '" + operation.result + "'";
    return text;
}

// The operations of one key, by their begin.
class KeySearch {
public:
    KeySearch(std::vector<const Operation*> operations, std::size_t states_max)
        : operations_(std::move(operations)), states_left_(states_max) {
        // All lie in one vector: of those that begin at once, the one noted first is first.
        std::ranges::sort(operations_, {}, [](const Operation* operation) {
            return std::pair(operation->begin, operation);
        });
        is_done_.assign(operations_.size(), '0');
    }

    Outcome run() { return explain(""); }

private:
    // Whether the rest can follow from this value.
    Outcome explain(const std::string& value) {
        const Instant first_end = end_of_first_that_must_come();
        if (first_end == Instant::never()) return Outcome::linearizable;
        if (!seen_.insert(is_done_ + value).second) return Outcome::not_linearizable;
        if (states_left_ == 0) return Outcome::not_decided;
        --states_left_;
        for (std::size_t i = 0; i < operations_.size(); ++i) {
            const Operation& next = *operations_[i];
            if (next.begin > first_end) break;
            if (is_done_[i] == '1' || !fits(next, value)) continue;
            is_done_[i] = '1';
            const Outcome rest = explain(after(next, value));
            is_done_[i] = '0';
            if (rest != Outcome::not_linearizable) return rest;
        }
        return Outcome::not_linearizable;
    }

    // What begins after this cannot come before it.
    [[nodiscard]] Instant end_of_first_that_must_come() const {
        Instant first = Instant::never();
        for (std::size_t i = 0; i < operations_.size(); ++i) {
            if (is_done_[i] == '0') first = std::min(first, operations_[i]->end);
        }
        return first;
    }

    static bool fits(const Operation& operation, const std::string& value) {
        const bool is_answered_get =
            operation.kind == MapHistory::Kind::get && operation.end != Instant::never();
        return !is_answered_get || operation.result == value;
    }

    static std::string after(const Operation& operation, const std::string& value) {
        if (operation.kind == MapHistory::Kind::get) return value;
        return operation.kind == MapHistory::Kind::put ? operation.value : value + operation.value;
    }

    std::vector<const Operation*> operations_;
    std::size_t states_left_;
    std::string is_done_;
    std::unordered_set<std::string> seen_;
};

}  // namespace

std::size_t MapHistory::begin(std::string_view client, Kind kind, std::string_view key,
                              std::string_view value, Instant now) {
    operations_.push_back({std::string(client), kind, std::string(key), std::string(value), now});
    return operations_.size() - 1;
}

void MapHistory::end(std::size_t operation, std::string_view result, Instant now) {
    GYRE_ASSERT(operation < operations_.size(), "there is no operation %zu", operation);
    GYRE_ASSERT(operations_[operation].end == Instant::never(), "operation %zu has ended twice",
                operation);
    operations_[operation].end = now;
    operations_[operation].result = result;
}

MapHistory::Verdict MapHistory::check(std::size_t states_max) const {
    std::map<std::string_view, std::vector<const Operation*>> by_key;
    for (const Operation& operation : operations_) {
        // A get without an answer says nothing and changes nothing.
        const bool is_nothing = operation.kind == Kind::get && operation.end == Instant::never();
        if (!is_nothing) by_key[operation.key].push_back(&operation);
    }
    Verdict verdict;
    for (const auto& [key, operations] : by_key) {
        const Outcome outcome = KeySearch(operations, states_max).run();
        if (outcome == Outcome::linearizable) continue;
        verdict.outcome = outcome;
        verdict.key = key;
        for (const Operation* const operation : operations) {
            verdict.text.push_back(words_of(*operation));
        }
        if (outcome == Outcome::not_linearizable) break;
    }
    return verdict;
}

}  // namespace gyre::testing
