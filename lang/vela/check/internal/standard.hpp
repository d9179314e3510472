// SPDX-License-Identifier: Apache-2.0
// The standard surface of Vela: the declarations that every program sees, as Vela text. Bodies are
// left out (`...`): the host provides them.
#pragma once

#include <span>
#include <string_view>

namespace gyre::vela {

extern const std::string_view standard_text;

// A part of the standard surface that is visible where it is imported.
struct SystemModule {
    std::string_view name;
    std::string_view text;
};
[[nodiscard]] std::span<const SystemModule> all_system_modules();

}  // namespace gyre::vela
