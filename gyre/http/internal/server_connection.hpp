// SPDX-License-Identifier: Apache-2.0
// ServerConnection: one connection of a Server: reads heads, runs handlers, writes responses. The
// responses to all pipelined requests of one read leave with one write. Lives in the frame of its
// task; linked into the server, which checks its timeout.
//
// Timeouts: `deadline` is the time until which the connection may stay in its `phase`. When it has
// passed, the server calls `expire`, which cancels the task with `is_expired_` set; a cancel
// without it comes from outside.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "gyre/base/detail/intrusive.hpp"
#include "gyre/http/internal/body_parser.hpp"
#include "gyre/http/internal/head_parser.hpp"
#include "gyre/http/internal/head_read.hpp"
#include "gyre/http/internal/input_buffer.hpp"
#include "gyre/http/request.hpp"
#include "gyre/http/response.hpp"
#include "gyre/http/server.hpp"
#include "gyre/net/byte_stream.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre::http {

class ServerConnection : public Link<ConnectionLinks> {
public:
    enum class Phase : std::uint8_t { idle, head, body, handler, write };

    // The memory of an idle connection without its buffers: its frames, its task, its socket.
    static constexpr std::size_t own_bytes = std::size_t{4} << 10U;

    // `accepted` is null if it cannot be parked; else `stream` is its stream.
    ServerConnection(Server& server, net::ByteStream& stream, Task& task,
                     Server::Accepted* accepted);
    ~ServerConnection();
    ServerConnection(const ServerConnection&) = delete;
    ServerConnection& operator=(const ServerConnection&) = delete;

    [[nodiscard]] Future<void> serve();

    // For the server.
    [[nodiscard]] Instant deadline() const noexcept { return deadline_; }
    [[nodiscard]] Phase phase() const noexcept { return phase_; }
    void expire() noexcept;
    // "GET /slow", or empty if no request is in flight.
    [[nodiscard]] std::string in_flight() const;
    void stop_idle() noexcept;
    // Whether it can be parked, and has been idle for so long.
    [[nodiscard]] bool has_idled(Duration time) const noexcept;
    // Ends `serve` with Accepted::is_to_park set, unless bytes come first.
    void park() noexcept { head_wait_->stop(); }
    void cut() noexcept;

    // For Request and Response.
    [[nodiscard]] Future<std::string_view> read_body();
    [[nodiscard]] Future<void> write_piece(std::string_view data);
    [[nodiscard]] Future<void> write_file(net::FileSlice part);
    // The request's body is about to take this much memory. Throws MessageRefused.
    void hold_text(std::size_t size_bytes);
    // Sends the output, and behind it the text, which is not copied.
    [[nodiscard]] Future<void> flush(std::string_view behind = {});

private:
    [[nodiscard]] Future<bool> receive_once();
    [[nodiscard]] bool leaves_to_park() noexcept;
    void begin_head();
    // Parses the next head if it is complete in the buffer.
    [[nodiscard]] bool take_next_head();
    [[nodiscard]] Future<void> answer_present();
    void begin_request();
    [[nodiscard]] Future<void> consume_idle_cancel();
    [[nodiscard]] Future<void> close_gracefully();
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
    // Extends the deadline if enough of a file was sent since it was set.
    [[nodiscard]] bool has_sent_enough() noexcept;
    // Throws if the handler exceeds its length().
    void count_written(std::uint64_t size);
    // Writes the head and, if the response is whole, the body.
    void begin_response(bool is_whole, std::string_view body = {});
    void end_response();
    void refuse(int status, std::string_view why);
    void refuse(Refusal why);
    [[nodiscard]] std::size_t held_bytes() const noexcept;
    // Charges the server's budget for this connection and `more` bytes; false if it is over.
    [[nodiscard]] bool charge(std::size_t more = 0) noexcept;
    void refuse_large_response();
    // The server stops: the first request of a new connection is waited for a while.
    [[nodiscard]] bool waits_for_first_request() noexcept;
    [[nodiscard]] bool has_body() const noexcept;
    void tell_served() noexcept;

    Server& server_;
    net::ByteStream& stream_;
    Task& task_;
    Server::Accepted* const accepted_;
    HeadRead::Wait* head_wait_ = nullptr;
    Phase phase_ = Phase::idle;
    Phase expired_in_ = Phase::idle;
    bool is_expired_ = false;
    bool is_lost_ = false;    // the peer has closed or reset
    bool has_ended_ = false;  // the peer has shut down its sending side
    bool keeps_alive_ = true;
    bool is_in_request_ = false;
    bool has_sent_continue_ = false;
    std::size_t request_count_ = 0;
    std::size_t charged_bytes_ = 0;
    std::size_t text_bytes_ = 0;  // of the request's body, if it is read as a whole
    Instant deadline_ = Instant::never();
    Instant handler_deadline_ = Instant::never();
    Instant body_deadline_ = Instant::never();
    Instant first_request_until_ = Instant::never();  // if the server stops before it came
    Instant started_;
    const std::uint64_t* file_left_ = nullptr;  // the unsent size of a file being sent
    std::uint64_t file_left_then_ = 0;          // its value when the deadline was set
    RequestParser parser_;
    BodyParser body_;
    InputBuffer input_;
    InputBuffer later_;
    std::string out_;
    std::string large_;  // a body that follows `out_`
    Response response_;
};

}  // namespace gyre::http
