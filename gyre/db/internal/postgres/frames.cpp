// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/postgres/frames.hpp"

#include <algorithm>
#include <limits>

#include "gyre/base/assert.hpp"
#include "gyre/db/error.hpp"

namespace gyre::db::postgres {

void refuse_protocol(const std::string& what) {
    throw DbError(DbError::Kind::protocol, "the server broke the protocol: " + what);
}

Bytes FrameReader::room() {
    if (begin_ == end_) begin_ = end_ = 0;
    if (buffer_.size() - end_ < room_bytes_min && begin_ > 0) {
        std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
        end_ -= begin_;
        begin_ = 0;
    }
    if (buffer_.size() - end_ < room_bytes_min) {
        buffer_.resize(std::max(buffer_.size() * 2, room_bytes_min * 2));
    }
    return Bytes(buffer_).subspan(end_);
}

void FrameReader::received(std::size_t size) noexcept {
    GYRE_ASSERT(size <= buffer_.size() - end_, "%zu bytes received into less room", size);
    end_ += size;
}

std::optional<Frame> FrameReader::next() {
    if (end_ - begin_ < head_bytes) return std::nullopt;
    const ConstBytes all = ConstBytes(buffer_).subspan(begin_, end_ - begin_);
    const auto length = from_big_endian<std::uint32_t>(all.subspan(1));
    if (length < head_bytes - 1) refuse_protocol("a message of length " + std::to_string(length));
    if (length > message_bytes_max_) {
        throw DbError(DbError::Kind::limit, "a message of " + std::to_string(length) +
                                                " bytes is more than message_bytes_max = " +
                                                std::to_string(message_bytes_max_));
    }
    if (all.size() < length + 1) return std::nullopt;
    begin_ += length + 1;
    return Frame{.type = static_cast<char>(all[0]),
                 .body = all.subspan(head_bytes, length + 1 - head_bytes)};
}

ConstBytes FieldReader::bytes(std::size_t size) {
    if (size > rest_.size()) refuse();
    const ConstBytes taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
}

std::string_view FieldReader::text() {
    const std::string_view all = text_of(rest_);
    const std::size_t size = all.find('\0');
    if (size == std::string_view::npos) refuse();
    rest_ = rest_.subspan(size + 1);
    return all.substr(0, size);
}

void FieldReader::end() const {
    if (!rest_.empty()) {
        refuse_protocol("a message '" + std::string(1, type_) + "' with " +
                        std::to_string(rest_.size()) + " bytes too many");
    }
}

void FieldReader::refuse() const {
    refuse_protocol("a message '" + std::string(1, type_) + "' that is too short");
}

MessageWriter::MessageWriter(std::string& to, char type)
    : to_(to), begin_(to.size()), length_at_(to.size() + (type == 0 ? 0 : 1)) {
    if (type != 0) to_ += type;
    to_.append(4, '\0');
}

MessageWriter& MessageWriter::text(std::string_view text) {
    GYRE_ASSERT(!text.contains('\0'), "a text of the protocol has a zero byte inside");
    to_.append(text);
    to_ += '\0';
    return *this;
}

MessageWriter& MessageWriter::bytes(ConstBytes bytes) {
    to_.append(text_of(bytes));
    return *this;
}

void MessageWriter::end() {
    const std::size_t length = to_.size() - length_at_;
    if (length > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        to_.resize(begin_);
        throw DbError(DbError::Kind::limit, "a statement with its parameters is over 2 GiB");
    }
    std::string text;
    append_big_endian(text, static_cast<std::int32_t>(length));
    to_.replace(length_at_, 4, text);
}

}  // namespace gyre::db::postgres
