// SPDX-License-Identifier: Apache-2.0
// HeadWriter: appends a head to a text that is to be sent. What would split a message is refused:
// std::invalid_argument for a name that is no token, and for a value or a target with a control
// character in it. Lives as long as the writing; the text is the caller's.
//
//     HeadWriter(out).status(200).field("Content-Type", "text/plain").length(5).end();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/http/message.hpp"

namespace gyre::http {

class HeadWriter {
public:
    explicit HeadWriter(std::string& out) noexcept : out_(out) {}

    HeadWriter& status(int code);
    HeadWriter& request(std::string_view method, std::string_view target);
    HeadWriter& field(std::string_view name, std::string_view value);
    HeadWriter& length(std::uint64_t bytes);
    HeadWriter& chunked();
    // The empty line.
    void end();

private:
    std::string& out_;
};

// Whether a field of that value may be sent.
[[nodiscard]] bool is_field_value(std::string_view value) noexcept;

}  // namespace gyre::http
