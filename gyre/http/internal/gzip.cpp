// SPDX-License-Identifier: Apache-2.0
// The implementation without zlib: nothing is compressed, and gzip is not requested. With zlib this
// file is empty and zlib_coding.cpp is used.
#include "gyre/http/internal/gzip.hpp"
#include "gyre/base/failure.hpp"

#include <stdexcept>

namespace gyre::http {

#if !GYRE_HAS_Z

struct GunzipStream::Inside {};

bool is_gzip_available() noexcept {
    return false;
}

std::string gzip_text(std::string_view text) {
    return std::string(text);
}

GunzipStream::GunzipStream(std::uint64_t /*bytes_max*/) {
    throw Failure("this build has no zlib: gzip cannot be decoded");
}
GunzipStream::~GunzipStream() = default;
GunzipStream::GunzipStream(GunzipStream&&) noexcept = default;
GunzipStream& GunzipStream::operator=(GunzipStream&&) noexcept = default;
GunzipStream::State GunzipStream::decode(std::string_view& /*piece*/, std::string& /*out*/) {
    return State::malformed;
}

#endif

}  // namespace gyre::http
