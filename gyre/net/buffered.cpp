// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/buffered.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/scope_exit.hpp"

namespace gyre::net {
namespace {

// Removes the sent bytes from the buffer. Called when a send ends, also by an exception or a
// cancel, so that no byte is sent twice.
void drop_sent(std::size_t& begin, std::size_t end, ConstBytes rest) noexcept {
    GYRE_ASSERT(rest.size() <= end - begin, "a stream returned more bytes than it was given");
    begin = end - rest.size();
}

}  // namespace

StreamEnded::StreamEnded(const std::string& inside_of, std::size_t size_bytes)
    : SystemFailure(std::errc::connection_aborted, "the stream ended inside of " + inside_of +
                                                       ", after " + std::to_string(size_bytes) +
                                                       " bytes") {}

// ---- Reader ----

Reader::Reader(ByteStream& from, ReaderOptions options)
    : from_(from),
      options_(options),
      buffer_(std::make_unique_for_overwrite<std::byte[]>(options.buffer_bytes)) {
    GYRE_ASSERT(options.line_size_max + 2 <= options.buffer_bytes,
                "a reader's line_size_max (%zu) and the end of a line must fit its buffer_bytes "
                "(%zu)",
                options.line_size_max, options.buffer_bytes);
}

Future<bool> Reader::fill() {
    if (begin_ == end_) {
        begin_ = 0;
        end_ = 0;
    }
    if (end_ == options_.buffer_bytes) compact();
    GYRE_ASSERT(end_ < options_.buffer_bytes,
                "a reader's buffer of %zu bytes is full: consume before it fills again",
                options_.buffer_bytes);
    const Bytes free(buffer_.get() + end_, options_.buffer_bytes - end_);
    const std::size_t size = co_await from_.read(free);
    GYRE_ASSERT(size <= free.size(), "a stream says it received %zu bytes into a buffer of %zu",
                size, free.size());
    end_ += size;
    co_return size > 0;
}

void Reader::compact() noexcept {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
}

void Reader::consume(std::size_t size) noexcept {
    GYRE_ASSERT(size <= end_ - begin_, "%zu bytes are consumed, but only %zu are buffered", size,
                end_ - begin_);
    begin_ += size;
}

Future<std::size_t> Reader::read(Bytes into) {
    if (begin_ == end_) {
        // A buffer in between would only add a copy.
        if (into.size() >= options_.buffer_bytes) co_return co_await from_.read(into);
        const bool has_more = co_await fill();
        if (!has_more) co_return 0;
    }
    const ConstBytes there = buffered();
    const std::size_t size = std::min(into.size(), there.size());
    std::memcpy(into.data(), there.data(), size);
    consume(size);
    co_return size;
}

Future<void> Reader::read_exactly(Bytes into) {
    if (into.size() > options_.buffer_bytes) {
        co_await read_rest(into);
        co_return;
    }
    const ConstBytes there = co_await peek(into.size());
    if (there.size() < into.size()) throw StreamEnded("a read_exactly", there.size());
    std::copy_n(there.begin(), into.size(), into.begin());
    consume(into.size());
}

Future<void> Reader::read_rest(Bytes& rest) {
    const std::size_t wanted = rest.size();
    while (!rest.empty()) {
        const std::size_t size = co_await read(rest);
        if (size == 0) throw StreamEnded("a read_exactly", wanted - rest.size());
        rest = rest.subspan(size);
    }
}

Future<std::optional<ConstBytes>> Reader::read_until(std::string_view delimiter) {
    GYRE_ASSERT(!delimiter.empty(), "read_until needs a delimiter of at least one byte");
    std::size_t searched = 0;
    for (;;) {
        const std::string_view there = text_of(buffered());
        const std::size_t place = there.find(delimiter, searched);
        if (place != std::string_view::npos) {
            const ConstBytes found = buffered().first(place + delimiter.size());
            consume(found.size());
            co_return found;
        }
        // The buffer may end inside of the delimiter.
        searched = there.size() - std::min(there.size(), delimiter.size() - 1);
        if (is_full()) {
            throw LimitError("read_until a delimiter", "buffer_bytes", options_.buffer_bytes);
        }
        const bool has_more = co_await fill();
        if (has_more) continue;
        if (begin_ == end_) co_return std::nullopt;
        throw StreamEnded("the text before a delimiter", end_ - begin_);
    }
}

Future<std::optional<std::string_view>> Reader::read_line() {
    std::size_t searched = 0;
    for (;;) {
        const std::string_view there = text_of(buffered());
        const std::size_t end = there.find('\n', searched);
        const bool has_ended = end != std::string_view::npos;
        std::string_view line = there.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.size() > options_.line_size_max) {
            throw LimitError("read_line", "line_size_max", options_.line_size_max);
        }
        if (has_ended) {
            consume(end + 1);
            co_return line;
        }
        searched = there.size();
        const bool has_more = co_await fill();
        if (has_more) continue;
        if (begin_ == end_) co_return std::nullopt;
        const std::string_view last = text_of(buffered());
        consume(last.size());
        co_return last;
    }
}

Future<ConstBytes> Reader::peek(std::size_t size_min) {
    if (size_min > options_.buffer_bytes) {
        throw LimitError("peek", "buffer_bytes", options_.buffer_bytes);
    }
    if (begin_ + size_min > options_.buffer_bytes) compact();
    for (bool has_more = true; has_more && end_ - begin_ < size_min;) has_more = co_await fill();
    co_return buffered();
}

// ---- Writer ----

Writer::Writer(ByteStream& to, WriterOptions options)
    : to_(to),
      size_max_(options.buffer_bytes),
      buffer_(std::make_unique_for_overwrite<std::byte[]>(options.buffer_bytes)),
      is_corked_(options.is_corked) {
    GYRE_ASSERT(options.buffer_bytes > 0, "a writer needs a buffer of one byte at least");
}

bool Writer::try_write(ConstBytes data) noexcept {
    if (begin_ == end_) {
        begin_ = 0;
        end_ = 0;
    }
    if (data.size() > size_max_ - end_) return false;
    std::copy(data.begin(), data.end(), buffer_.get() + end_);
    end_ += data.size();
    return true;
}

Future<void> Writer::write(ConstBytes data) {
    if (!try_write(data)) {
        if (data.size() > size_max_) {
            // Larger than the buffer: sent directly behind the buffered bytes.
            std::array pieces{ConstBytes(buffer_.get() + begin_, end_ - begin_), data};
            const ScopeExit sent([&] { drop_sent(begin_, end_, pieces[0]); });
            co_await to_.write_pieces(pieces);
            co_return;
        }
        co_await flush();
        const bool is_taken = try_write(data);
        GYRE_ASSERT(is_taken, "%zu bytes do not fit a flushed buffer of %zu", data.size(),
                    size_max_);
    }
    if (!is_corked_) co_await flush();
}

Future<void> Writer::flush() {
    if (begin_ == end_) co_return;
    std::array pieces{ConstBytes(buffer_.get() + begin_, end_ - begin_)};
    const ScopeExit sent([&] { drop_sent(begin_, end_, pieces[0]); });
    co_await to_.write_pieces(pieces);
}

Future<void> Writer::uncork() {
    is_corked_ = false;
    co_await flush();
}

}  // namespace gyre::net
