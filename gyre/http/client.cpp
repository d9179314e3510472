// SPDX-License-Identifier: Apache-2.0
// Connections, retries, redirects and decoding. internal/connection_pool.cpp keeps connections.
#include "gyre/http/client.hpp"

#include <algorithm>
#include <system_error>

#include "gyre/base/assert.hpp"
#include "gyre/http/internal/characters.hpp"
#include "gyre/http/internal/client_connection.hpp"
#include "gyre/http/internal/connection_pool.hpp"
#include "gyre/http/internal/gzip.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/sync/semaphore.hpp"

namespace gyre::http {
namespace {

constexpr bool is_redirect(int status) noexcept {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// The body of a redirect is skipped up to this size, so that its connection can be reused.
constexpr std::size_t skipped_bytes_max = std::size_t{64} << 10U;

std::string key_of(const Url& url) {
    return url.scheme + "://" + url.authority();
}

// RFC 9110 15.4: rewrites the request for the new location.
void follow(ClientRequest& request, int status, const Url& from, const Url& to) {
    const bool becomes_get = status == 303
                                 ? request.method != "HEAD"
                                 : (status == 301 || status == 302) && request.method == "POST";
    if (becomes_get) {
        request.method = "GET";
        request.body.clear();
        std::erase_if(request.fields, [](const OwnField& field) {
            return same_word(field.first, "content-type") ||
                   same_word(field.first, "content-encoding");
        });
    }
    if (key_of(from) == key_of(to)) return;
    // Credentials for one host are not sent to another.
    std::erase_if(request.fields, [](const OwnField& field) {
        return same_word(field.first, "authorization") || same_word(field.first, "cookie") ||
               same_word(field.first, "host") || same_word(field.first, "proxy-authorization");
    });
}

}  // namespace

struct Incoming::Decoding {
    GunzipStream gunzip;
    std::string_view coded = {};  // what is left of the last piece
    std::string piece = {};
    GunzipStream::State state = GunzipStream::State::more;
};

Client::Client(ClientOptions options, std::unique_ptr<Connector> connector)
    : options_(options),
      connector_(std::move(connector)),
      pool_(std::make_shared<ConnectionPool>(options_)) {
    GYRE_ASSERT(connector_ != nullptr, "a Client got a null Connector: leave the argument out");
    GYRE_ASSERT(options_.connections_per_host_max > 0,
                "connections_per_host_max is 0: every request would wait forever");
}

Client::~Client() = default;

std::size_t Client::kept_count() const noexcept {
    return pool_->kept_count();
}

Future<std::unique_ptr<ClientConnection>> Client::connection_to(const Url& url, Timing& timing,
                                                                bool is_fresh) {
    Task& task = co_await this_task();
    const std::string key = key_of(url);
    timing.named = timing.connected = timing.secured = task.executor().now();
    Permits permit = co_await pool_->permit_for(key);
    if (is_fresh) pool_->drop_all_of(key);
    if (auto kept = co_await pool_->take(key)) {
        kept->permit = std::move(permit);
        co_return kept;
    }
    std::unique_ptr<net::ByteStream> stream;
    const Duration limit = options_.timeouts.connect;
    bool is_late = false;
    try {
        stream = co_await timeout(connector_->connect(url, timing), limit);
    } catch (const TimeoutError&) {
        is_late = true;
    }
    if (is_late) throw too_late("no connection to " + key, "connect", limit);
    GYRE_ASSERT(stream != nullptr, "a Connector returned a null stream: throw an error instead");
    co_return std::make_unique<ClientConnection>(std::move(stream), options_, key,
                                                 std::move(permit), task.executor());
}

void Client::give_back(std::unique_ptr<ClientConnection> connection) {
    Executor& executor = connection->executor();
    // Not while the executor is destroyed with its tasks.
    if (executor.current() == nullptr || !connection->is_reusable()) return;
    pool_->keep(std::move(connection), executor);
}

Future<Incoming> Client::ask(const Url& url, const std::shared_ptr<ClientRequest>& request,
                             Instant deadline) {
    const Task& task = co_await this_task();
    const bool takes_gzip = options_.decodes_gzip && is_gzip_available();
    const bool may_repeat =
        options_.retries && is_idempotent(method_of(request->method)) && !request->pieces;
    Timing timing;
    timing.started = task.executor().now();
    for (bool is_fresh = false;;) {
        auto connection = co_await connection_to(url, timing, is_fresh);
        std::exception_ptr failure;
        bool is_late = false;
        try {
            co_await connection->exchange(url, request, takes_gzip, deadline);
        } catch (const std::system_error& error) {
            failure = std::current_exception();
            is_late = error.code() == std::errc::timed_out;
        }
        if (failure == nullptr) {
            timing.first_byte = task.executor().now();
            co_return Incoming(*this, std::move(connection), url, timing);
        }
        const bool tries_again =
            may_repeat && connection->was_kept && !connection->has_received() && !is_late;
        if (!tries_again) std::rethrow_exception(failure);
        is_fresh = true;
    }
}

Future<Incoming> Client::open(ClientRequest given) {
    // A running upload shares the request.
    const auto request = std::make_shared<ClientRequest>(std::move(given));
    auto parsed = parse_url(request->url);
    if (!parsed) throw ClientError(request->url + ": " + std::string(parsed.error().what));
    Url url = *parsed;
    const Task& task = co_await this_task();
    const Instant deadline = task.executor().now() + options_.timeouts.whole;
    for (std::size_t redirect_count = 0;; ++redirect_count) {
        Incoming incoming = co_await ask(url, request, deadline);
        const bool leads_on =
            is_redirect(incoming.status()) && incoming.head().fields.has("location");
        if (!leads_on || options_.redirect_count_max == 0 || request->pieces) co_return incoming;
        if (redirect_count == options_.redirect_count_max) {
            throw ClientError(request->url + " leads on more often than redirect_count_max, " +
                              std::to_string(redirect_count));
        }
        const auto next = resolve_url(url, incoming.field("location"));
        if (!next) throw ClientError("a redirect to " + std::string(next.error().what));
        if (url.is_secure() && !next->is_secure()) {
            throw ClientError(url.text() + " leads from https to http: " + next->text());
        }
        follow(*request, incoming.status(), url, *next);
        for (std::size_t size = 0; size < skipped_bytes_max;) {
            const std::string_view piece = co_await incoming.read();
            if (piece.empty()) break;
            size += piece.size();
        }
        url = *next;
    }
}

Future<ClientResponse> Client::fetch(ClientRequest request) {
    Incoming incoming = co_await open(std::move(request));
    ClientResponse answer;
    answer.status = incoming.status();
    for (const Field& field : incoming.head().fields) {
        answer.fields.emplace_back(field.name, field.value);
    }
    answer.url = incoming.url().text();
    answer.timing = incoming.timing();
    answer.body = co_await incoming.text();
    co_return answer;
}

Incoming::Incoming(Client& client, std::unique_ptr<ClientConnection> connection, Url url,
                   const Timing& timing)
    : client_(&client), connection_(std::move(connection)), url_(std::move(url)), timing_(timing) {
    if (client_->options_.decodes_gzip && is_gzip_available() && !connection_->is_complete() &&
        same_word(field("content-encoding"), "gzip")) {
        decoding_ = std::make_unique<Decoding>(
            Decoding{.gunzip = GunzipStream(client_->options_.limits.body_bytes_max)});
    }
}

Incoming::Incoming(Incoming&&) noexcept = default;
Incoming& Incoming::operator=(Incoming&&) noexcept = default;

Incoming::~Incoming() {
    if (connection_ != nullptr) client_->give_back(std::move(connection_));
}

const ResponseHead& Incoming::head() const noexcept {
    GYRE_ASSERT(connection_ != nullptr, "an Incoming is used after it was moved from");
    return connection_->head();
}

Future<std::string_view> Incoming::read() {
    GYRE_ASSERT(connection_ != nullptr, "an Incoming is read after it was moved from");
    return decoding_ ? read_decoded() : connection_->read_body();
}

// One bounded piece of decoded bytes at a time, however much the coded ones grow.
Future<std::string_view> Incoming::read_decoded() {
    using State = GunzipStream::State;
    Decoding& decoding = *decoding_;
    decoding.piece.clear();
    while (decoding.piece.empty()) {
        if (decoding.coded.empty() && decoding.state != State::full) {
            decoding.coded = co_await connection_->read_body();
            if (decoding.coded.empty()) {
                if (decoding.state != State::complete) throw MessageRefused(Refusal::early_end);
                break;
            }
        }
        decoding.state = decoding.gunzip.decode(decoding.coded, decoding.piece);
        if (decoding.state == State::malformed) throw ClientError("the body is not valid gzip");
        if (decoding.state == State::over_limit) {
            throw MessageRefused(Refusal::body_bytes_over_limit);
        }
    }
    co_return decoding.piece;
}

Future<std::string> Incoming::text() {
    std::string result;
    for (;;) {
        const std::string_view piece = co_await read();
        if (piece.empty()) break;
        result += piece;
    }
    co_return result;
}

std::string_view ClientResponse::field(std::string_view name) const noexcept {
    for (const auto& [known, value] : fields) {
        if (same_word(known, name)) return value;
    }
    return {};
}

}  // namespace gyre::http
