// SPDX-License-Identifier: Apache-2.0
// TlsError: what encryption can fail with, beside the errors of the stream below. A plain value,
// and a system error too, so that `try_` gives it as an Error.
#pragma once

#include <cstdint>
#include <string>
#include <system_error>

namespace gyre::tls {

class TlsError : public std::system_error {
public:
    enum class Kind : std::uint8_t {
        certificate,  // the peer's was refused: "certificate has expired"; permission_denied
        refused,      // the peer refused ours, or what we offer; protocol_error
        protocol,     // what came is no TLS, or was changed on its way; protocol_error
        truncated,    // the bytes ended without a word of farewell; connection_aborted
        pem           // the text of a certificate or a key cannot be used; invalid_argument
    };
    TlsError(Kind kind, std::string text);
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
    [[nodiscard]] Kind kind() const noexcept { return kind_; }

private:
    Kind kind_;
    std::string text_;
};

}  // namespace gyre::tls
