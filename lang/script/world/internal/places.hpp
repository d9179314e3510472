// SPDX-License-Identifier: Apache-2.0
// Addresses as scripts give them, and whether a sandbox permits them. Any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "gyre/base/result.hpp"
#include "gyre/io/address.hpp"
#include "gyre/io/permissions.hpp"

namespace gyre::script {

// "127.0.0.1:80", "unix:/path": what --allow net= is given.
[[nodiscard]] std::string place_of(const Address& address);
// Without the port and the brackets of IPv6.
[[nodiscard]] std::string host_of(const Address& address);
[[nodiscard]] bool allows(const Permissions& permissions, const Address& to);
[[nodiscard]] std::string not_permitted(const std::string& place);
// A path, or four or sixteen bytes with a port.
[[nodiscard]] Result<Address> address_of(const std::string& path, std::span<const std::byte> bytes,
                                         int port);

}  // namespace gyre::script
