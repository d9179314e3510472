// SPDX-License-Identifier: Apache-2.0
// MapHistory: what clients asked of a map and what they were told, and whether one order of these
// operations explains it in which each takes effect at one moment between its begin and its end
// (Herlihy and Wing 1990). A register is a map with one key.
//
//     MapHistory history;
//     const std::size_t asked = history.begin("client 1", MapHistory::Kind::get, "x", "", now);
//     history.end(asked, "value", later);
//     const MapHistory::Verdict verdict = history.check();
//
// An operation that never ended may have taken effect at any time after its begin, or never. Keys are
// checked one by one, which is exact because linearizability is local.
//
// Thread: one at a time.
// Lifetime: a value, in the memory of the test: not of a host.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/kernel/clock.hpp"

namespace gyre::testing {

class MapHistory {
public:
    enum class Kind : std::uint8_t {
        get,     // the result is the value; empty if there is none
        put,     // the result is not looked at
        append,  // the same
    };
    struct Operation {
        std::string client;
        Kind kind;
        std::string key;
        std::string value;
        Instant begin;
        Instant end = Instant::never();  // never: no answer
        std::string result = {};
    };

    // The number of the operation.
    std::size_t begin(std::string_view client, Kind kind, std::string_view key,
                      std::string_view value, Instant now);
    void end(std::size_t operation, std::string_view result, Instant now);

    enum class Outcome : std::uint8_t { linearizable, not_linearizable, not_decided };
    struct Verdict {
        Outcome outcome = Outcome::linearizable;
        std::string key = {};                // that is not
        std::vector<std::string> text = {};  // its operations, in words
    };
    // Looks at no more than this many states of a key; beyond it the outcome is `not_decided`.
    static constexpr std::size_t state_count_max = 300'000;
    [[nodiscard]] Verdict check(std::size_t states_max = state_count_max) const;

    [[nodiscard]] const std::vector<Operation>& operations() const noexcept { return operations_; }

private:
    std::vector<Operation> operations_;
};

}  // namespace gyre::testing
