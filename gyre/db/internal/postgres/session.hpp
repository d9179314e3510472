// SPDX-License-Identifier: Apache-2.0
// Session: the protocol of an established connection as a state machine between two buffers: requests
// become bytes to send, received bytes become answers. Requests are pipelined: each is sent at once, and
// answers come in order. It does no I/O. One loop's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "gyre/db/detail/limits.hpp"
#include "gyre/db/detail/link.hpp"
#include "gyre/db/internal/postgres/exchange.hpp"
#include "gyre/db/internal/postgres/frames.hpp"

namespace gyre::db::postgres {

class Session {
public:
    explicit Session(const Limits& limits);

    // Each puts a request behind the others. A DbError (limit) if more than pipelined_max wait.
    std::shared_ptr<Exchange> prepare(std::string_view sql);
    // Throws a DbError (mismatch) if the values do not fit the statement; nothing is sent then.
    std::shared_ptr<Exchange> run(const std::shared_ptr<Statement>& statement,
                                  const Values& values);
    // The statement once for each of the values, with one Sync: all take effect, or none.
    std::shared_ptr<Exchange> batch(const std::shared_ptr<Statement>& statement,
                                    const std::vector<Values>& values);
    std::shared_ptr<Exchange> script(std::string_view sql,
                                     Exchange::Kind kind = Exchange::Kind::script);

    // The statement of this text, if it is kept here; null: prepare it, then keep it. The one used
    // longest ago makes room beyond statements_max.
    [[nodiscard]] std::shared_ptr<Statement> kept(std::string_view sql);
    void keep(std::string_view sql, std::shared_ptr<Statement> statement);
    void forget(std::string_view sql);

    [[nodiscard]] std::string& output() noexcept { return output_; }
    [[nodiscard]] FrameReader& input() noexcept { return input_; }
    // Takes the whole messages that are there, up to a stream that is full. Throws a DbError for what
    // a server may not send; call `fail` then.
    void process();
    // Every request that waits fails with it.
    void fail(const std::exception_ptr& error);

    [[nodiscard]] std::size_t pending_count() const noexcept { return pending_.size(); }
    [[nodiscard]] bool is_first(const Exchange& exchange) const noexcept {
        return !pending_.empty() && pending_.front().get() == &exchange;
    }
    // Whether no harm is done if a signal meant for the first request meets one behind it.
    [[nodiscard]] bool is_repeatable_behind_first() const noexcept;
    // The one who cancels the first request looks again whether it may.
    void wake_first() noexcept;
    // A stream has as many rows as it may hold: nothing is to be read until they are taken.
    [[nodiscard]] bool is_paused() const noexcept {
        return !pending_.empty() && pending_.front()->is_full();
    }
    [[nodiscard]] bool is_in_transaction() const noexcept { return status_ != 'I'; }
    [[nodiscard]] bool has_failed_transaction() const noexcept { return status_ == 'E'; }
    [[nodiscard]] std::deque<Notification>& notifications() noexcept { return notifications_; }
    [[nodiscard]] std::size_t kept_count() const noexcept { return statements_.size(); }
    // Set when a notification came, or the session failed.
    Event notified;

private:
    struct Kept {
        std::string sql;
        std::shared_ptr<Statement> statement;
    };

    [[nodiscard]] std::shared_ptr<Exchange> add(Exchange::Kind kind,
                                                std::shared_ptr<Statement> statement = nullptr);
    [[nodiscard]] bool take_unasked(const Frame& frame);
    void take_ready(const Frame& frame);
    void append_bind(const Statement& statement, const Values& values);
    void close_statement(const Statement& statement);
    void check_room() const;

    const Limits& limits_;
    std::string output_;
    FrameReader input_;
    std::deque<std::shared_ptr<Exchange>> pending_;
    // The one used last is at the front; the map has views of the texts in the list.
    std::list<Kept> statements_;
    std::unordered_map<std::string_view, std::list<Kept>::iterator> by_sql_;
    std::deque<Notification> notifications_;
    std::uint64_t named_count_ = 0;
    char status_ = 'I';
};

}  // namespace gyre::db::postgres
