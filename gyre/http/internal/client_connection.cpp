// SPDX-License-Identifier: Apache-2.0
// One request and one answer at a time.
#include "gyre/http/internal/client_connection.hpp"

#include <chrono>
#include <exception>
#include <span>
#include <system_error>

#include "gyre/base/assert.hpp"
#include "gyre/http/internal/body_input.hpp"
#include "gyre/http/internal/characters.hpp"
#include "gyre/http/internal/head_writer.hpp"
#include "gyre/http/internal/upload.hpp"
#include "gyre/task/combine/race.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre::http {
namespace {

constexpr std::size_t answer_head_buffer_bytes = std::size_t{4} << 10U;
constexpr std::size_t answer_body_buffer_bytes = std::size_t{64} << 10U;
// A larger body is sent without a copy, by an Upload, while the response is read.
constexpr std::size_t joined_body_bytes_max = std::size_t{16} << 10U;

bool has_field(const ClientRequest& request, std::string_view name) noexcept {
    for (const OwnField& field : request.fields) {
        if (same_word(field.first, name)) return true;
    }
    return false;
}

}  // namespace

SystemFailure too_late(const std::string& what, const char* name, Duration limit) {
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
    return SystemFailure(std::errc::timed_out, what + " within " + std::to_string(milliseconds) +
                                                   " ms, the limit timeouts." + name);
}

ClientConnection::ClientConnection(std::unique_ptr<net::ByteStream> stream,
                                   const ClientOptions& options, std::string key,
                                   Permits permit_to_use, Executor& executor)
    : permit(std::move(permit_to_use)),
      stream_(std::move(stream)),
      options_(options),
      executor_(executor),
      key_(std::move(key)),
      parser_(options.limits),
      input_(answer_head_buffer_bytes),
      later_(answer_body_buffer_bytes) {
    GYRE_ASSERT(stream_ != nullptr, "a client connection needs a stream");
}

ClientConnection::~ClientConnection() {
    if (upload_ != nullptr) upload_->cancel();
}

void ClientConnection::write_head(std::string& out, const Url& url, const ClientRequest& request,
                                  bool takes_gzip) {
    HeadWriter writer(out);
    writer.request(request.method, url.target);
    if (!has_field(request, "host")) writer.field("Host", url.authority());
    for (const auto& [name, value] : request.fields) {
        if (same_word(name, "content-length") || same_word(name, "transfer-encoding")) {
            throw ClientError(name + " is the client's to write");
        }
        writer.field(name, value);
    }
    if (takes_gzip && !has_field(request, "accept-encoding")) {
        writer.field("Accept-Encoding", "gzip");
    }
    if (request.pieces) {
        writer.chunked();
    } else if (!request.body.empty() || !is_safe(method_of(request.method))) {
        writer.length(request.body.size());
    }
    writer.end();
}

Future<void> ClientConnection::exchange(const Url& url,
                                        const std::shared_ptr<ClientRequest>& request,
                                        bool takes_gzip, Instant deadline) {
    GYRE_ASSERT(upload_ == nullptr, "a request begins while the upload of another one is running");
    GYRE_ASSERT(body_.is_complete(), "a request begins before the last response was read");
    has_received_ = false;
    is_cut_ = false;
    deadline_ = deadline;
    const bool is_head = request->method == "HEAD";
    std::string out;
    write_head(out, url, *request, takes_gzip);
    if (!request->pieces && request->body.size() <= joined_body_bytes_max) {
        out += request->body;
        ConstBytes all = bytes_of(out);
        co_await stream_->write_pieces(std::span(&all, 1));
        co_await read_head(is_head);
        co_return;
    }
    const Task& task = co_await this_task();
    upload_ = std::make_shared<Upload>(stream_, request, std::move(out));
    Upload::start(upload_, task.executor().root());
    std::exception_ptr failure;
    try {
        co_await read_head(is_head);
    } catch (...) {
        failure = std::current_exception();
    }
    // From here the caller may change the request for a retry or a redirect.
    if (failure != nullptr || head().status >= 300) {
        upload_->cancel();
        static_cast<void>(co_await shield(end_upload()));
    }
    if (failure != nullptr) std::rethrow_exception(failure);
}

