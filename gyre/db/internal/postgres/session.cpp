// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/postgres/session.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/db/error.hpp"
#include "gyre/db/internal/postgres/server_error.hpp"

namespace gyre::db::postgres {

namespace {

void refuse_zero(std::string_view sql) {
    if (sql.contains('\0'))
        throw DbError(DbError::Kind::statement, "the statement has a zero byte inside");
}

// Of its first word; a comment before it counts as another word.
bool is_repeatable_text(std::string_view sql) {
    sql.remove_prefix(std::min(sql.find_first_not_of(" \t\r\n("), sql.size()));
    std::string word;
    for (const char letter : sql.substr(0, 8)) {
        if (letter < 'A' || letter > 'z') break;
        word += static_cast<char>(letter | 0x20);
    }
    static constexpr std::array<std::string_view, 7> words = {
        "select", "insert", "update", "delete", "merge", "with", "values"};
    return std::ranges::find(words, word) != words.end();
}

}  // namespace

Session::Session(const Limits& limits) : limits_(limits), input_(limits.message_bytes_max) {}

void Session::check_room() const {
    if (pending_.size() < limits_.pipelined_max) return;
    throw DbError(DbError::Kind::limit,
                  "more requests wait on one connection than pipelined_max = " +
                      std::to_string(limits_.pipelined_max));
}

std::shared_ptr<Exchange> Session::add(Exchange::Kind kind, std::shared_ptr<Statement> statement) {
    auto exchange = std::make_shared<Exchange>(kind, std::move(statement), limits_.rows_bytes_max);
    pending_.push_back(exchange);
    return exchange;
}

std::shared_ptr<Exchange> Session::prepare(std::string_view sql) {
    refuse_zero(sql);
    check_room();
    auto statement = std::make_shared<Statement>();
    statement->name = "gyre" + std::to_string(++named_count_);
    statement->is_repeatable = is_repeatable_text(sql);
    MessageWriter parse(output_, 'P');
    parse.text(statement->name).text(sql).number(std::int16_t{0}).end();
    MessageWriter describe(output_, 'D');
    describe.number('S').text(statement->name).end();
    MessageWriter(output_, 'S').end();
    return add(Exchange::Kind::prepare, std::move(statement));
}

void Session::append_bind(const Statement& statement, const Values& values) {
    if (values.size() != statement.parameters.size()) {
        throw DbError(DbError::Kind::mismatch,
                      "the statement has " + std::to_string(statement.parameters.size()) +
                          " parameters, and " + std::to_string(values.size()) + " were given");
    }
    // Written apart first: formats stand before values, and a value may be refused.
    std::string formats;
    std::string written;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t at = written.size();
        append_big_endian(written, std::int32_t{-1});
        Format format = Format::text;
        if (!values[i].is_null()) {
            format = append_parameter(written, values[i], statement.parameters[i], i + 1);
            const std::size_t size = written.size() - at - 4;
            if (size > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
                throw DbError(DbError::Kind::limit,
                              "parameter $" + std::to_string(i + 1) + " is over 2 GiB");
            }
            std::string length;
            append_big_endian(length, static_cast<std::int32_t>(size));
            written.replace(at, 4, length);
        }
        append_big_endian(formats, static_cast<std::int16_t>(format));
    }
    const auto count = static_cast<std::int16_t>(static_cast<std::uint16_t>(values.size()));
    MessageWriter bind(output_, 'B');
    bind.text("").text(statement.name).number(count).bytes(bytes_of(formats));
    bind.number(count).bytes(bytes_of(written));
    bind.number(static_cast<std::int16_t>(static_cast<std::uint16_t>(statement.columns->size())));
    for (const ColumnInfo& column : *statement.columns) {
        bind.number(static_cast<std::int16_t>(format_of(column.type)));
    }
    bind.end();
    MessageWriter(output_, 'E').text("").number(std::int32_t{0}).end();
}

std::shared_ptr<Exchange> Session::run(const std::shared_ptr<Statement>& statement,
                                       const Values& values) {
    check_room();
    append_bind(*statement, values);
    MessageWriter(output_, 'S').end();
    return add(Exchange::Kind::run, statement);
}

