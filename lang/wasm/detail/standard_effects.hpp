// SPDX-License-Identifier: Apache-2.0
// The ids of standard effects: the first wire generation names them after their modules. Any thread.
#pragma once

#include <array>
#include <string_view>

namespace gyre::wasm {

// `voyd.std.time` for `std::time::Time`; another id is itself.
[[nodiscard]] inline std::string_view standard_effect(std::string_view id) noexcept {
    struct Named {
        std::string_view first;
        std::string_view second;
    };
    constexpr std::array<Named, 5> names = {{{"std::env::Env", "voyd.std.env"},
                                             {"std::fs::Fs", "voyd.std.fs"},
                                             {"std::log::Log", "voyd.std.log"},
                                             {"std::random::Random", "voyd.std.random"},
                                             {"std::time::Time", "voyd.std.time"}}};
    for (const Named& one : names) {
        if (one.first == id) return one.second;
    }
    return id;
}

}  // namespace gyre::wasm
