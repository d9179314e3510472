// SPDX-License-Identifier: Apache-2.0
// OnePlace: a connector for tests that connects to one address, whatever the URL says.
#pragma once

#include <memory>

#include "gyre/http/client.hpp"
#include "gyre/net/connection.hpp"

namespace gyre::http {

class OnePlace final : public Connector {
public:
    explicit OnePlace(const Address& at) : at_(at) {}
    Future<std::unique_ptr<net::ByteStream>> connect(const Url& /*url*/,
                                                     Timing& /*timing*/) override {
        auto stream = std::make_unique<net::Connection>();
        *stream = co_await net::connect(at_);
        co_return stream;
    }

private:
    Address at_;
};

}  // namespace gyre::http
