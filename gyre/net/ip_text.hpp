// SPDX-License-Identifier: Apache-2.0
// Addresses as people write them: "127.0.0.1", "::1", "::ffff:10.0.0.1". Pure: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gyre/kernel/address.hpp"

namespace gyre::net {

// The address with this port; nothing where the text is none: names, ports, zones ("%eth0") and
// numbers that are not written in full ("127.1") are refused.
[[nodiscard]] std::optional<Address> parse_ip(std::string_view text, std::uint16_t port) noexcept;

}  // namespace gyre::net
