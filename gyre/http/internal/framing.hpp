// SPDX-License-Identifier: Apache-2.0
// FramingFacts: the fields of a head that determine the framing, the host and the connection,
// collected in one pass over the fields.
#pragma once

#include <cstdint>
#include <string_view>

#include "gyre/http/message.hpp"
#include "gyre/http/refusal.hpp"

namespace gyre::http {

struct FramingFacts {
    explicit FramingFacts(const Fields& fields) noexcept;

    // RFC 9112 6: checks Content-Length and Transfer-Encoding for this version.
    [[nodiscard]] Refusal check(Version version) const noexcept;
    [[nodiscard]] bool keeps_alive(Version version) const noexcept {
        return !has_close && (version == Version::http_1_1 || has_keep_alive);
    }

    std::string_view host;
    std::uint32_t host_count = 0;
    std::uint32_t length_count = 0;
    std::uint32_t coding_count = 0;
    std::uint64_t content_length = 0;
    bool is_length_well_formed = true;
    bool has_empty_name = false;
    bool is_chunked = false;
    bool has_close = false;
    bool has_keep_alive = false;
    bool has_connection_upgrade = false;
    bool has_upgrade = false;
    bool expects_continue = false;

private:
    void look_at(const Field& field) noexcept;
    void look_at_connection(std::string_view value) noexcept;
};

// Whether a field of this name affects framing, routing or content coding, and so must not be a
// trailer.
[[nodiscard]] bool is_framing_field(std::string_view name) noexcept;

}  // namespace gyre::http
