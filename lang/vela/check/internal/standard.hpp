// SPDX-License-Identifier: Apache-2.0
// The standard surface of Vela: the declarations that every program sees, as Vela text. Bodies are
// left out (`...`): the host provides them.
#pragma once

#include <string_view>

namespace gyre::vela {

extern const std::string_view standard_text;

}  // namespace gyre::vela