Future<std::exception_ptr> ClientConnection::end_upload() {
    GYRE_ASSERT(upload_ != nullptr, "there is no upload whose end could be awaited");
    co_await upload_->ended().wait();
    is_cut_ = !upload_->is_whole();
    const std::shared_ptr<Upload> ended = std::move(upload_);
    co_return ended->why();
}

Future<std::size_t> ClientConnection::read_any_time(Bytes into) {
    if (upload_ == nullptr) return stream_->read(into);
    return race(stream_->read(into), upload_->failure());
}

Future<std::size_t> ClientConnection::read(Bytes into, Duration limit, const char* what,
                                           const char* name) {
    for (;;) {
        const std::uint64_t sent = upload_ == nullptr ? 0 : upload_->progress();
        bool is_late = false;
        std::size_t size = 0;
        try {
            size = co_await within(read_any_time(into), limit, deadline_);
        } catch (const TimeoutError&) {
            is_late = true;
        }
        if (!is_late) co_return size;
        if (executor_.now() >= deadline_) {
            throw too_late("the response was not complete", "whole", options_.timeouts.whole);
        }
        if (upload_ == nullptr || upload_->progress() == sent) throw too_late(what, name, limit);
    }
}

Future<void> ClientConnection::await_unasked() {
    const std::size_t size = co_await stream_->read(input_.room());
    input_.add(size);
    is_cut_ = true;
}

Future<void> ClientConnection::read_head(bool is_head) {
    for (std::size_t interim_count = 0;; ++interim_count) {
        if (interim_count > options_.interim_count_max) {
            throw ClientError("the server sent more interim responses than interim_count_max, " +
                              std::to_string(options_.interim_count_max));
        }
        parser_.reset();
        while (true) {
            if (!input_.empty()) {
                has_received_ = true;
                const ParseState state = parser_.parse(input_.unread());
                if (state == ParseState::complete) break;
                if (state == ParseState::refused) throw MessageRefused(parser_.refusal());
            }
            const std::size_t size = co_await read(input_.room(), options_.timeouts.head,
                                                   "the head of the response did not come", "head");
            input_.add(size);
            if (size > 0) continue;
            if (has_received_) throw MessageRefused(Refusal::early_end);
            throw std::system_error(std::make_error_code(std::errc::connection_reset),
                                    "the server ended the connection without an answer");
        }
        input_.consume(parser_.head_bytes());
        const int status = parser_.head().status;
        if (status >= 200 || status == 101) break;
    }
    body_ = is_head ? BodyParser() : BodyParser(parser_.head(), options_.limits);
    if (body_.refusal() != Refusal::none) throw MessageRefused(body_.refusal());
}

Future<std::string_view> ClientConnection::read_body() {
    for (;;) {
        const auto piece = next_piece(body_, input_, later_);
        if (piece && (!piece->empty() || upload_ == nullptr)) co_return *piece;
        if (piece) {
            // The server has closed its receiving side.
            if (!parser_.head().keeps_alive) upload_->cancel();
            const std::exception_ptr failure = co_await end_upload();
            if (failure != nullptr) std::rethrow_exception(failure);
            co_return *piece;
        }
        const std::size_t size = co_await read(later_.room(), options_.timeouts.read,
                                               "no byte of the body came", "read");
        later_.add(size);
        end_body_at(body_, size);
    }
}

bool ClientConnection::is_reusable() const noexcept {
    // Bytes after the response belong to no request: the connection cannot be trusted.
    return !is_cut_ && upload_ == nullptr && body_.is_complete() && parser_.head().keeps_alive &&
           parser_.head().status != 101 && input_.empty() && later_.empty();
}

}  // namespace gyre::http
