// SPDX-License-Identifier: Apache-2.0
// NativeStates: hashes and compressors that live between calls of a script, by number. The library
// closes them, also when the script's object is collected; a script may hold `count_max` at once.
// The script's thread; it lives as long as the script.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

#include "lang/script/engine.hpp"

namespace gyre::script {

class NativeStates {
public:
    static constexpr std::size_t count_max = 100'000;

    class State {
    public:
        virtual ~State() = default;
    };

    // The number; 0 and an error of the call where there are too many.
    double add(NativeCall& call, std::unique_ptr<State> state) {
        if (states_.size() >= count_max) {
            call.fail("RangeError", "Too many hashes and compressors are open (limit: 100000)");
            return 0;
        }
        last_ += 1;
        states_.emplace(last_, std::move(state));
        return last_;
    }
    // null: closed, or of another kind.
    template <class Kind>
    Kind* find(double number) {
        const auto found = states_.find(number);
        return found == states_.end() ? nullptr : dynamic_cast<Kind*>(found->second.get());
    }
    void close(double number) { states_.erase(number); }

private:
    std::unordered_map<double, std::unique_ptr<State>> states_;
    double last_ = 0;
};

}  // namespace gyre::script
