// SPDX-License-Identifier: Apache-2.0
// URLs after the URL Standard, parsed by ada. Parts are lines: href, origin, protocol, username,
// password, host, hostname, port, pathname, search, hash. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gyre::script::url {

// False in a build without ada: then the other functions give nothing.
[[nodiscard]] bool is_available() noexcept;
// Nothing where the text is no URL.
[[nodiscard]] std::optional<std::string> parse(std::string_view text,
                                               std::optional<std::string_view> base);
// The URL with one part set as the setter of that name does; a value that is refused changes
// nothing.
[[nodiscard]] std::optional<std::string> update(std::string_view href, std::string_view part,
                                                std::string_view value);
// Empty where the name is no domain.
[[nodiscard]] std::optional<std::string> domain_to_ascii(std::string_view name);
[[nodiscard]] std::optional<std::string> domain_to_unicode(std::string_view name);

}  // namespace gyre::script::url
