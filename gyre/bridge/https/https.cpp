// SPDX-License-Identifier: Apache-2.0
#include "gyre/bridge/https/https.hpp"

#include <optional>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/tls/connection.hpp"

namespace gyre::tls {
namespace {

class HttpsConnector final : public http::Connector {
public:
    HttpsConnector(ClientOptions options, std::unique_ptr<http::Connector> plain)
        : options_(std::move(options)), plain_(std::move(plain)) {
        if (options_.protocols.empty()) options_.protocols = {"http/1.1"};
    }

    Future<std::unique_ptr<net::ByteStream>> connect(const http::Url& url,
                                                     http::Timing& timing) override {
        if (!url.is_secure()) co_return co_await plain_->connect(url, timing);
        if (!context_) context_.emplace(options_);
        http::Url below_url = url;
        below_url.scheme = "http";
        std::unique_ptr<net::ByteStream> below = co_await plain_->connect(below_url, timing);
        auto stream = co_await tls::connect(*context_, std::move(below), url.host);
        const Task& task = co_await this_task();
        timing.secured = task.executor().now();
        co_return stream;
    }

private:
    ClientOptions options_;
    std::unique_ptr<http::Connector> plain_;
    std::optional<Context> context_;
};

Future<std::unique_ptr<net::ByteStream>> accept_encrypted(Context& context, net::Connection below) {
    co_return co_await accept(context, std::move(below));
}

}  // namespace

std::unique_ptr<http::Connector> https_connector(ClientOptions options,
                                                 std::unique_ptr<http::Connector> plain) {
    return std::make_unique<HttpsConnector>(std::move(options), std::move(plain));
}

void encrypt(http::Server& server, Context& context) {
    GYRE_ASSERT(context.is_server(), "a server encrypts with the context of a server");
    server.over(
        [&context](net::Connection below) { return accept_encrypted(context, std::move(below)); });
}

}  // namespace gyre::tls
