// SPDX-License-Identifier: Apache-2.0
// gyre serve --tls and gyre fetch https:... in a build without gyre/tls: both refuse.
#include "cli/https.hpp"

namespace gyre::cli {
namespace {

constexpr const char* why = "this build has no TLS; install libssl-dev and build again";

class NoTls final : public http::Connector {
public:
    explicit NoTls(std::unique_ptr<http::Connector> plain = http::plain_connector()) noexcept
        : plain_(std::move(plain)) {}
    Future<std::unique_ptr<net::ByteStream>> connect(const http::Url& url,
                                                     http::Timing& timing) override {
        if (url.is_secure()) throw http::ClientError(why);
        co_return co_await plain_->connect(url, timing);
    }

private:
    const std::unique_ptr<http::Connector> plain_;
};

}  // namespace

std::unique_ptr<http::Connector> make_connector(const Trust& /*trust*/) {
    return std::make_unique<NoTls>();
}

Encrypt make_encryption(const ServerFiles& /*files*/) {
    throw std::runtime_error(why);
}

std::unique_ptr<http::Connector> make_connector_of(const std::string& /*authorities*/,
                                                   std::unique_ptr<http::Connector> plain) {
    return std::make_unique<NoTls>(std::move(plain));
}

std::shared_ptr<void> encrypt_with(http::Server& /*server*/, const std::string& /*certificate*/,
                                   const std::string& /*key*/) {
    throw std::runtime_error(why);
}

std::vector<std::byte> make_ticket_key() {
    throw std::runtime_error(why);
}

}  // namespace gyre::cli
