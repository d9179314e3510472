// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/postgres/postgres_link.hpp"

#include <array>
#include <chrono>
#include <concepts>
#include <system_error>
#include <utility>

#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/db/error.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/cancel.hpp"
#include "gyre/task/core/executor.hpp"

namespace gyre::db::postgres {

namespace {

constexpr std::int32_t cancel_request = 80'877'102;
// A server that has not ended a cancelled statement by then loses its connection.
constexpr Duration cancel_time_max = std::chrono::seconds(5);

constexpr const char* begin_text(Begin how) noexcept {
    if (how == Begin::serializable) return "begin isolation level serializable";
    return how == Begin::read_only ? "begin read only" : "begin";
}

}  // namespace

template <class F>
PostgresLink::Answer PostgresLink::start(Executor& executor, const std::string& sql, F submit) {
    try {
        wire_->pump(executor);  // throws if the connection has failed
        Answer answer = submit();
        wire_->pump(executor);
        return answer;
    } catch (const DbError& e) {
        throw e.of_statement(sql);
    }
}

Future<void> PostgresLink::ended(Answer answer) {
    while (!answer->has_ended()) {
        answer->changed.reset();
        co_await answer->changed.wait();
    }
}

Future<void> PostgresLink::finish(Answer answer, const std::string& sql) {
    std::exception_ptr cancelled;
    try {
        co_await ended(answer);
    } catch (const Cancelled&) {
        cancelled = std::current_exception();
    }
    if (cancelled) {
        co_await shield(abandon(answer));
        std::rethrow_exception(cancelled);
    }
    try {
        answer->throw_failure();
    } catch (const DbError& e) {
        throw e.of_statement(sql);
    }
}

Future<void> PostgresLink::abandon(Answer answer) {
    answer->abandon();
    session().wake_first();
    wire_->resume();
    if (answer->has_ended()) co_return;
    try {
        co_await timeout(cancel_on_server(answer), cancel_time_max);
    } catch (const std::exception&) {
        // Not reachable any more, or too slow. Others in the pipeline still wait for their answers; alone, its
        // state is unknown.
        if (session().pending_count() == 1) close();
    }
}

Future<void> PostgresLink::cancel_on_server(Answer answer) {
    if (answer->is_copying_in()) {
        // The server waits for data, and for nothing else.
        MessageWriter(session().output(), 'f').text("the copy was cancelled").end();
        wire_->pump((co_await this_task()).executor());
        co_await ended(answer);
        co_return;
    }
    // The signal ends whatever the server runs: that is the first one, or those behind it.
    while (!answer->has_ended() &&
           !(session().is_first(*answer) && session().is_repeatable_behind_first())) {
        answer->changed.reset();
        co_await answer->changed.wait();
    }
    if (answer->has_ended()) co_return;
    co_await send_signal();
    co_await ended(answer);
}

Future<void> PostgresLink::send_signal() {
    ++signal_count_;
    ++signalling_count_;
    bool is_sent = false;
    const ScopeExit end([this, &is_sent] {
        --signalling_count_;
        signal_sent_.set();
        // It may come at any time, and meet anything.
        if (!is_sent) close();
    });
    net::Connection other = co_await driver_.dial();
    std::string request;
    MessageWriter(request, 0).number(cancel_request).number(key_.process).number(key_.secret).end();
    co_await other.write(bytes_of(request));
    // The server closes it when it has sent the signal, which meets no statement sent later then.
    std::array<std::byte, 16> buffer{};
    try {
        while (co_await other.read(buffer) != 0) {
        }
    } catch (const std::system_error&) {
        // Reset: the same.
    }
    is_sent = true;
}

bool PostgresLink::is_stale_plan(const DbError& error) noexcept {
    // "cached plan must not change result type"; "prepared statement … does not exist".
    return (error.sqlstate() == "0A000" && error.message().contains("cached plan")) ||
           error.sqlstate() == "26000";
}

bool PostgresLink::was_hit(const DbError& error, std::uint64_t signals_before) const noexcept {
    return error.kind() == DbError::Kind::cancelled && signal_count_ != signals_before;
}

Future<void> PostgresLink::signals_sent() {
    while (signalling_count_ > 0) {
        signal_sent_.reset();
        co_await signal_sent_.wait();
    }
}

Future<std::shared_ptr<Statement>> PostgresLink::prepared(const std::string& sql) {
    Executor& executor = (co_await this_task()).executor();
    for (;;) {
        if (signalling_count_ > 0) co_await signals_sent();
        if (auto statement = session().kept(sql)) co_return statement;
        const std::uint64_t signals = signal_count_;
        const Answer answer = start(executor, sql, [&] { return session().prepare(sql); });
        try {
            co_await finish(answer, sql);
            session().keep(sql, answer->statement());
        } catch (const DbError& e) {
            if (!was_hit(e, signals)) throw;
        }
    }
}

template <class F>
Future<PostgresLink::Answer> PostgresLink::answered(Executor& executor, const std::string& sql,
                                                    F submit) {
    for (bool was_stale = false;;) {
        const auto statement = co_await prepared(sql);
        const std::uint64_t signals = signal_count_;
        const Answer answer = start(executor, sql, [&] { return submit(statement); });
        try {
            co_await finish(answer, sql);
            co_return answer;
        } catch (const DbError& e) {
            // The schema has changed. Inside of a transaction, the whole of it has failed.
            const bool is_stale = is_stale_plan(e) && !was_stale && !session().is_in_transaction();
            if (!is_stale && !was_hit(e, signals)) throw;
            was_stale |= is_stale;
            if (is_stale) session().forget(sql);
        }
    }
}

Future<Rows> PostgresLink::run(std::string sql, Values values) {
    Executor& executor = (co_await this_task()).executor();
    auto submit = [&](const auto& statement) { return session().run(statement, values); };
    const Answer answer = co_await answered(executor, sql, std::move(submit));
    co_return answer->take_rows();
}

Future<std::uint64_t> PostgresLink::batch(std::string sql, std::vector<Values> values) {
    if (values.empty()) co_return 0;
    Executor& executor = (co_await this_task()).executor();
    auto submit = [&](const auto& statement) {
        Answer made = session().batch(statement, values);
        made->discard();
        return made;
    };
    const Answer answer = co_await answered(executor, sql, std::move(submit));
    co_return answer->affected();
}

Future<void> PostgresLink::script(std::string sql) {
    Executor& executor = (co_await this_task()).executor();
    if (signalling_count_ > 0) co_await signals_sent();
    const Answer answer = start(executor, sql, [&] { return session().script(sql); });
    co_await finish(answer, sql);
}

Future<void> PostgresLink::begin(Begin how) {
    return script(begin_text(how));
}

Future<void> PostgresLink::commit() {
    // The server would answer such a commit with a rollback, and without an error.
    if (session().has_failed_transaction()) {
        throw DbError(DbError::Kind::failed,
                      "a statement of this transaction has failed: it cannot be committed");
    }
    co_await script("commit");
}

Future<void> PostgresLink::rollback() {
    return script("rollback");
}

bool PostgresLink::is_reusable() const noexcept {
    const Session& session = wire_->session();
    return !wire_->has_failed() && !has_listened_ && session.pending_count() == 0 &&
           !session.is_in_transaction();
}

Future<void> PostgresLink::check() {
    return script("");
}

template <class Piece, class Begin>
Stream<Piece> PostgresLink::pieces(Begin begin, std::string sql, Piece (Exchange::*take)()) {
    const Answer answer = co_await begin(sql);
    // Rows come in one piece at least, which has the columns and how many were changed.
    bool is_due = std::same_as<Piece, Rows>;
    std::exception_ptr failure;
    try {
        for (;;) {
            Piece piece = (answer.get()->*take)();
            if (!piece.empty()) {
                is_due = false;
                wire_->resume();
                co_yield std::move(piece);
            } else if (answer->has_ended()) {
                answer->throw_failure();
                if (is_due) co_yield std::move(piece);
                break;
            } else {
                answer->changed.reset();
                co_await answer->changed.wait();
            }
        }
    } catch (const DbError& e) {
        throw e.of_statement(sql);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) {
        co_await shield(abandon(answer));
        std::rethrow_exception(failure);
    }
}

Stream<Rows> PostgresLink::stream(std::string sql, Values values) {
    auto begin = [this, values = std::move(values)](const std::string& text) -> Future<Answer> {
        Executor& executor = (co_await this_task()).executor();
        const auto statement = co_await prepared(text);
        Answer answer = start(executor, text, [&] { return session().run(statement, values); });
        answer->make_stream(driver_.limits().stream_bytes_max);
        co_return answer;
    };
    return pieces(std::move(begin), std::move(sql), &Exchange::take_rows);
}

Stream<std::string> PostgresLink::copy_out(std::string sql) {
    auto begin = [this](const std::string& text) -> Future<Answer> {
        Executor& executor = (co_await this_task()).executor();
        if (signalling_count_ > 0) co_await signals_sent();
        Answer answer =
            start(executor, text, [&] { return session().script(text, Exchange::Kind::copy_out); });
        answer->make_stream(driver_.limits().stream_bytes_max);
        co_return answer;
    };
    return pieces(std::move(begin), std::move(sql), &Exchange::take_copied);
}

Future<void> PostgresLink::send_pieces(Answer answer, Pieces& pieces) {
    Executor& executor = (co_await this_task()).executor();
    while (!answer->is_copying_in() && !answer->has_ended()) {
        answer->changed.reset();
        co_await answer->changed.wait();
    }
    std::exception_ptr failure;
    while (answer->is_copying_in()) {
        std::string piece;
        try {
            piece = co_await pieces();
        } catch (...) {
            failure = std::current_exception();
        }
        if (!answer->is_copying_in()) break;
        const char type = failure ? 'f' : piece.empty() ? 'c' : 'd';
        MessageWriter message(session().output(), type);
        if (failure) message.text("the program has no more data");
        message.bytes(bytes_of(piece)).end();
        wire_->pump(executor);
        if (type != 'd') break;
        co_await wire_->sent_down_to(driver_.limits().stream_bytes_max);
    }
    if (failure) {
        co_await shield(ended(answer));
        std::rethrow_exception(failure);
    }
}

Future<std::uint64_t> PostgresLink::copy_in(std::string sql, Pieces& pieces) {
    Executor& executor = (co_await this_task()).executor();
    if (signalling_count_ > 0) co_await signals_sent();
    const Answer answer =
        start(executor, sql, [&] { return session().script(sql, Exchange::Kind::copy_in); });
    std::exception_ptr cancelled;
    try {
        co_await send_pieces(answer, pieces);
    } catch (const Cancelled&) {
        cancelled = std::current_exception();
    }
    if (cancelled) {
        co_await shield(abandon(answer));
        std::rethrow_exception(cancelled);
    }
    co_await finish(answer, sql);
    co_return answer->affected();
}

Future<Notification> PostgresLink::notification() {
    has_listened_ = true;
    Executor& executor = (co_await this_task()).executor();
    while (session().notifications().empty()) {
        session().notified.reset();
        wire_->listen(executor);
        const ScopeExit stop([this] { wire_->stop_listening(); });
        co_await session().notified.wait();
    }
    Notification first = std::move(session().notifications().front());
    session().notifications().pop_front();
    co_return first;
}

}  // namespace gyre::db::postgres
