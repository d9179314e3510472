// SPDX-License-Identifier: Apache-2.0
// append_format: appends text in printf form to a string, for reports: a call is a few instructions,
// where string concatenation inlines hundreds. Any thread.
#pragma once

#include <string>

namespace gyre {

[[gnu::cold, gnu::format(printf, 2, 3)]] void append_format(std::string& text, const char* format,
                                                            ...);

}  // namespace gyre
