// SPDX-License-Identifier: Apache-2.0
// Client: an HTTP/1.1 client with a connection pool. Follows redirects, decodes gzip, retries where
// that is safe.
//
//     http::Client client;
//     http::ClientResponse answer = co_await timeout(client.fetch("http://127.0.0.1:8080/"), 5s);
//
//     http::Incoming incoming = co_await client.open(answer.url);  // streamed
//     std::string_view piece;
//     do {
//         piece = co_await incoming.read();
//         std::fwrite(piece.data(), 1, piece.size(), stdout);
//     } while (!piece.empty());
//
// Thread: one loop's thread.
// Lifetime: outlives the futures of its members and every Incoming.
// Cancel: a cancelled request, or an Incoming destroyed before its end, closes its connection.
//
// The response is read while a large body is still being sent. A status of 300 or above ends the
// sending; else it continues beside the reading, and the last piece of the response waits for it.
//
// Errors: std::system_error of the network and of time limits, MessageRefused for a response that is malformed or
// exceeds a limit, ClientError for everything else.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/base/failure.hpp"
#include "gyre/http/message.hpp"
#include "gyre/http/refusal.hpp"
#include "gyre/http/url.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/net/byte_stream.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre::http {

class Client;
class ClientConnection;
class ConnectionPool;

class ClientError : public Failure {
public:
    using Failure::Failure;
};

// When each step of a request was done; a skipped step has the time of the step before.
struct Timing {
    Instant started;
    Instant named;      // the name is resolved
    Instant connected;  // TCP
    Instant secured;    // TLS
    Instant first_byte;
};

// Opens connections; replace it for TLS (gyre/bridge/https) or in tests.
class Connector {
public:
    virtual ~Connector() = default;
    // Fills in `named`, `connected` and `secured`. Cancel class: did nothing.
    [[nodiscard]] virtual Future<std::unique_ptr<net::ByteStream>> connect(const Url& url,
                                                                           Timing& timing) = 0;
};
// TCP to names and numeric addresses; throws for https.
[[nodiscard]] std::unique_ptr<Connector> plain_connector();

using OwnField = std::pair<std::string, std::string>;

// Constructors and no braces with names, which g++ 12 destroys twice inside a co_await; the rest is
// set by name:
//
//     http::ClientRequest upload("PUT", url, text);
//     upload.fields = {{"Content-Type", "text/plain"}};
struct ClientRequest {
    ClientRequest(std::string to) : url(std::move(to)) {}
    ClientRequest(const char* to) : url(to) {}
    ClientRequest(std::string how, std::string to, std::string sent = {})
        : method(std::move(how)), url(std::move(to)), body(std::move(sent)) {}

    std::string method = "GET";
    std::string url;
    std::vector<OwnField> fields;
    std::string body;
    // A streamed body instead of `body`; an empty piece is the end. Such a request is neither
    // retried nor redirected. It is called from a task of its own, which ends with the response; if
    // the Incoming is destroyed before, that task is cancelled.
    std::move_only_function<Future<std::string_view>()> pieces = nullptr;
};

// A request that exceeds one of these fails with the code std::errc::timed_out.
struct ClientTimeouts {
    // The name, TCP and TLS.
    Duration connect = std::chrono::seconds(30);
    // From the sent request to the head of the response. A body that is still being sent extends it
    // as long as bytes of it leave.
    Duration head = std::chrono::minutes(1);
    // Between two pieces of the body.
    Duration read = std::chrono::minutes(1);
    // From the start of the request, redirects included, to the end of the body.
    Duration whole = std::chrono::hours(1);
};

struct ClientOptions {
    Limits limits = {.body_bytes_max = std::uint64_t{1} << 30U};
    ClientTimeouts timeouts = {};
    // Interim responses (1xx) before the final one.
    std::size_t interim_count_max = 16;
    std::size_t redirect_count_max = 10;  // 0: redirects are not followed
    // A pooled connection may have been closed by the server meanwhile: an idempotent request is
    // then sent again on a new connection.
    bool retries = true;
    bool decodes_gzip = true;
    // Concurrent connections to one host; further requests wait.
    std::size_t connections_per_host_max = 32;
    // Idle connections; the one used longest ago makes room for another. One that the server closes,
    // or sends bytes on, leaves the pool at once.
    std::size_t kept_per_host_max = 8;
    Duration kept_for = std::chrono::seconds(30);
    std::size_t kept_hosts_max = 256;
};

// A response whose body is streamed. When it was read to its end, the destructor returns its
// connection to the pool.
class Incoming {
public:
    Incoming(Incoming&&) noexcept;
    Incoming& operator=(Incoming&&) noexcept;
    ~Incoming();

    [[nodiscard]] const ResponseHead& head() const noexcept;
    [[nodiscard]] int status() const noexcept { return head().status; }
    [[nodiscard]] std::string_view field(std::string_view name) const noexcept {
        return head().fields.get(name);
    }
    // After redirects.
    [[nodiscard]] const Url& url() const noexcept { return url_; }
    [[nodiscard]] const Timing& timing() const noexcept { return timing_; }

    // The next piece of the body, decoded; empty at its end. The view is valid until the next call.
    // Cancel class: did nothing.
    [[nodiscard]] Future<std::string_view> read();
    [[nodiscard]] Future<std::string> text();

private:
    friend class Client;
    struct Decoding;

    Incoming(Client& client, std::unique_ptr<ClientConnection> connection, Url url,
             const Timing& timing);
    [[nodiscard]] Future<std::string_view> read_decoded();

    Client* client_;
    std::unique_ptr<ClientConnection> connection_;
    Url url_;
    Timing timing_;
    std::unique_ptr<Decoding> decoding_;
};

// A whole response, which owns its texts.
struct ClientResponse {
    int status = 0;
    std::vector<OwnField> fields;
    std::string body;
    std::string url;
    Timing timing;
    // The first field of this name; empty if there is none.
    [[nodiscard]] std::string_view field(std::string_view name) const noexcept;
};

class Client {
public:
    explicit Client(ClientOptions options = {},
                    std::unique_ptr<Connector> connector = plain_connector());
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    [[nodiscard]] Future<Incoming> open(ClientRequest request);
    [[nodiscard]] Future<ClientResponse> fetch(ClientRequest request);
    [[nodiscard]] const ClientOptions& options() const noexcept { return options_; }
    // Idle connections in the pool.
    [[nodiscard]] std::size_t kept_count() const noexcept;

private:
    friend class Incoming;

    [[nodiscard]] Future<Incoming> ask(const Url& url,
                                       const std::shared_ptr<ClientRequest>& request,
                                       Instant deadline);
    [[nodiscard]] Future<std::unique_ptr<ClientConnection>> connection_to(const Url& url,
                                                                          Timing& timing,
                                                                          bool is_fresh);
    void give_back(std::unique_ptr<ClientConnection> connection);

    const ClientOptions options_;
    std::unique_ptr<Connector> connector_;
    std::shared_ptr<ConnectionPool> pool_;  // shared with nobody; tasks know it weakly
};

}  // namespace gyre::http
