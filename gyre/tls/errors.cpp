// SPDX-License-Identifier: Apache-2.0
#include "gyre/tls/errors.hpp"

#include <utility>

namespace gyre::tls {
namespace {

std::errc code_of(TlsError::Kind kind) noexcept {
    switch (kind) {
        case TlsError::Kind::certificate:
            return std::errc::permission_denied;
        case TlsError::Kind::truncated:
            return std::errc::connection_aborted;
        case TlsError::Kind::pem:
            return std::errc::invalid_argument;
        case TlsError::Kind::refused:
        case TlsError::Kind::protocol:
            break;
    }
    return std::errc::protocol_error;
}

}  // namespace

TlsError::TlsError(Kind kind, std::string text)
    : std::system_error(std::make_error_code(code_of(kind))), kind_(kind), text_(std::move(text)) {}

}  // namespace gyre::tls
