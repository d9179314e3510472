// SPDX-License-Identifier: Apache-2.0
// Pieces of HTML. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace gyre::vela::internal {

[[nodiscard]] std::string escaped(std::string_view text);
// A comment: paragraphs, lists with `-`, indented lines as code, and `code` between backticks.
[[nodiscard]] std::string comment_html(std::string_view text);
// The first sentence of a comment, as HTML.
[[nodiscard]] std::string summary_html(std::string_view text);
// A whole page.
[[nodiscard]] std::string page_html(std::string_view title, std::string_view body);

}  // namespace gyre::vela::internal
