// SPDX-License-Identifier: Apache-2.0
#include "gyre/io/address.hpp"

#include <algorithm>

#include "gyre/base/detail/append_format.hpp"

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

namespace {

using Groups = std::array<unsigned, 8>;
struct ZeroRun {
    std::size_t begin = 8;
    std::size_t size = 1;  // of none: runs have at least two groups
};

// The longest run of zero groups, the first of equal length, is written as "::" (RFC 5952).
ZeroRun longest_zero_run(const Groups& groups) noexcept {
    ZeroRun longest;
    for (std::size_t i = 0; i < groups.size();) {
        std::size_t end = i;
        while (end < groups.size() && groups[end] == 0) ++end;
        if (end - i > longest.size) longest = {i, end - i};
        i = std::max(end, i + 1);
    }
    return longest;
}

std::string ipv6_text(const std::array<std::uint8_t, 16>& ip) {
    Groups groups{};
    for (std::size_t i = 0; i < groups.size(); ++i) {
        groups[i] = static_cast<unsigned>(ip[2 * i] << 8u) | ip[2 * i + 1];
    }
    const ZeroRun zeros = longest_zero_run(groups);
    std::string out;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (i == zeros.begin) {
            out += "::";
            i += zeros.size - 1;
            continue;
        }
        if (i > 0 && out.back() != ':') out += ':';
        append_format(out, "%x", groups[i]);
    }
    return out;
}

}  // namespace

std::string Address::to_string() const {
    std::string text;
    switch (family_) {
        case Family::none:
            return "none";
        case Family::unix_path:
            return "unix:" + std::string(path());
        case Family::ipv4:
            append_format(text, "%u.%u.%u.%u:%u", ip_[0], ip_[1], ip_[2], ip_[3], port_);
            return text;
        case Family::ipv6:
            break;
    }
    return "[" + ipv6_text(ip_) + "]:" + std::to_string(port_);
}

}  // namespace gyre
