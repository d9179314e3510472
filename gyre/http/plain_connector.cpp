// SPDX-License-Identifier: Apache-2.0
// Connections over TCP, to addresses that need no names.
#include <array>
#include <charconv>
#include <optional>

#include "gyre/http/client.hpp"
#include "gyre/net/stream.hpp"
#include "gyre/task/executor.hpp"
#include "gyre/task/this_task.hpp"

namespace gyre::http {
namespace {

std::optional<Address> numeric_address(std::string_view host, std::uint16_t port) noexcept {
    if (host == "localhost") return Address::loopback(port);
    if (host == "::1") {
        return Address::ipv6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, port);
    }
    std::array<std::uint8_t, 4> bytes{};
    const char* at = host.data();
    const char* const end = host.data() + host.size();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto [rest, error] = std::from_chars(at, end, bytes[i]);
        if (error != std::errc()) return std::nullopt;
        at = rest;
        if (i < 3 && (at == end || *at++ != '.')) return std::nullopt;
    }
    if (at != end) return std::nullopt;
    return Address::ipv4(bytes, port);
}

class PlainConnector final : public Connector {
public:
    Future<std::unique_ptr<net::ByteStream>> connect(const Url& url, Timing& timing) override {
        if (url.is_secure()) throw ClientError("this client has no connector for https");
        const auto address = numeric_address(url.host, url.port);
        if (!address) throw ClientError("this client has no connector for names: " + url.host);
        const Task& task = co_await this_task();
        timing.named = task.executor().now();
        auto stream = std::make_unique<net::Stream>(co_await net::connect(*address));
        static_cast<void>(stream->set_no_delay(true));
        timing.connected = timing.secured = task.executor().now();
        co_return stream;
    }
};

}  // namespace

std::unique_ptr<Connector> plain_connector() {
    return std::make_unique<PlainConnector>();
}

}  // namespace gyre::http
