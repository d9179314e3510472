// SPDX-License-Identifier: Apache-2.0
// Statements: the calls that a Pool, a Connection and a Transaction have in common. Transaction: statements
// of which all take effect, or none.
//
//     db::Rows rows = co_await database.query("select id, name from people where id < $1", 100);
//     auto name = co_await database.optional<std::string>("select name from people where id = $1", 7);
//     std::uint64_t changed = co_await database.execute("delete from people where id = $1", 7);
//
//     auto sell = [&](db::Transaction& t) -> Future<void> {
//         co_await t.execute("update stock set count = count - 1 where id = $1", 7);
//         co_await t.execute("insert into sales values ($1)", 7);
//     };
//     co_await database.transaction(sell);
//
// Thread: one loop's thread.
// Lifetime: the object outlives the futures; texts and values are moved or copied into them.
// Cancel: the statement is cancelled in the database too, and its end awaited; a transaction is rolled
// back. A commit that has begun is not cancelled.
//
// Parameters are $1, $2, …; they are never part of the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gyre/db/detail/link.hpp"
#include "gyre/db/row.hpp"
#include "gyre/db/value.hpp"
#include "gyre/task/core/detail/await_temporary.hpp"
#include "gyre/task/core/future.hpp"
#include "gyre/task/stream/stream.hpp"

namespace gyre::db {

class Transaction;

struct TransactionOptions {
    Begin begin = Begin::usual;
    // A transaction that met another one (DbError::Kind::conflict, busy) is run again from its beginning, so
    // often in all. Its body has no other effects then, or bears to repeat them.
    int tries_max = 1;
};

using TransactionBody = std::move_only_function<Future<void>(Transaction&)>;

class Statements {
public:
    template <class... Args>
    [[nodiscard]] Future<Rows> query(std::string sql, const Args&... args) {
        return do_run(std::move(sql), values_of(args...));
    }
    // The same with values whose number is known at run time.
    [[nodiscard]] Future<Rows> query_with(std::string sql, Values values) {
        return do_run(std::move(sql), std::move(values));
    }
    // The rows that were changed, or returned.
    template <class... Args>
    [[nodiscard]] Future<std::uint64_t> execute(std::string sql, const Args&... args) {
        return affected_by(do_run(std::move(sql), values_of(args...)));
    }
    // Every row as a T: see Row::as.
    template <class T, class... Args>
    [[nodiscard]] Future<std::vector<T>> list(std::string sql, const Args&... args) {
        return rows_as<T>(do_run(std::move(sql), values_of(args...)));
    }
    // The only row; a DbError (mismatch) if there is none, or more than one.
    template <class T, class... Args>
    [[nodiscard]] Future<T> one(std::string sql, const Args&... args) {
        return only_row_as<T>(do_run(std::move(sql), values_of(args...)));
    }
    // The same, or none.
    template <class T, class... Args>
    [[nodiscard]] Future<std::optional<T>> optional(std::string sql, const Args&... args) {
        return row_if_any_as<T>(do_run(std::move(sql), values_of(args...)));
    }
    // The rows in pieces: an answer of any length in little memory. The first piece has the columns, also where
    // there is no row. A connection reads nothing else meanwhile.
    template <class... Args>
    [[nodiscard]] Stream<Rows> stream(std::string sql, const Args&... args) {
        return do_stream(std::move(sql), values_of(args...));
    }
    [[nodiscard]] Stream<Rows> stream_with(std::string sql, Values values) {
        return do_stream(std::move(sql), std::move(values));
    }
    // The statement once for each list of values, sent together: all take effect, or none. Gives the
    // rows changed by all.
    [[nodiscard]] Future<std::uint64_t> batch(std::string sql, std::vector<Values> values) {
        return do_batch(std::move(sql), std::move(values));
    }
    // Several statements, separated by semicolons, without parameters and rows.
    [[nodiscard]] Future<void> script(std::string sql) { return do_script(std::move(sql)); }

