// SPDX-License-Identifier: Apache-2.0
// Address: the address of a socket: IPv4 or IPv6 with a port, or a path (Unix sockets). Its
// definition uses no system header.
//
//     const Address here = Address::loopback(8080);
//
// Thread: a value.
// Lifetime: a value.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/base/result.hpp"

namespace gyre {

class Address {
public:
    enum class Family : std::uint8_t { none, ipv4, ipv6, unix_path };
    static constexpr std::size_t path_size_max = 107;

    Address() noexcept = default;
    static Address ipv4(std::array<std::uint8_t, 4> bytes, std::uint16_t port) noexcept;
    static Address ipv6(std::array<std::uint8_t, 16> bytes, std::uint16_t port) noexcept;
    // 127.0.0.1; with port 0 the system chooses a port.
    static Address loopback(std::uint16_t port = 0) noexcept { return ipv4({127, 0, 0, 1}, port); }
    // The error `filename_too_long` if the path has more than path_size_max bytes.
    static Result<Address> unix_path(std::string_view path) noexcept;

    [[nodiscard]] Family family() const noexcept { return family_; }
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    // The same address with another port.
    [[nodiscard]] Address with_port(std::uint16_t port) const noexcept {
        Address other = *this;
        other.port_ = port;
        return other;
    }
    // The 4 or 16 bytes of the address in network byte order; unused bytes are 0.
    [[nodiscard]] const std::array<std::uint8_t, 16>& ip() const noexcept { return ip_; }
    [[nodiscard]] std::string_view path() const noexcept { return {path_.data(), path_size_}; }

    // "127.0.0.1:80", "[::1]:80", "unix:/run/x".
    [[nodiscard]] std::string to_string() const;

    friend bool operator==(const Address&, const Address&) noexcept = default;

private:
    Family family_ = Family::none;
    std::uint8_t path_size_ = 0;
    std::uint16_t port_ = 0;
    std::array<std::uint8_t, 16> ip_{};
    std::array<char, path_size_max + 1> path_{};
};

}  // namespace gyre
