// SPDX-License-Identifier: Apache-2.0
// The coding gzip, there where zlib is. Decoding has a bound: what little bytes can swell to is
// otherwise up to who sent them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gyre::http {

// Whether this build has it. Without, gzip_text gives its text as it is, and GunzipStream fails.
[[nodiscard]] bool is_gzip_available() noexcept;
// Compressed, for text that is worth it. Any thread.
[[nodiscard]] std::string gzip_text(std::string_view text);

// Decodes a body as its pieces come. One a body.
class GunzipStream {
public:
    enum class State : std::uint8_t { more, complete, malformed, over_limit };

    explicit GunzipStream(std::uint64_t bytes_max);
    ~GunzipStream();
    GunzipStream(GunzipStream&&) noexcept;
    GunzipStream& operator=(GunzipStream&&) noexcept;

    // Appends what the piece decodes to.
    [[nodiscard]] State decode(std::string_view piece, std::string& out);

private:
    struct Inside;

    std::unique_ptr<Inside> inside_;
};

}  // namespace gyre::http
