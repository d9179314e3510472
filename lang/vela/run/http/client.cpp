// SPDX-License-Identifier: Apache-2.0
// HttpClient: the client of gyre, which opens connections only where the program may.
#include <utility>

#include "gyre/base/failure.hpp"
#include "lang/vela/run/http/internal/http_things.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

// Asked for each connection, so that a redirect leads out of the sandbox no more than a request.
class PermittedConnector final : public http::Connector {
public:
    explicit PermittedConnector(const Permissions* permissions) noexcept
        : permissions_(permissions) {}
    Future<std::unique_ptr<net::ByteStream>> connect(const http::Url& url,
                                                     http::Timing& timing) override {
        check_permitted(permissions_, url.host, url.port);
        return plain_->connect(url, timing);
    }

private:
    const Permissions* const permissions_;
    const std::unique_ptr<http::Connector> plain_ = http::plain_connector();
};

}  // namespace

void check_permitted(const Permissions* permissions, const std::string& host, std::uint16_t port) {
    if (permissions == nullptr || permissions->allows_host(host, port)) return;
    const std::string place = concat(host, ":", std::to_string(port));
    throw Failure(concat(place, " is not permitted: --allow net=", place));
}

http::Client& ClientThing::client(Vm& vm) {
    if (!made) {
        std::unique_ptr<http::Connector> connector =
            std::make_unique<PermittedConnector>(vm.host.permissions());
        if (support.connector) connector = support.connector(authorities, std::move(connector));
        made.emplace(http::ClientOptions(), std::move(connector));
    }
    return *made;
}

void ClientThing::trust(Vm& vm, std::string pem) {
    if (made) vm.fail("Error", "trust() comes before the first request");
    authorities = std::move(pem);
}

}  // namespace gyre::vela::vm
