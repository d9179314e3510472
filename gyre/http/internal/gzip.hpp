// SPDX-License-Identifier: Apache-2.0
// gzip, if the build has zlib. Decoding is bounded, against decompression bombs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gyre::http {

// Whether this build has zlib. Without it gzip_text returns its argument, and GunzipStream fails.
[[nodiscard]] bool is_gzip_available() noexcept;
// Compresses. Any thread.
[[nodiscard]] std::string gzip_text(std::string_view text);

// An incremental decoder, one per body. A body may have several members, one behind the other.
class GunzipStream {
public:
    enum class State : std::uint8_t {
        more,        // it needs more input
        full,        // it has more output: decode again, with what is left of the piece
        complete,    // at the end of a member
        malformed,   // for good
        over_limit,  // `bytes_max`, for good
    };
    // Of decoded bytes in one call, so that memory is bounded by the caller's pace.
    static constexpr std::size_t output_bytes_max = std::size_t{64} << 10U;

    explicit GunzipStream(std::uint64_t bytes_max);
    ~GunzipStream();
    GunzipStream(GunzipStream&&) noexcept;
    GunzipStream& operator=(GunzipStream&&) noexcept;

    // Appends decoded bytes, and removes the bytes that it has used from the piece.
    [[nodiscard]] State decode(std::string_view& piece, std::string& out);

private:
    struct Inside;

    std::unique_ptr<Inside> inside_;
};

}  // namespace gyre::http
