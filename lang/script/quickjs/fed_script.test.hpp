// SPDX-License-Identifier: Apache-2.0
// Shared by fuzz targets: a script that asks for inputs one by one, by `await gyre.call('next')`, which
// gives the bytes as an array, and says gyre.callDirect('done') when it has checked one. What it throws
// ends the target. One thread; made once, and not destroyed: the fuzzer ends the process.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gyre/base/assert.hpp"

#define GYRE_TEST_ENGINE quickjs
#include "lang/script/script_world.test.hpp"

namespace gyre::script {

class FedScript {
public:
    explicit FedScript(std::string_view program) {
        world_.script.add_function("next", [this](Call call) { next_.emplace(std::move(call)); });
        world_.script.add_direct_function("done", [this](std::string_view) {
            is_done_ = true;
            return std::string();
        });
        world_.script.start_text(program, true);
        run_until([this] { return next_.has_value(); });
    }

    // At least one byte.
    void check(std::span<const std::uint8_t> input) {
        std::string json = "[";
        for (const std::uint8_t byte : input) json += std::to_string(byte) + ",";
        json.back() = ']';
        is_done_ = false;
        Call call = std::move(*next_);
        next_.reset();
        call.resolve(json);
        run_until([this] { return is_done_ && next_.has_value(); });
    }

private:
    template <class Condition>
    void run_until(Condition is_met) {
        constexpr int turns_max = 100'000;
        for (int i = 0; i < turns_max && !is_met() && world_.loop.is_alive(); ++i) {
            world_.loop.turn();
        }
        GYRE_ASSERT(is_met(), "%s", world_.system.err.c_str());
    }

    ScriptWorld world_;
    std::optional<Call> next_;
    bool is_done_ = false;
};

}  // namespace gyre::script
