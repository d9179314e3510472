// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/http/internal/http_client_ops.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/http/message.hpp"
#include "gyre/http/url.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/cancel.hpp"
#include "lang/wasm/detail/records.hpp"

namespace gyre::wasm {

using effect::Answer;
using effect::Arguments;
using effect::tail;
using effect::Value;

namespace {

constexpr std::int64_t redirect_count_default = 20;
constexpr std::int64_t redirect_count_max = 100;

Value response_value(int status, std::span<const http::OwnField> fields, std::string_view body) {
    return record({{"status", status},
                   {"reason", http::reason_of(status)},
                   {"headers", header_values(fields)},
                   {"body", Value(blob_of(body))}});
}
Answer client_failure(HttpCode code, std::string message) {
    Value no_response = record({{"status", 500},
                                {"reason", ""},
                                {"headers", Value(Value::List{})},
                                {"body", Value(Value::Blob{})}});
    return tail(http_failure(code, std::move(message), std::move(no_response)));
}

bool is_redirect(int status) noexcept {
    constexpr std::array statuses = {301, 302, 303, 307, 308};
    return std::ranges::find(statuses, status) != statuses.end();
}

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
    return std::ranges::find(names, in_lower_case(name)) != names.end();
}
bool has_secret(std::string_view name) {
    constexpr std::array<std::string_view, 4> names = {"authorization", "cookie", "cookie2",
                                                       "proxy-authorization"};
    return is_one_of(name, names);
}
bool describes_body(std::string_view name) {
    return in_lower_case(name).starts_with("content-");
}
// Written by the client itself.
bool is_of_client(std::string_view name) {
    constexpr std::array<std::string_view, 4> names = {"content-length", "transfer-encoding",
                                                       "connection", "host"};
    return is_one_of(name, names);
}

}  // namespace

struct HttpClientOps::Wanted {
    enum class Redirects : std::uint8_t { follow, manual, error };
    std::string method = "GET";
    std::string url;
    HeaderList headers;
    std::string body;
    Duration time_limit{0};  // 0: none
    Redirects redirects = Redirects::follow;
    std::int64_t redirect_max = redirect_count_default;
};

HttpClientOps::HttpClientOps(NetPermissions permissions, std::unique_ptr<http::Connector> connector,
                             std::size_t body_max_bytes)
    : permissions_(std::move(permissions)),
      client_(
          [&] {
              http::ClientOptions options;
              options.limits.body_bytes_max = body_max_bytes;
              options.redirect_count_max = 0;
              return options;
          }(),
          connector != nullptr ? std::move(connector) : http::plain_connector()) {}

HttpClientOps::Wanted HttpClientOps::read_request(const Arguments& arguments) {
    const Value& from = argument(arguments, Value::Kind::record);
    Wanted wanted;
    wanted.url = text_field(from, "url");
    if (const std::string& method = text_field(from, "method"); !method.empty()) {
        wanted.method = method;
    }
    wanted.headers = read_headers(field(from, "headers", Value::Kind::list));
    std::erase_if(wanted.headers, [](const auto& one) { return is_of_client(one.first); });
    const bool has_body = wanted.method != "GET" && wanted.method != "HEAD";
    if (has_body) wanted.body = bytes_field(from, "body");
    const std::int64_t limit_ms = optional_integer(from, "timeout_millis").value_or(0);
    wanted.time_limit = std::chrono::milliseconds(std::clamp<std::int64_t>(limit_ms, 0, INT32_MAX));
    const Value* policy = optional_field(from, "redirect_policy", Value::Kind::record);
    if (policy == nullptr) return wanted;
    const std::string& kind = text_field(*policy, "kind");
    wanted.redirects = kind == "manual"  ? Wanted::Redirects::manual
                       : kind == "error" ? Wanted::Redirects::error
                                         : Wanted::Redirects::follow;
    const auto most = optional_integer(*policy, "max_redirects").value_or(redirect_count_default);
    wanted.redirect_max = std::clamp<std::int64_t>(most, 0, redirect_count_max);
    return wanted;
}

Future<http::ClientResponse> HttpClientOps::follow(Wanted wanted) {
    for (std::int64_t count = 0;; ++count) {
        const auto url = http::parse_url(wanted.url);
        if (!url) {
            throw Failure("cannot fetch '" + wanted.url + "': " + std::string(url.error().what));
        }
        permissions_.check(url->host, url->port);
        http::ClientRequest request(wanted.method, wanted.url, wanted.body);
        request.fields = wanted.headers;
        http::ClientResponse response = co_await client_.fetch(std::move(request));
        const std::string location(response.field("location"));
        const bool leads_on = is_redirect(response.status) && !location.empty();
        if (!leads_on || wanted.redirects == Wanted::Redirects::manual) co_return response;
        if (wanted.redirects == Wanted::Redirects::error) {
            throw Failure("the response is a redirect to " + location);
        }
        if (count >= wanted.redirect_max) {
            throw Failure("http redirect limit exceeded (" + std::to_string(wanted.redirect_max) +
                          ")");
        }
        const auto next = http::resolve_url(*url, location);
        if (!next) throw Failure("invalid redirect location: " + location);
        const bool drops_body =
            (response.status == 303 && wanted.method != "HEAD") ||
            ((response.status == 301 || response.status == 302) && wanted.method == "POST");
        const bool is_same_origin =
            next->scheme == url->scheme && next->host == url->host && next->port == url->port;
        std::erase_if(wanted.headers, [&](const auto& one) {
            return (drops_body && describes_body(one.first)) ||
                   (!is_same_origin && has_secret(one.first));
        });
        if (drops_body) {
            wanted.method = "GET";
            wanted.body.clear();
        }
        wanted.url = next->text();
    }
}

Future<Answer> HttpClientOps::request(Arguments arguments) {
    try {
        Wanted wanted = read_request(arguments);
        const Duration limit = wanted.time_limit;
        http::ClientResponse response;
        if (limit > Duration(0)) {
            response = co_await timeout(follow(std::move(wanted)), limit);
        } else {
            response = co_await follow(std::move(wanted));
        }
        Value value = response_value(response.status, response.fields, response.body);
        co_return tail(http_result(std::move(value)));
    } catch (const TimeoutError&) {
        co_return client_failure(HttpCode::timed_out, "fetch request timed out or was aborted");
    } catch (const http::MessageRefused& refused) {
        const bool is_large = refused.why() == http::Refusal::body_bytes_over_limit;
        co_return client_failure(
            HttpCode::failed,
            is_large ? "the response has more than body_max_bytes (" +
                           std::to_string(client_.options().limits.body_bytes_max) + ")"
                     : refused.what());
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        co_return client_failure(HttpCode::failed, error.what());
    }
}

}  // namespace gyre::wasm
