// SPDX-License-Identifier: Apache-2.0
#include "lang/script/world/internal/places.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace gyre::script {

std::string place_of(const Address& address) {
    return address.to_string();
}

std::string host_of(const Address& address) {
    std::string text = address.to_string();
    text.resize(text.rfind(':'));
    if (text.starts_with('[')) text = text.substr(1, text.size() - 2);
    return text;
}

bool allows(const Permissions& permissions, const Address& to) {
    if (permissions.allows_place(place_of(to))) return true;
    return to.family() != Address::Family::unix_path &&
           permissions.allows_host(host_of(to), to.port());
}

std::string not_permitted(const std::string& place) {
    return "the address " + place + " is not permitted: --allow net=" + place;
}

Result<Address> address_of(const std::string& path, std::span<const std::byte> bytes, int port) {
    if (!path.empty()) return Address::unix_path(path);
    const auto number = static_cast<std::uint16_t>(port);
    if (bytes.size() == 4) {
        std::array<std::uint8_t, 4> ip{};
        std::memcpy(ip.data(), bytes.data(), ip.size());
        return Address::ipv4(ip, number);
    }
    if (bytes.size() != 16) return std::unexpected(Error(std::errc::invalid_argument));
    std::array<std::uint8_t, 16> ip{};
    std::memcpy(ip.data(), bytes.data(), ip.size());
    return Address::ipv6(ip, number);
}

}  // namespace gyre::script
