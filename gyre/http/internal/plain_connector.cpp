// SPDX-License-Identifier: Apache-2.0
// plain_connector: TCP connections to the first address of the host that accepts.
#include "gyre/http/client.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/resolver.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre::http {
namespace {

class PlainConnector final : public Connector {
public:
    Future<std::unique_ptr<net::ByteStream>> connect(const Url& url, Timing& timing) override {
        if (url.is_secure()) throw ClientError("this client has no connector for https");
        const Task& task = co_await this_task();
        std::vector<Address> addresses;
        // RFC 6761: localhost is always the loopback address.
        if (url.host == "localhost") {
            addresses.push_back(Address::loopback(url.port));
        } else {
            addresses = co_await resolver_.resolve(url.host, url.port);
        }
        timing.named = task.executor().now();
        auto stream = std::make_unique<net::Connection>();
        if (addresses.size() == 1) {
            *stream = co_await net::connect(addresses.front());
        } else {
            *stream = co_await net::connect_any(std::move(addresses));
        }
        static_cast<void>(stream->set_no_delay(true));
        timing.connected = timing.secured = task.executor().now();
        co_return stream;
    }

private:
    net::Resolver resolver_;
};

}  // namespace

std::unique_ptr<Connector> plain_connector() {
    return std::make_unique<PlainConnector>();
}

}  // namespace gyre::http
