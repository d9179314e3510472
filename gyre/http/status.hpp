// SPDX-License-Identifier: Apache-2.0
// The reason phrases of statuses. Pure.
#pragma once

#include <string_view>

namespace gyre::http {

// Empty for a status that RFC 9110 and its companions do not know.
[[nodiscard]] std::string_view reason_of(int status) noexcept;

}  // namespace gyre::http
