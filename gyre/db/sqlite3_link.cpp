// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/sqlite3_link.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/db/error.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/thread/blocking.hpp"

namespace gyre::db {

namespace {

// Work of a handle on a thread, while the task waits for its end.
class [[nodiscard]] ThreadCall {
public:
    using Work = std::move_only_function<void(SqliteHandle& handle)>;
    ThreadCall(SqliteHandle& handle, Work& work) noexcept : handle_(handle), work_(work) {}
    [[nodiscard]] auto await_in(PromiseBase& promise) && noexcept {
        return Await(promise, handle_, work_);
    }

private:
    class Await final : public Suspension, private WorkOp {
    public:
        Await(PromiseBase& promise, SqliteHandle& handle, Work& of_handle) noexcept
            : WorkOp(&run), handle_(handle), work_(of_handle) {
            attach(promise);
        }
        [[nodiscard]] bool await_ready() noexcept { return begin(); }
        void await_suspend(std::coroutine_handle<> by) noexcept {
            executor().submit_for(*this, *this);
            wait(by);
        }
        void await_resume() {
            end();
            outcome_.take();
        }

        void cancel() noexcept override {
            handle_.interrupt();
            executor().cancel(static_cast<WorkOp&>(*this));
        }
        void on_complete(Op& op) noexcept override {
            if (!outcome_.is_settled() && op.is_cancelled()) return wake_cancelled();
            if (!outcome_.is_settled()) outcome_.set_error(op.error());
            wake();
        }
        [[nodiscard]] const char* what() const noexcept override { return "a call of SQLite"; }
        [[nodiscard]] const Op* pending_op() const noexcept override { return this; }

    private:
        static std::int32_t run(WorkOp& op) noexcept {
            auto& self = static_cast<Await&>(op);
            try {
                self.work_(self.handle_);
                self.outcome_.set_value();
            } catch (...) {
                self.outcome_.set_exception(std::current_exception());
            }
            return 0;
        }

        SqliteHandle& handle_;
        Work& work_;
        Outcome<void> outcome_;
    };

    SqliteHandle& handle_;
    Work& work_;
};

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
    handle_->allow_calls();
    std::exception_ptr failure;
    try {
        co_await ThreadCall(*handle_, work);
    } catch (...) {
        failure = std::current_exception();
    }
    // A call that was interrupted has failed because of the cancel.
    co_await cancel_point();
    if (failure) std::rethrow_exception(failure);
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
    expect_open();
    if (auto rows = handle_->run_at_once(sql, values)) co_return std::move(*rows);
    co_await learn(sql);
    // A commit as a statement ends the turn of this link too.
    const ScopeExit end([this] { end_writing(); });
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
    for (bool is_first = true; handle_->is_streaming(); is_first = false) {
        Rows piece;
        co_await call([&](SqliteHandle& handle) { piece = handle.next_piece(); });
        // The first one has the columns.
        if (is_first || !piece.empty()) co_yield std::move(piece);
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
