// SPDX-License-Identifier: Apache-2.0
#include "gyre/io/address.hpp"

#include <algorithm>
#include <cstdio>

namespace gyre {

Address Address::ipv4(std::array<std::uint8_t, 4> bytes, std::uint16_t port) noexcept {
    Address address;
    address.family_ = Family::ipv4;
    address.port_ = port;
    std::copy(bytes.begin(), bytes.end(), address.ip_.begin());
    return address;
}

Address Address::ipv6(std::array<std::uint8_t, 16> bytes, std::uint16_t port) noexcept {
    Address address;
    address.family_ = Family::ipv6;
    address.port_ = port;
    address.ip_ = bytes;
    return address;
}

Result<Address> Address::unix_path(std::string_view path) noexcept {
    if (path.size() > path_size_max) return std::unexpected(Error(std::errc::filename_too_long));
    Address address;
    address.family_ = Family::unix_path;
    address.path_size_ = static_cast<std::uint8_t>(path.size());
    std::copy(path.begin(), path.end(), address.path_.begin());
    return address;
}

std::string Address::to_string() const {
    std::array<char, 64> text{};
    switch (family_) {
        case Family::none:
            return "none";
        case Family::unix_path:
            return "unix:" + std::string(path());
        case Family::ipv4:
            std::snprintf(text.data(), text.size(), "%u.%u.%u.%u:%u", ip_[0], ip_[1], ip_[2],
                          ip_[3], port_);
            return text.data();
        case Family::ipv6:
            break;
    }
    // The longest run of zero groups (the first of equal length, at least two groups) is written as
    // "::".
    std::array<unsigned, 8> groups{};
    for (std::size_t i = 0; i < 8; ++i) {
        groups[i] = static_cast<unsigned>(ip_[2 * i] << 8u) | ip_[2 * i + 1];
    }
    std::size_t run_at = 8;
    std::size_t run_size = 1;
    for (std::size_t i = 0; i < 8;) {
        std::size_t end = i;
        while (end < 8 && groups[end] == 0) ++end;
        if (end - i > run_size) {
            run_at = i;
            run_size = end - i;
        }
        i = std::max(end, i + 1);
    }
    std::string out = "[";
    for (std::size_t i = 0; i < 8; ++i) {
        if (i == run_at) {
            out += "::";
            i += run_size - 1;
            continue;
        }
        if (i > 0 && out.back() != ':') out += ':';
        std::snprintf(text.data(), text.size(), "%x", groups[i]);
        out += text.data();
    }
    return out + "]:" + std::to_string(port_);
}

}  // namespace gyre
