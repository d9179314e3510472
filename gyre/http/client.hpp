// SPDX-License-Identifier: Apache-2.0
// Client: HTTP/1.1 over whatever its Connector gives. Keeps connections for the next request to the
// same host, follows redirects, decodes gzip, tries again where that is safe. It belongs to one
// loop's thread and outlives the requests it makes.
//
//     http::Client client;
//     http::Answer answer = co_await timeout(client.fetch({.url = "http://127.0.0.1:8080/"}), 5s);
//
//     http::Incoming incoming = co_await client.open({.url = url});      // in pieces
//     for (;;) {
//         const std::string_view piece = co_await incoming.read();
//         if (piece.empty()) break;
//     }
//
// A request that is cancelled, or an Incoming that is dropped before its end, closes its
// connection. While a large body is sent its answer is read: one that does not want it (a status
// from 300 on) ends the sending. With any other the sending goes on beside the reading; it ends
// with the answer's last piece, which waits for it, or where the server closes.
//
// What fails throws: std::system_error for the network, MessageRefused for an answer that is
// malformed or over a limit, ClientError for the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/http/limits.hpp"
#include "gyre/http/message.hpp"
#include "gyre/http/message_refused.hpp"
#include "gyre/http/url.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/net/byte_stream.hpp"
#include "gyre/task/future.hpp"

namespace gyre::http {

class Client;
class ClientConnection;

class ClientError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// When the parts of a request were done; a part that was not needed has the time of the one before.
struct Timing {
    Instant started;
    Instant named;      // the host's address is known
    Instant connected;  // to that address
    Instant secured;    // the connection is encrypted
    Instant first_byte;
};

// Where connections come from: the seam for names and for encryption.
class Connector {
public:
    virtual ~Connector() = default;
    // Sets what it knows of the timing. Cancel class: did nothing.
    [[nodiscard]] virtual Future<std::unique_ptr<net::ByteStream>> connect(const Url& url,
                                                                           Timing& timing) = 0;
};
// TCP to names and numeric addresses; refuses https.
[[nodiscard]] std::unique_ptr<Connector> plain_connector();

using OwnField = std::pair<std::string, std::string>;

struct ClientRequest {
    std::string method = "GET";
    std::string url;
    std::vector<OwnField> fields = {};
    std::string body = {};
    // Instead of `body`, in pieces; an empty one is the end. Such a request is made once: never
    // again, and not at another place. It is asked from a task of its own, which ends with the
    // answer; where an Incoming is dropped before that, it is cancelled, and ends soon after.
    std::move_only_function<Future<std::string_view>()> pieces = nullptr;
};

struct ClientOptions {
    Limits limits = {.body_bytes_max = std::uint64_t{1} << 30U};
    std::size_t redirect_count_max = 10;  // 0: none is followed
    // A connection that was kept may have been closed by the other side in the meantime: a request
    // that may be made twice is then made on a new one.
    bool retries = true;
    bool decodes_gzip = true;
    // To one host, in use at once; more requests wait for one of them.
    std::size_t connections_per_host_max = 32;
    std::size_t kept_per_host_max = 8;
    Duration kept_for = std::chrono::seconds(30);
    std::size_t kept_hosts_max = 256;
};

// An answer on its way. When it goes, having been read to its end, its connection is kept.
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

    // The next piece of the body, decoded; empty at its end. The view lasts until the next call.
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

// A whole answer, with texts of its own.
struct Answer {
    int status = 0;
    std::vector<OwnField> fields;
    std::string body;
    std::string url;
    Timing timing;
    // The first of that name; empty where there is none.
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
    [[nodiscard]] Future<Answer> fetch(ClientRequest request);
    [[nodiscard]] const ClientOptions& options() const noexcept { return options_; }
    // Connections that wait for another request.
    [[nodiscard]] std::size_t kept_count() const noexcept;

private:
    friend class Incoming;
    struct Host;

    [[nodiscard]] Future<Incoming> ask(const Url& url,
                                       const std::shared_ptr<ClientRequest>& request);
    [[nodiscard]] Future<std::unique_ptr<ClientConnection>> connection_to(const Url& url,
                                                                          Timing& timing,
                                                                          bool is_fresh);
    void give_back(std::unique_ptr<ClientConnection> connection);
    [[nodiscard]] Host& host_of(const std::string& key);

    ClientOptions options_;
    std::unique_ptr<Connector> connector_;
    std::map<std::string, std::unique_ptr<Host>> hosts_;
};

}  // namespace gyre::http
