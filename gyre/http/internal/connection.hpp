// SPDX-License-Identifier: Apache-2.0
// Connection: one client of a Server. Reads heads, runs handlers, writes answers; the answers to
// everything that came with one read leave with one write. Belongs to its task, in whose frame it
// lives; the server knows it to look at its time.
//
// Times. `deadline` and `phase` say until when the connection may do what it does. Where the time
// is over the server cancels the task, having set `expired`; a cancel without that is from outside.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "gyre/base/intrusive.hpp"
#include "gyre/http/body_parser.hpp"
#include "gyre/http/head_parser.hpp"
#include "gyre/http/internal/input_buffer.hpp"
#include "gyre/http/request.hpp"
#include "gyre/http/response.hpp"
#include "gyre/http/server.hpp"
#include "gyre/net/byte_stream.hpp"
#include "gyre/task/task.hpp"

namespace gyre::http {

class Connection : public Link<ConnectionLinks> {
public:
    enum class Phase : std::uint8_t { idle, head, body, handler, write };

    Connection(Server& server, net::ByteStream& stream, Task& task);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    [[nodiscard]] Future<void> serve();

    // For the server.
    [[nodiscard]] Instant deadline() const noexcept { return deadline_; }
    [[nodiscard]] Phase phase() const noexcept { return phase_; }
    void expire() noexcept;
    // "GET /slow", or nothing where no request is in flight.
    [[nodiscard]] std::string in_flight() const;
    void stop_idle() noexcept;
    void cut() noexcept;

    // For Request and Response.
    [[nodiscard]] Future<std::string_view> read_body();
    [[nodiscard]] Future<void> write_piece(std::string_view data);
    [[nodiscard]] Future<void> write_file(net::FileSlice part);
    // What is to be sent, and behind it a text of the caller's, which is not copied.
    [[nodiscard]] Future<void> flush(std::string_view behind = {});

private:
    [[nodiscard]] Future<bool> look_once();
    void begin_head();
    // Whether the next head is in the buffer and parsed.
    [[nodiscard]] bool take_next_head();
    [[nodiscard]] Future<void> answer_present();
    void begin_request();
    [[nodiscard]] Future<void> forgive_idleness();
    [[nodiscard]] Future<void> say_goodbye();
    [[nodiscard]] Future<void> receive_body();
    [[nodiscard]] bool answer_expired();
    void answer_failure(const std::exception_ptr& failure);
    [[nodiscard]] Future<void> skip_body();
    [[nodiscard]] Future<void> serve_all();
    [[nodiscard]] Future<std::size_t> receive(InputBuffer& into);
    void enter(Phase phase, Duration limit) noexcept;
    void enter(Phase phase, Instant deadline) noexcept {
        phase_ = phase;
        deadline_ = deadline;
    }
    [[nodiscard]] Instant now() const noexcept;
    [[nodiscard]] bool has_output() const noexcept { return !out_.empty() || !large_.empty(); }
    // Whether a file that goes out has gone far enough for another while.
    [[nodiscard]] bool has_sent_enough() noexcept;
    // Counts it; throws where it is more than was promised.
    void count_written(std::uint64_t size);
    // Writes its head; where it is whole, a text behind that.
    void begin_response(bool is_whole, std::string_view body = {});
    void end_response();
    void refuse(int status, std::string_view why);
    [[nodiscard]] bool has_body() const noexcept;
    void tell_served();

    Server& server_;
    net::ByteStream& stream_;
    Task& task_;
    Phase phase_ = Phase::idle;
    Phase expired_in_ = Phase::idle;
    bool is_expired_ = false;
    bool is_lost_ = false;    // the peer has gone
    bool has_ended_ = false;  // the peer sends no more
    bool keeps_alive_ = true;
    bool is_in_request_ = false;
    bool has_sent_continue_ = false;
    std::size_t request_count_ = 0;
    Instant deadline_ = Instant::never();
    Instant handler_deadline_ = Instant::never();
    Instant body_deadline_ = Instant::never();
    Instant started_;
    const std::uint64_t* file_left_ = nullptr;  // of a file that goes out
    std::uint64_t file_left_then_ = 0;          // when its time began
    RequestParser parser_;
    BodyParser body_;
    InputBuffer input_;
    InputBuffer later_;
    std::string out_;
    std::string large_;  // a body that follows `out_`
    Response response_;
};

}  // namespace gyre::http
