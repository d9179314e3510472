// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/statements.hpp"

#include <utility>

#include "gyre/db/error.hpp"
#include "gyre/task/combine/shield.hpp"

namespace gyre::db {

namespace {

// A link that cannot even roll back is in an unknown state.
Future<void> undo(Link& link, Future<void> rollback) {
    try {
        co_await std::move(rollback);
    } catch (const DbError&) {
        link.close();
    }
}

}  // namespace

Future<std::uint64_t> Statements::affected_by(Future<Rows> rows) {
    co_return (co_await std::move(rows)).affected();
}

void Statements::expect_rows(std::size_t count, bool may_be_none) {
    if (count == 1 || (count == 0 && may_be_none)) return;
    throw DbError(DbError::Kind::mismatch, std::to_string(count) + " rows, and " +
                                               (may_be_none ? "at most one" : "one") +
                                               " is expected");
}

Future<void> Transaction::run_on(Link& link, TransactionBody& body, Begin how) {
    Transaction transaction(link, 0);
    std::exception_ptr failure;
    try {
        co_await link.begin(how);
        co_await body(transaction);
        // Half way through nobody would know whether it took effect.
        co_await shield(link.commit());
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) co_return;
    co_await shield(undo(link, link.rollback()));
    std::rethrow_exception(failure);
}

Future<void> Transaction::do_transaction(TransactionBody& body, TransactionOptions /*options*/) {
    const std::string name = "gyre" + std::to_string(depth_ + 1);
    Transaction inner(link_, depth_ + 1);
    co_await link_.script("savepoint " + name);
    std::exception_ptr failure;
    try {
        co_await body(inner);
        co_await link_.script("release savepoint " + name);
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) co_return;
    Future<void> rollback =
        link_.script("rollback to savepoint " + name + "; release savepoint " + name);
    co_await shield(undo(link_, std::move(rollback)));
    std::rethrow_exception(failure);
}

Future<Rows> LinkStatements::do_run(std::string sql, Values values) {
    return used_link().run(std::move(sql), std::move(values));
}
Stream<Rows> LinkStatements::do_stream(std::string sql, Values values) {
    return used_link().stream(std::move(sql), std::move(values));
}
Future<std::uint64_t> LinkStatements::do_batch(std::string sql, std::vector<Values> values) {
    return used_link().batch(std::move(sql), std::move(values));
}
Future<void> LinkStatements::do_script(std::string sql) {
    return used_link().script(std::move(sql));
}

}  // namespace gyre::db
