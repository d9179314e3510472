// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/sqlite3_link.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/db/error.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/cancel.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/sync/event.hpp"
#include "gyre/task/thread/blocking.hpp"

namespace gyre::db {

namespace {

// A call that a thread runs while a task waits for it.
struct ThreadCall {
    SqliteHandle& handle;
    std::move_only_function<void(SqliteHandle&)> work;
    std::exception_ptr failure = nullptr;
    Event ended = {};
};

Future<void> run_on_thread(ThreadCall* call) {
    try {
        co_await blocking([call] { call->work(call->handle); });
    } catch (...) {
        call->failure = std::current_exception();
    }
}

Future<void> wait_for(Event& event) {
    co_await event.wait();
}

[[noreturn]] void refuse_postgres_only(const char* what) {
    throw DbError(DbError::Kind::failed, std::string(what) + " is of PostgreSQL: SQLite has none");
}

}  // namespace

Future<std::unique_ptr<Link>> SqliteDriver::connect(std::string /*name*/) {
    std::unique_ptr<SqliteHandle> handle;
    co_await blocking([&] {
        handle = std::make_unique<SqliteHandle>(url_.name, limits_);
        if (is_confined_) handle->confine();
    });
    co_return std::make_unique<SqliteLink>(*this, std::move(handle));
}

void SqliteLink::expect_open() const {
    if (is_closed_) throw DbError(DbError::Kind::lost, "the connection to SQLite is closed");
}

Future<void> SqliteLink::call(Work work) {
    expect_open();
    ThreadCall call{.handle = *handle_, .work = std::move(work)};
    // A task of its own: a thread that has begun is awaited, and only interrupted.
    auto running = (co_await this_task()).executor().root().spawn(run_on_thread, &call);
    running.set_name("a call of SQLite");
    running.on_complete([&call] { call.ended.set(); });
    std::exception_ptr cancelled;
    try {
        co_await call.ended.wait();
    } catch (const Cancelled&) {
        cancelled = std::current_exception();
    }
    if (cancelled) {
        running.cancel("the statement was cancelled");
        handle_->interrupt();
        co_await shield(wait_for(call.ended));
        std::rethrow_exception(cancelled);
    }
    if (call.failure) std::rethrow_exception(call.failure);
}

void SqliteLink::end_writing() noexcept {
    if (!handle_->is_in_transaction()) writer_.release();
}

Future<void> SqliteLink::learn(const std::string& sql) {
    if (writers_.contains(sql)) co_return;
    if (writers_.size() >= driver_.limits().statements_max) writers_.clear();
    bool is_read_only = false;
    co_await call([&](SqliteHandle& handle) { is_read_only = handle.is_read_only(sql); });
    writers_.emplace(sql, !is_read_only);
}

Future<void> SqliteLink::call_as_writer(Work work) {
    if (!writer_) writer_ = co_await driver_.writing().lock();
    const ScopeExit end([this] { end_writing(); });
    co_await call(std::move(work));
}

Future<Rows> SqliteLink::run(std::string sql, Values values) {
    const MutexGuard use = co_await using_.lock();
    co_await learn(sql);
    Rows rows;
    auto work = [&](SqliteHandle& handle) { rows = handle.run(sql, values); };
    if (writers_.at(sql)) {
        co_await call_as_writer(work);
    } else {
        co_await call(work);
    }
    co_return rows;
}

Future<std::uint64_t> SqliteLink::batch(std::string sql, std::vector<Values> values) {
    const MutexGuard use = co_await using_.lock();
    std::uint64_t affected = 0;
    co_await call_as_writer([&](SqliteHandle& handle) { affected = handle.batch(sql, values); });
    co_return affected;
}

Future<void> SqliteLink::script(std::string sql) {
    const MutexGuard use = co_await using_.lock();
    co_await call_as_writer([&](SqliteHandle& handle) { handle.script(sql); });
}

Stream<Rows> SqliteLink::stream(std::string sql, Values values) {
    const MutexGuard use = co_await using_.lock();
    co_await learn(sql);
    if (writers_.at(sql) && !writer_) writer_ = co_await driver_.writing().lock();
    const ScopeExit end([this] { end_writing(); });
    co_await call([&](SqliteHandle& handle) { handle.begin_stream(sql, values); });
    // Not beside a call: each is awaited, also when it is cancelled.
    const ScopeExit reset([this] { handle_->end_stream(); });
    while (handle_->is_streaming()) {
        Rows piece;
        co_await call([&](SqliteHandle& handle) { piece = handle.next_piece(); });
        if (!piece.empty()) co_yield std::move(piece);
    }
}

Future<void> SqliteLink::begin(Begin how) {
    const MutexGuard use = co_await using_.lock();
    if (how == Begin::read_only) {
        co_await call([](SqliteHandle& handle) { handle.script("begin; pragma query_only = on"); });
        co_return;
    }
    // With the lock of the file from the beginning: a reader that begins to write later may have to fail.
    co_await call_as_writer([](SqliteHandle& handle) { handle.script("begin immediate"); });
}

Future<void> SqliteLink::commit() {
    const MutexGuard use = co_await using_.lock();
    const ScopeExit end([this] { end_writing(); });
    co_await call([](SqliteHandle& handle) { handle.script("commit; pragma query_only = off"); });
}

Future<void> SqliteLink::rollback() {
    const MutexGuard use = co_await using_.lock();
    const ScopeExit end([this] { end_writing(); });
    // An interrupted writer has been rolled back by SQLite itself.
    co_await call([](SqliteHandle& handle) {
        if (handle.is_in_transaction()) handle.script("rollback");
        handle.script("pragma query_only = off");
    });
}

Future<std::uint64_t> SqliteLink::copy_in(std::string /*sql*/, Pieces& /*pieces*/) {
    refuse_postgres_only("copy");
    co_return 0;
}

Stream<std::string> SqliteLink::copy_out(std::string /*sql*/) {
    refuse_postgres_only("copy");
    co_yield std::string();
}

Future<Notification> SqliteLink::notification() {
    refuse_postgres_only("a notification");
    co_return Notification();
}

bool SqliteLink::is_reusable() const noexcept {
    return !is_closed_ && !using_.is_locked() && !handle_->is_in_transaction();
}

}  // namespace gyre::db
