// SPDX-License-Identifier: Apache-2.0
// The standard surface of Vela: what every program sees without declaring it, as Vela text. Bodies
// are left out (`...`): the host gives them.
#pragma once

#include <string_view>

namespace gyre::vela {

extern const std::string_view standard_text;

}  // namespace gyre::vela
