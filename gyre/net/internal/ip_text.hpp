// SPDX-License-Identifier: Apache-2.0
// parse_ip: numeric addresses: "127.0.0.1", "::1", "::ffff:10.0.0.1". A pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gyre/io/address.hpp"

namespace gyre::net {

// The address with this port; nullopt for anything else: names, ports, zones ("%eth0") and short
// forms ("127.1").
[[nodiscard]] std::optional<Address> parse_ip(std::string_view text, std::uint16_t port) noexcept;

}  // namespace gyre::net
