// SPDX-License-Identifier: Apache-2.0
// Fuzz target: formatting and parsing an address again gives the same address, a reference resolves
// to such an address or fails, and percent-encoding round-trips.
#include <string_view>

#include "gyre/http/fuzz_text.test.hpp"
#include "gyre/http/url.hpp"

namespace gyre::http {

int fuzz_text(std::string_view text) {
    const auto check = [](const Url& url) {
        GYRE_ASSERT(url.target.starts_with('/'), "a target begins with a slash");
        GYRE_ASSERT(!url.host.empty() && url.port != 0, "there is somebody to ask");
        const auto again = parse_url(url.text());
        GYRE_ASSERT(again.has_value() && *again == url, "written and parsed it is the same");
    };
    if (const auto url = parse_url(text)) check(*url);
    const Url base = parse_url("http://a/b/c/d?q").value();
    if (const auto url = resolve_url(base, text)) {
        if (url->text().size() <= url_bytes_max) check(*url);
    }
    GYRE_ASSERT(percent_decoded(percent_encoded(text)) == text, "there and back");
    const TargetParts parts = split_target(text);
    static_cast<void>(query_value(parts.query, "a"));
    return 0;
}

}  // namespace gyre::http
