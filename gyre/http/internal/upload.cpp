// SPDX-License-Identifier: Apache-2.0
#include "gyre/http/internal/upload.hpp"

#include <array>
#include <system_error>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/http/internal/chunk_decoder.hpp"
#include "gyre/http/internal/head_writer.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::http {

void Upload::start(const std::shared_ptr<Upload>& upload, Scope& in) {
    GYRE_ASSERT(upload->task_ == nullptr, "an upload is started twice");
    auto handle = in.spawn(&Upload::run, upload);
    handle.set_name("http upload");
    upload->task_ = &handle.task();
}

void Upload::cancel() noexcept {
    if (task_ != nullptr) task_->cancel("nobody waits for this body");
}

Future<void> Upload::run(std::shared_ptr<Upload> upload) {
    const ScopeExit leave([&upload] {
        upload->task_ = nullptr;
        upload->ended_.set();
    });
    try {
        co_await upload->send_all();
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        upload->failure_ = std::current_exception();
        upload->failed_.set();
    }
}

Future<void> Upload::send_all() {
    std::array<ConstBytes, 2> both = {bytes_of(out_), bytes_of(request_->body)};
    bool goes_on = co_await send_if_open(std::span(both).first(request_->body.empty() ? 1 : 2));
    bool has_more = request_->pieces != nullptr;
    while (goes_on && has_more) {
        const std::string_view piece = co_await request_->pieces();
        has_more = !piece.empty();
        out_.clear();
        if (has_more) {
            append_chunk(out_, piece);
        } else {
            append_last_chunk(out_);
        }
        ConstBytes chunk = bytes_of(out_);
        goes_on = co_await send_if_open(std::span(&chunk, 1));
    }
    is_whole_ = goes_on;
}

Future<bool> Upload::send_if_open(std::span<ConstBytes> pieces) {
    writing_ = pieces;
    for (const ConstBytes& piece : pieces) begun_bytes_ += piece.size();
    const ScopeExit leave([this] { writing_ = {}; });
    try {
        co_await stream_->write_pieces(pieces);
    } catch (const std::system_error&) {
        co_return false;
    }
    co_return true;
}

Future<std::size_t> Upload::failure() {
    co_await failed_.wait();
    GYRE_ASSERT(failure_ != nullptr, "an upload has failed without an exception");
    std::rethrow_exception(failure_);
}

}  // namespace gyre::http
