// SPDX-License-Identifier: Apache-2.0
// PendingRequest: a request that a module has to answer. Only the task of its connection touches request and response;
// the module's ops give it orders, one after another, and wait for their end. The scheduler's thread.
//
//   an op:    give ──▶ waits ─────────────────────▶ the order's result
//   the task:     next ──▶ carries out ──▶ finish ──▶ next … until it has answered, or nobody gives an order in time
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "gyre/effect/guest.hpp"
#include "gyre/http/request.hpp"
#include "gyre/http/response.hpp"
#include "gyre/task/core/future.hpp"
#include "gyre/task/sync/event.hpp"
#include "lang/wasm/http/internal/http_values.hpp"

namespace gyre::wasm {

struct ResponseHead {
    int status = 200;
    HeaderList headers;
};

// What an op asks of the connection's task, and how it went.
struct HttpOrder {
    enum class Kind : std::uint8_t { respond, start, write, finish, read };
    explicit HttpOrder(Kind of_kind) : kind(of_kind) {}

    const Kind kind;
    ResponseHead head;
    std::string bytes;     // to write; what was read
    bool is_last = false;  // nothing is left to read
    Event ended;
    HttpCode code = HttpCode::fine;
    std::string failure;

    void fail(HttpCode with, std::string why) {
        code = with;
        failure = std::move(why);
        ended.set();
    }
};

class PendingRequest {
public:
    struct Owner {
        std::int32_t server = 0;
        effect::RunId run = 0;
    };
    PendingRequest(std::int32_t id, Owner owner, http::Request& request,
                   http::Response& response) noexcept
        : id_(id), owner_(owner), request_(request), response_(response) {}

    [[nodiscard]] std::int32_t id() const noexcept { return id_; }
    [[nodiscard]] effect::RunId run() const noexcept { return owner_.run; }
    [[nodiscard]] std::int32_t server() const noexcept { return owner_.server; }
    // The record that accept_raw answers with.
    [[nodiscard]] effect::Value to_value(std::string_view body, bool is_streamed) const;

    // For the module's ops. False: the request is over.
    [[nodiscard]] bool give(std::shared_ptr<HttpOrder> order);
    // The server closes: the response ends as it is, or with a status of its own.
    void close() noexcept;

    // For the connection's task: carries orders out until the response has ended. Each must come in this time.
    [[nodiscard]] Future<void> answer(Duration order_timeout);
    // No order is taken any more; those that wait fail.
    void end() noexcept;

private:
    [[nodiscard]] Future<std::shared_ptr<HttpOrder>> next();
    // True: the response has ended.
    [[nodiscard]] Future<bool> carry_out(HttpOrder& order);
    [[nodiscard]] Future<void> read_piece(HttpOrder& order);
    void set_head(const ResponseHead& head);
    void give_up(const char* why);

    const std::int32_t id_;
    const Owner owner_;
    http::Request& request_;
    http::Response& response_;
    std::deque<std::shared_ptr<HttpOrder>> orders_;
    Event changed_;
    std::string left_;  // of the body: read, and not yet asked for
    bool is_read_ = false;
    bool has_started_ = false;
    bool is_closing_ = false;
    bool is_over_ = false;
};

}  // namespace gyre::wasm
