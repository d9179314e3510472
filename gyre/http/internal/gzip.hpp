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

// An incremental decoder, one per body.
class GunzipStream {
public:
    enum class State : std::uint8_t { more, complete, malformed, over_limit };

    explicit GunzipStream(std::uint64_t bytes_max);
    ~GunzipStream();
    GunzipStream(GunzipStream&&) noexcept;
    GunzipStream& operator=(GunzipStream&&) noexcept;

    // Appends the decoded bytes of the piece.
    [[nodiscard]] State decode(std::string_view piece, std::string& out);

private:
    struct Inside;

    std::unique_ptr<Inside> inside_;
};

}  // namespace gyre::http