    // Calls the function with a transaction: commits when it returns, rolls back when it throws or is
    // cancelled. Inside of another transaction it is a savepoint. Gives what the function returns.
    template <class F>
    [[nodiscard]] auto transaction(F&& body, TransactionOptions options = {}) {
        check_await_temporary<F>();
        return run_transaction<std::decay_t<F>>(std::forward<F>(body), options);
    }

protected:
    ~Statements() = default;

private:
    [[nodiscard]] virtual Future<Rows> do_run(std::string sql, Values values) = 0;
    [[nodiscard]] virtual Stream<Rows> do_stream(std::string sql, Values values) = 0;
    [[nodiscard]] virtual Future<std::uint64_t> do_batch(std::string sql,
                                                         std::vector<Values> values) = 0;
    [[nodiscard]] virtual Future<void> do_script(std::string sql) = 0;
    [[nodiscard]] virtual Future<void> do_transaction(TransactionBody& body,
                                                      TransactionOptions options) = 0;

    template <class... Args>
    [[nodiscard]] static Values values_of(const Args&... args) {
        Values values;
        values.reserve(sizeof...(args));
        (values.emplace_back(args), ...);
        return values;
    }
    [[nodiscard]] static Future<std::uint64_t> affected_by(Future<Rows> rows);
    static void expect_rows(std::size_t count, bool may_be_none);

    template <class T>
    [[nodiscard]] static Future<std::vector<T>> rows_as(Future<Rows> future) {
        const Rows rows = co_await std::move(future);
        co_return rows.as<T>();
    }
    template <class T>
    [[nodiscard]] static Future<T> only_row_as(Future<Rows> future) {
        const Rows rows = co_await std::move(future);
        expect_rows(rows.size(), false);
        co_return rows[0].template as<T>();
    }
    template <class T>
    [[nodiscard]] static Future<std::optional<T>> row_if_any_as(Future<Rows> future) {
        const Rows rows = co_await std::move(future);
        expect_rows(rows.size(), true);
        if (rows.empty()) co_return std::nullopt;
        co_return rows[0].template as<T>();
    }

    // Defined below: a TransactionBody can be made where Transaction is whole.
    template <class F>
    [[nodiscard]] std::invoke_result_t<F&, Transaction&> run_transaction(
        F body, TransactionOptions options);
    template <class F, class T>
    [[nodiscard]] static Future<void> store(F& body, Transaction& in, std::optional<T>& result) {
        result = co_await body(in);
    }
};

// Statements that run on one connection.
class LinkStatements : public Statements {
protected:
    ~LinkStatements() = default;

private:
    [[nodiscard]] virtual Link& used_link() noexcept = 0;
    [[nodiscard]] Future<Rows> do_run(std::string sql, Values values) final;
    [[nodiscard]] Stream<Rows> do_stream(std::string sql, Values values) final;
    [[nodiscard]] Future<std::uint64_t> do_batch(std::string sql, std::vector<Values> values) final;
    [[nodiscard]] Future<void> do_script(std::string sql) final;
};

// Made by `transaction`; lives as long as the call of its body.
class Transaction final : public LinkStatements {
public:
    Transaction(Link& link, int depth) noexcept : link_(link), depth_(depth) {}
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    // Begins one on the link, calls the body, and commits or rolls back.
    [[nodiscard]] static Future<void> run_on(Link& link, TransactionBody& body, Begin how);
    // 0, and one more for each savepoint around it.
    [[nodiscard]] int depth() const noexcept { return depth_; }

private:
    [[nodiscard]] Link& used_link() noexcept override { return link_; }
    [[nodiscard]] Future<void> do_transaction(TransactionBody& body,
                                              TransactionOptions options) override;

    Link& link_;
    const int depth_;
};

template <class F>
std::invoke_result_t<F&, Transaction&> Statements::run_transaction(F body,
                                                                   TransactionOptions options) {
    using T = typename std::invoke_result_t<F&, Transaction&>::value_type;
    if constexpr (std::is_void_v<T>) {
        TransactionBody erased = [&body](Transaction& in) -> Future<void> { return body(in); };
        co_await do_transaction(erased, options);
    } else {
        std::optional<T> result;
        TransactionBody erased = [&](Transaction& in) -> Future<void> {
            return store(body, in, result);
        };
        co_await do_transaction(erased, options);
        co_return std::move(*result);
    }
}

}  // namespace gyre::db
