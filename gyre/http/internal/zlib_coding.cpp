// SPDX-License-Identifier: Apache-2.0
// gzip with zlib.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "gyre/base/assert.hpp"
#include "gyre/base/failure.hpp"
#include "gyre/http/internal/gzip.hpp"

namespace gyre::http {
namespace {

constexpr int gzip_window_bits = 15 + 16;

// zlib's input pointers are not const.
Bytef* bytes_for_zlib(std::string_view text) noexcept {
    return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
}

uInt size_for_zlib(std::size_t size) noexcept {
    return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

}  // namespace

bool is_gzip_available() noexcept {
    return true;
}

std::string gzip_text(std::string_view text) {
    z_stream stream{};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window_bits, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        throw Failure("no memory to compress");
    }
    std::string out(deflateBound(&stream, text.size()), '\0');
    stream.next_in = bytes_for_zlib(text);
    stream.avail_in = size_for_zlib(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = size_for_zlib(out.size());
    const int result = deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    if (result != Z_STREAM_END) throw Failure("the text is too large to compress");
    return out;
}

struct GunzipStream::Inside {
    z_stream stream{};
    std::uint64_t left_bytes;
    State state = State::more;

    explicit Inside(std::uint64_t bytes_max) : left_bytes(bytes_max) {
        if (inflateInit2(&stream, gzip_window_bits) != Z_OK) {
            throw Failure("no memory to decode");
        }
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { inflateEnd(&stream); }
};

GunzipStream::GunzipStream(std::uint64_t bytes_max)
    : inside_(std::make_unique<Inside>(bytes_max)) {}
GunzipStream::~GunzipStream() = default;
GunzipStream::GunzipStream(GunzipStream&&) noexcept = default;
GunzipStream& GunzipStream::operator=(GunzipStream&&) noexcept = default;

GunzipStream::State GunzipStream::decode(std::string_view& piece, std::string& out) {
    GYRE_ASSERT(inside_ != nullptr, "a GunzipStream is used after it was moved from");
    Inside& inside = *inside_;
    if (inside.state == State::malformed || inside.state == State::over_limit) return inside.state;
    z_stream& stream = inside.stream;
    std::array<char, 16384> buffer;
    for (std::size_t come = 0; come < output_bytes_max;) {
        if (inside.state == State::complete) {
            if (piece.empty()) return inside.state;
            inflateReset(&stream);  // the next member
        }
        stream.next_in = bytes_for_zlib(piece);
        stream.avail_in = size_for_zlib(piece.size());
        const std::size_t offered = stream.avail_in;
        stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
        stream.avail_out = size_for_zlib(buffer.size());
        const int result = inflate(&stream, Z_NO_FLUSH);
        piece.remove_prefix(offered - stream.avail_in);
        const std::size_t size = buffer.size() - stream.avail_out;
        if (size > inside.left_bytes) return inside.state = State::over_limit;
        inside.left_bytes -= size;
        come += size;
        out.append(buffer.data(), size);
        if (result == Z_STREAM_END) {
            inside.state = State::complete;
            continue;
        }
        if (result != Z_OK && result != Z_BUF_ERROR) return inside.state = State::malformed;
        inside.state = State::more;
        if (piece.empty() && stream.avail_out > 0) return inside.state;
    }
    return inside.state == State::complete && piece.empty() ? State::complete : State::full;
}

}  // namespace gyre::http
