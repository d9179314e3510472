// SPDX-License-Identifier: Apache-2.0
// Wire: a Session on a connection. A task of the root scope writes while there is output, another one
// reads while answers are awaited; neither is there when nothing is under way, so an idle connection keeps
// no program alive. Shared between a PostgresLink and these two tasks. One loop's thread.
//
//     requests of one turn     the writer is spawned by the first of them and runs behind the others:
//                              their bytes leave in one write
//     a request is abandoned   the reader drops its answer and goes on
//     the root scope ends      a clean-up reads and writes on while an answer is awaited: the commit that has
//                              begun, the end of a cancelled statement
//     any failure              every request fails with it, and the connection is closed
#pragma once

#include <exception>
#include <memory>
#include <optional>

#include "gyre/db/internal/postgres/session.hpp"
#include "gyre/net/byte_stream.hpp"
#include "gyre/task/core/task_handle.hpp"

namespace gyre::db::postgres {

class Wire : public std::enable_shared_from_this<Wire> {
public:
    Wire(std::unique_ptr<net::ByteStream> stream, const Limits& limits);

    // During the login: sends the output, and gives the next message.
    [[nodiscard]] Future<void> send_all();
    [[nodiscard]] Future<Frame> receive_one();

    [[nodiscard]] Session& session() noexcept { return session_; }
    [[nodiscard]] const Session& session() const noexcept { return session_; }
    // Starts the tasks that are needed now. Call it after each request. Throws if the connection failed.
    void pump(Executor& executor);
    // Somebody waits for notifications, or stops to.
    void listen(Executor& executor);
    void stop_listening() noexcept;
    // Rows of a full stream were taken.
    void resume() noexcept { taken_.set(); }
    // Waits until no more than `size` bytes of output are left.
    [[nodiscard]] Future<void> sent_down_to(std::size_t size);

    [[nodiscard]] bool has_failed() const noexcept { return failure_ != nullptr; }
    void fail(std::exception_ptr error) noexcept;
    // Ends both tasks.
    void close() noexcept;

private:
    [[nodiscard]] static Future<void> write_all(std::shared_ptr<Wire> self);
    [[nodiscard]] static Future<void> read_all(std::shared_ptr<Wire> self);
    [[nodiscard]] Future<void> write_on();
    [[nodiscard]] Future<void> read_on();
    [[nodiscard]] Future<void> read_some();
    // The program ends, and has cancelled the reader or the writer: the rest of its work as a clean-up.
    void go_on(Future<void> (Wire::*rest)(), bool& is_alone);
    [[nodiscard]] static Future<void> end_alone(std::shared_ptr<Wire> self,
                                                Future<void> (Wire::*rest)(), bool* is_alone);
    [[nodiscard]] Future<void> until_closed();
    void start_writer();
    void start_reader();
    void on_writer_ended() noexcept;
    void on_reader_ended() noexcept;
    [[nodiscard]] bool is_awaited() const noexcept {
        return failure_ == nullptr && (session_.pending_count() > 0 || listener_count_ > 0);
    }

    std::unique_ptr<net::ByteStream> stream_;
    Session session_;
    std::string sending_;
    Event sent_;
    Event taken_;
    Event closed_;
    std::exception_ptr failure_;
    std::size_t listener_count_ = 0;
    bool is_stopping_reader_ = false;
    bool is_reading_alone_ = false;  // in a clean-up
    bool is_writing_alone_ = false;
    Executor* executor_ = nullptr;
    std::optional<TaskHandle<void>> writer_;  // while it runs
    std::optional<TaskHandle<void>> reader_;
};

}  // namespace gyre::db::postgres