std::shared_ptr<Exchange> Session::batch(const std::shared_ptr<Statement>& statement,
                                         const std::vector<Values>& values) {
    check_room();
    const std::size_t before = output_.size();
    try {
        for (const Values& each : values) append_bind(*statement, each);
    } catch (const DbError&) {
        output_.resize(before);
        throw;
    }
    MessageWriter(output_, 'S').end();
    auto exchange = add(Exchange::Kind::run, statement);
    exchange->expect_runs(values.size());
    return exchange;
}

std::shared_ptr<Exchange> Session::script(std::string_view sql, Exchange::Kind kind) {
    refuse_zero(sql);
    check_room();
    MessageWriter(output_, 'Q').text(sql).end();
    return add(kind);
}

std::shared_ptr<Statement> Session::kept(std::string_view sql) {
    const auto found = by_sql_.find(sql);
    if (found == by_sql_.end()) return nullptr;
    statements_.splice(statements_.begin(), statements_, found->second);
    return found->second->statement;
}

void Session::keep(std::string_view sql, std::shared_ptr<Statement> statement) {
    forget(sql);
    if (statements_.size() >= limits_.statements_max && !statements_.empty()) {
        forget(std::string(statements_.back().sql));
    }
    statements_.push_front({.sql = std::string(sql), .statement = std::move(statement)});
    by_sql_[statements_.front().sql] = statements_.begin();
}

void Session::forget(std::string_view sql) {
    const auto found = by_sql_.find(sql);
    if (found == by_sql_.end()) return;
    const auto at = found->second;
    by_sql_.erase(found);
    close_statement(*at->statement);
    statements_.erase(at);
}

void Session::close_statement(const Statement& statement) {
    MessageWriter close(output_, 'C');
    close.number('S').text(statement.name).end();
    MessageWriter(output_, 'S').end();
    static_cast<void>(add(Exchange::Kind::forget));
}

void Session::process() {
    while (!is_paused()) {
        const auto frame = input_.next();
        if (!frame) return;
        if (take_unasked(*frame)) continue;
        if (pending_.empty()) {
            if (frame->type == 'E') throw read_server_error(*frame).error;
            refuse_protocol("a message '" + std::string(1, frame->type) +
                            "' that nobody asked for");
        }
        if (frame->type == 'E') {
            if (const ServerError error = read_server_error(*frame); error.is_fatal)
                throw error.error;
        }
        // Kept here: its waiter may go when it has ended.
        const std::shared_ptr<Exchange> first = pending_.front();
        first->take(*frame);
        if (frame->type == 'Z') take_ready(*frame);
        if (!first->has_ended()) continue;
        pending_.pop_front();
        wake_first();
    }
}

bool Session::is_repeatable_behind_first() const noexcept {
    return std::all_of(
        pending_.begin() + (pending_.empty() ? 0 : 1), pending_.end(), [this](const auto& each) {
            return each->is_abandoned() || (!is_in_transaction() && each->is_repeatable());
        });
}

void Session::wake_first() noexcept {
    if (!pending_.empty() && pending_.front()->is_abandoned()) pending_.front()->changed.set();
}

void Session::take_ready(const Frame& frame) {
    FieldReader fields(frame);
    status_ = fields.number<char>();
    fields.end();
    if (status_ != 'I' && status_ != 'T' && status_ != 'E')
        refuse_protocol("an unknown state of transaction");
}

// What the server sends of its own accord, between any two messages.
bool Session::take_unasked(const Frame& frame) {
    if (frame.type == 'N' || frame.type == 'S') return true;
    if (frame.type != 'A') return false;
    FieldReader fields(frame);
    static_cast<void>(fields.number<std::int32_t>());  // the process that notifies
    const std::string_view channel = fields.text();
    const std::string_view payload = fields.text();
    fields.end();
    if (notifications_.size() >= limits_.notifications_max) {
        throw DbError(DbError::Kind::limit, "more notifications wait than notifications_max = " +
                                                std::to_string(limits_.notifications_max));
    }
    notifications_.push_back({.channel = std::string(channel), .payload = std::string(payload)});
    notified.set();
    return true;
}

void Session::fail(const std::exception_ptr& error) {
    while (!pending_.empty()) {
        const std::shared_ptr<Exchange> first = std::move(pending_.front());
        pending_.pop_front();
        first->fail(error);
    }
    notified.set();
}

}  // namespace gyre::db::postgres
