// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/sim_host_calls.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "gyre/sim/host_memory.hpp"
#include "gyre/sim/internal/limits.hpp"
#include "gyre/sim/internal/net/datagram_socket.hpp"
#include "gyre/sim/internal/net/wire.hpp"

namespace gyre::sim {
namespace {

constexpr const char* own_host_name = "localhost";

Result<std::uint16_t> port_of(const std::string& service) {
    if (service.empty()) return std::uint16_t{0};
    std::uint16_t port = 0;
    const char* end = service.data() + service.size();
    const auto [rest, code] = std::from_chars(service.data(), end, port);
    if (code != std::errc() || rest != end) return error(std::errc::host_unreachable);
    return port;
}

Address of_any(bool is_ipv6, std::uint16_t port) noexcept {
    return is_ipv6 ? Address::ipv6({}, port) : Address::ipv4({}, port);
}

Address of_loopback(bool is_ipv6, std::uint16_t port) noexcept {
    std::array<std::uint8_t, 16> one{};
    one.back() = 1;
    return is_ipv6 ? Address::ipv6(one, port) : Address::loopback(port);
}

// Without the port and its colon, and without the brackets of IPv6.
std::string host_text(const Address& address) {
    std::string text = address.to_string();
    text.resize(text.find_last_of(':'));
    if (text.starts_with('[')) text = text.substr(1, text.size() - 2);
    return text;
}

}  // namespace

Result<std::vector<Address>> SimHostCalls::addresses_of(const AddressQuery& query) {
    if (query.host.empty() && query.service.empty()) return error(std::errc::invalid_argument);
    for (const std::string* name : {&query.host, &query.service}) {
        if (name->find('\0') != std::string::npos) return error(std::errc::invalid_argument);
        if (name->size() > name_size_max) return error(std::errc::filename_too_long);
    }
    const Result<std::uint16_t> port = port_of(query.service);
    if (!port) return std::unexpected(port.error());
    const bool is_own = query.host.empty() || (query.host == own_host_name && !query.is_numeric);
    if (!is_own) return addresses_on_wire(query, *port);
    std::vector<Address> addresses;
    for (const Address::Family family : {Address::Family::ipv6, Address::Family::ipv4}) {
        if (query.family != Address::Family::none && query.family != family) continue;
        const bool is_ipv6 = family == Address::Family::ipv6;
        const bool is_any = query.host.empty() && query.is_for_listening;
        addresses.push_back(is_any ? of_any(is_ipv6, *port) : of_loopback(is_ipv6, *port));
    }
    if (addresses.empty()) return error(std::errc::host_unreachable);
    return addresses;
}

Result<std::vector<Address>> SimHostCalls::addresses_on_wire(const AddressQuery& query,
                                                             std::uint16_t port) const {
    if (query.is_numeric || wire_ == nullptr) return error(std::errc::host_unreachable);
    if (context_.system.names_fail) return error(std::errc::resource_unavailable_try_again);
    const Ipv4* const ip = wire_->find_name(query.host);
    const bool is_wanted = query.family != Address::Family::ipv6;
    if (ip == nullptr || !is_wanted) return error(std::errc::host_unreachable);
    return std::vector<Address>{Address::ipv4(*ip, port)};
}

Result<HostName> SimHostCalls::name_of(const NameQuery& query) {
    const Address& address = query.address;
    const bool is_ipv6 = address.family() == Address::Family::ipv6;
    if (!is_ipv6 && address.family() != Address::Family::ipv4) {
        return error(std::errc::address_family_not_supported);
    }
    const bool is_own = address == of_loopback(is_ipv6, address.port()) && !query.is_numeric;
    return HostName{is_own ? own_host_name : host_text(address), std::to_string(address.port())};
}

Result<void> SimHostCalls::fill_random(Bytes into) {
    std::ranges::generate(into, [this] { return static_cast<std::byte>(context_.random.next()); });
    return {};
}

Result<std::size_t> SimHostCalls::receive_datagrams(Fd fd, std::span<DatagramSlot> into) {
    Descriptor* descriptor = context_.descriptors.find(fd);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    std::size_t count = 0;
    for (DatagramSlot& slot : into.first(std::min(into.size(), datagrams_at_once_max))) {
        const OutsideHost outside;
        const MaybeResult got = descriptor->receive_from(slot.room, slot.from, slot.is_truncated);
        // Datagrams that came before an error are the result, as with recvmmsg.
        if (count > 0 && (!got || *got < 0)) break;
        if (!got) return error(std::errc::resource_unavailable_try_again);
        if (*got < 0) return std::unexpected(Error::of_result(*got));
        slot.size = static_cast<std::size_t>(*got);
        ++count;
    }
    return count;
}

Result<void> SimHostCalls::queue_datagram_errors(Fd /*fd*/, bool value) {
    if (!value) return {};
    return error(std::errc::operation_not_supported);
}

Result<DatagramError> SimHostCalls::take_datagram_error(Fd /*fd*/) {
    return error(std::errc::resource_unavailable_try_again);
}

}  // namespace gyre::sim
