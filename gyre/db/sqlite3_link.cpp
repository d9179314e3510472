// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/sqlite3_link.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/db/error.hpp"
#include "gyre/db/internal/sqlite3_backup.hpp"
#include "gyre/db/internal/sqlite3_disk.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/sleep.hpp"
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

// As sqlite3_handle.cpp waits on a thread.
constexpr Duration busy_time_max = std::chrono::seconds(5);
constexpr Duration busy_look_max = std::chrono::milliseconds(50);
// A step of a backup: a megabyte of usual pages.
constexpr int backup_pages_at_once = 256;

}  // namespace

Future<std::unique_ptr<Link>> SqliteDriver::connect(std::string /*name*/) {
    const char* const vfs = simulated_vfs((co_await this_task()).executor().loop().platform());
    std::unique_ptr<SqliteHandle> handle;
    co_await blocking([&] {
        handle = std::make_unique<SqliteHandle>(url_.name, limits_, vfs);
        if (is_confined_) handle->confine();
    });
    co_return std::make_unique<SqliteLink>(*this, std::move(handle));
}

void SqliteLink::expect_open() const {
    if (is_closed_) throw DbError(DbError::Kind::lost, "the connection to SQLite is closed");
}

Future<void> SqliteLink::call(Work work, WhenBusy when_busy) {
    expect_open();
    handle_->allow_calls();
    const bool waits = when_busy == WhenBusy::wait && handle_->is_simulated();
    Duration waited(0);
    for (Duration pause = std::chrono::milliseconds(1);;
         pause = std::min(2 * pause, busy_look_max)) {
        std::exception_ptr failure;
        bool is_busy = false;
        try {
            co_await ThreadCall(*handle_, work);
        } catch (const DbError& error) {
            failure = std::current_exception();
            is_busy = error.kind() == DbError::Kind::busy;
        } catch (...) {
            failure = std::current_exception();
        }
        // A call that was interrupted has failed because of the cancel.
        co_await cancel_point();
        if (!failure) co_return;
        if (!is_busy || !waits || waited >= busy_time_max) std::rethrow_exception(failure);
        co_await sleep(pause);
        waited += pause;
    }
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

Future<void> SqliteLink::call_as_writer(Work work, WhenBusy when_busy) {
    if (!writer_) writer_ = co_await driver_.writing().lock();
    const ScopeExit end([this] { end_writing(); });
    co_await call(std::move(work), when_busy);
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
    // Its first statements may have taken effect: not again.
    co_await call_as_writer([&](SqliteHandle& handle) { handle.script(sql); }, WhenBusy::fail);
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

// Not beside a call, as everything that has the handle.
Future<void> SqliteLink::backup(std::string to, BackupWatcher& watcher) {
    const MutexGuard use = co_await using_.lock();
    std::unique_ptr<SqliteBackup> copy;
    co_await call([&](SqliteHandle& handle) {
        copy = std::make_unique<SqliteBackup>(handle.database(), to);
    });
    while (!copy->is_complete()) {
        co_await call([&](SqliteHandle& /*handle*/) { copy->copy_pages(backup_pages_at_once); });
        if (watcher) watcher(copy->progress());
    }
}

bool SqliteLink::is_reusable() const noexcept {
    return !is_closed_ && !using_.is_locked() && !handle_->is_in_transaction();
}

}  // namespace gyre::db
