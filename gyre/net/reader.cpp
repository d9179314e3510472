// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/reader.hpp"

#include <algorithm>
#include <cstring>

#include "gyre/net/errors.hpp"

namespace gyre::net {

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
    if (end_ == options_.buffer_bytes) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    const Bytes free(buffer_.get() + end_, options_.buffer_bytes - end_);
    const std::size_t size = co_await from_.receive(free);
    end_ += size;
    co_return size > 0;
}

void Reader::consume(std::size_t size) noexcept {
    GYRE_ASSERT(size <= end_ - begin_, "%zu bytes are consumed, but only %zu are buffered", size,
                end_ - begin_);
    begin_ += size;
}

Future<std::size_t> Reader::read_some(Bytes into) {
    if (begin_ == end_) {
        // Nothing to gain from the buffer where the reader's own is as large.
        if (into.size() >= options_.buffer_bytes) co_return co_await from_.receive(into);
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
    if (there.size() < into.size()) throw StreamEnded("what was to be read", there.size());
    std::copy_n(there.begin(), into.size(), into.begin());
    consume(into.size());
}

Future<void> Reader::read_rest(Bytes& rest) {
    const std::size_t wanted = rest.size();
    while (!rest.empty()) {
        const std::size_t size = co_await read_some(rest);
        if (size == 0) throw StreamEnded("what was to be read", wanted - rest.size());
        rest = rest.subspan(size);
    }
}

Future<std::optional<ConstBytes>> Reader::read_until(std::string_view mark) {
    GYRE_ASSERT(!mark.empty(), "read_until needs a mark to look for");
    std::size_t searched = 0;
    for (;;) {
        const std::string_view there = text_of(buffered());
        const std::size_t place = there.find(mark, searched);
        if (place != std::string_view::npos) {
            const ConstBytes found = buffered().first(place + mark.size());
            consume(found.size());
            co_return found;
        }
        // The mark may have begun.
        searched = there.size() - std::min(there.size(), mark.size() - 1);
        if (is_full()) {
            throw LimitError("what comes before the mark", options_.buffer_bytes,
                             "ReaderOptions::buffer_bytes");
        }
        const bool has_more = co_await fill();
        if (has_more) continue;
        if (begin_ == end_) co_return std::nullopt;
        throw StreamEnded("what comes before a mark", end_ - begin_);
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
            throw LimitError("a line", options_.line_size_max, "ReaderOptions::line_size_max");
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
        throw LimitError("what is to be looked at", options_.buffer_bytes,
                         "ReaderOptions::buffer_bytes");
    }
    // So that what is wanted fits behind what is there.
    if (begin_ + size_min > options_.buffer_bytes) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    for (bool has_more = true; has_more && end_ - begin_ < size_min;) has_more = co_await fill();
    co_return buffered();
}

}  // namespace gyre::net
