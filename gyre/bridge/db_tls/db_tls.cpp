// SPDX-License-Identifier: Apache-2.0
#include "gyre/bridge/db_tls/db_tls.hpp"

#include <optional>
#include <string>
#include <utility>

#include "gyre/tls/connection.hpp"

namespace gyre::tls {
namespace {

class TlsEncryption final : public db::Encryption {
public:
    explicit TlsEncryption(ClientOptions options) : options_(std::move(options)) {}

    Future<std::unique_ptr<net::ByteStream>> secure(net::Connection below, std::string host,
                                                    bool verifies) override {
        std::optional<Context>& context = verifies ? verifying_ : trusting_;
        if (!context) {
            ClientOptions options = options_;
            options.verifies = verifies;
            context.emplace(std::move(options));
        }
        co_return co_await tls::connect(*context, std::move(below), std::move(host));
    }

private:
    const ClientOptions options_;
    std::optional<Context> verifying_;
    std::optional<Context> trusting_;
};

}  // namespace

std::shared_ptr<db::Encryption> tls_encryption(ClientOptions options) {
    return std::make_shared<TlsEncryption>(std::move(options));
}

}  // namespace gyre::tls
