// SPDX-License-Identifier: Apache-2.0
// NativeStates: hashes and compressors that live between calls of a script, by number. The library
// closes them, also when the script's object is collected; their memory, which no engine counts, is
// bounded. The script's thread; it lives as long as the script.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

#include "lang/script/engine.hpp"

namespace gyre::script {

class NativeStates {
public:
    static constexpr std::size_t bytes_max = std::size_t{512} << 20u;

    class State {
    public:
        virtual ~State() = default;
    };

    // Gives the number to the call; or an error, where the open ones take too much. `size_bytes` is
    // an estimate.
    void add(NativeCall& call, std::unique_ptr<State> state, std::size_t size_bytes) {
        if (size_bytes > bytes_max - bytes_) {
            return call.fail("RangeError",
                             "Open hashes and compressors take too much memory (limit: 512 MiB)");
        }
        last_ += 1;
        bytes_ += size_bytes;
        states_.emplace(last_, Kept{std::move(state), size_bytes});
        call.give_number(last_);
    }
    // null: closed, or of another kind.
    template <class Kind>
    Kind* find(double number) {
        const auto found = states_.find(number);
        return found == states_.end() ? nullptr : dynamic_cast<Kind*>(found->second.state.get());
    }
    void close(double number) {
        const auto found = states_.find(number);
        if (found == states_.end()) return;
        bytes_ -= found->second.size_bytes;
        states_.erase(found);
    }

private:
    struct Kept {
        std::unique_ptr<State> state;
        std::size_t size_bytes;
    };
    std::unordered_map<double, Kept> states_;
    std::size_t bytes_ = 0;
    double last_ = 0;
};

}  // namespace gyre::script
