// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/postgres/wire.hpp"

#include <system_error>
#include <utility>

#include "gyre/db/error.hpp"
#include "gyre/task/combine/race.hpp"
#include "gyre/task/core/cancel.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::db::postgres {

namespace {

std::exception_ptr lost(const std::string& why) {
    return std::make_exception_ptr(
        DbError(DbError::Kind::lost, "the connection to the server is lost: " + why));
}

// Errors of the network as those of a database.
std::exception_ptr as_db_error(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::system_error& e) {
        return lost(e.what());
    } catch (...) {
        return error;
    }
}

}  // namespace

Wire::Wire(std::unique_ptr<net::ByteStream> stream, const Limits& limits)
    : stream_(std::move(stream)), session_(limits) {}

Future<void> Wire::send_all() {
    sending_ = std::exchange(session_.output(), {});
    co_await stream_->write(bytes_of(sending_));
}

Future<void> Wire::read_some() {
    const std::size_t size = co_await stream_->read(session_.input().room());
    if (size == 0) throw DbError(DbError::Kind::lost, "the server has closed the connection");
    session_.input().received(size);
}

Future<Frame> Wire::receive_one() {
    for (;;) {
        if (const auto frame = session_.input().next()) co_return *frame;
        co_await read_some();
    }
}

void Wire::pump(Executor& executor) {
    if (failure_) std::rethrow_exception(failure_);
    executor_ = &executor;
    if (!writer_ && !is_writing_alone_ && !session_.output().empty()) start_writer();
    if (!reader_ && !is_reading_alone_ && is_awaited()) start_reader();
}

void Wire::listen(Executor& executor) {
    ++listener_count_;
    pump(executor);
}

void Wire::stop_listening() noexcept {
    --listener_count_;
    if (!reader_ || is_awaited()) return;
    is_stopping_reader_ = true;
    reader_->cancel("nobody waits for notifications any more");
}

void Wire::start_writer() {
    writer_.emplace(executor_->root().spawn(&Wire::write_all, shared_from_this()));
    writer_->set_name("writes to PostgreSQL");
    // It may be cancelled before it has begun, so it cannot tell by itself. The handle must not go while
    // the task ends, with the last reference to this: so it goes here.
    writer_->on_complete([self = shared_from_this()] { self->on_writer_ended(); });
}

void Wire::start_reader() {
    is_stopping_reader_ = false;
    reader_.emplace(executor_->root().spawn(&Wire::read_all, shared_from_this()));
    reader_->set_name("reads from PostgreSQL");
    reader_->on_complete([self = shared_from_this()] { self->on_reader_ended(); });
}

void Wire::on_writer_ended() noexcept {
    writer_.reset();
    if (!failure_ && !session_.output().empty()) go_on(&Wire::write_on, is_writing_alone_);
}

void Wire::on_reader_ended() noexcept {
    reader_.reset();
    if (!is_awaited()) return;
    if (std::exchange(is_stopping_reader_, false)) {
        start_reader();
    } else {
        go_on(&Wire::read_on, is_reading_alone_);
    }
}

void Wire::go_on(Future<void> (Wire::*rest)(), bool& is_alone) {
    is_alone = true;
    executor_->root().spawn_clean_up(end_alone(shared_from_this(), rest, &is_alone));
}

Future<void> Wire::end_alone(std::shared_ptr<Wire> self, Future<void> (Wire::*rest)(),
                             bool* is_alone) {
    try {
        co_await race(self->until_closed(), (self.get()->*rest)());
    } catch (...) {
        self->fail(as_db_error(std::current_exception()));
    }
    *is_alone = false;
}

Future<void> Wire::until_closed() {
    co_await closed_.wait();
}

Future<void> Wire::write_all(std::shared_ptr<Wire> self) {
    try {
        co_await self->write_on();
    } catch (const Cancelled&) {
        // In the middle of a message, perhaps.
        self->fail(lost("its writer was cancelled"));
        throw;
    } catch (...) {
        self->fail(as_db_error(std::current_exception()));
    }
}

Future<void> Wire::write_on() {
    while (!session_.output().empty() && !failure_) {
        sending_.clear();
        std::swap(sending_, session_.output());
        co_await stream_->write(bytes_of(sending_));
        sent_.set();
    }
}

Future<void> Wire::read_all(std::shared_ptr<Wire> self) {
    try {
        co_await self->read_on();
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        self->fail(as_db_error(std::current_exception()));
    }
}

Future<void> Wire::read_on() {
    while (is_awaited()) {
        if (session_.is_paused()) {
            taken_.reset();
            co_await taken_.wait();
        } else {
            co_await read_some();
        }
        session_.process();
    }
}

Future<void> Wire::sent_down_to(std::size_t size) {
    while (session_.output().size() > size && !failure_) {
        sent_.reset();
        co_await sent_.wait();
    }
    if (failure_) std::rethrow_exception(failure_);
}

void Wire::fail(std::exception_ptr error) noexcept {
    if (failure_) return;
    failure_ = std::move(error);
    session_.fail(failure_);
    sent_.set();
    taken_.set();
    closed_.set();
    close();
}

void Wire::close() noexcept {
    if (!failure_) {
        fail(lost("it was closed"));
        return;
    }
    if (writer_) writer_->cancel("the connection is closed");
    if (reader_) reader_->cancel("the connection is closed");
}

}  // namespace gyre::db::postgres
