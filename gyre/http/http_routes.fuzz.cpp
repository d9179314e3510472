// SPDX-License-Identifier: Apache-2.0
// Fuzz target: patterns and paths, one per line. A pattern is added or refused with an error; the
// parameters of a match are views into the path, and a pattern of words only matches itself.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "gyre/base/failure.hpp"
#include "gyre/http/fuzz_text.test.hpp"
#include "gyre/http/internal/route_table.hpp"

namespace gyre::http {

int fuzz_text(std::string_view text) {
    std::string_view rest = text;
    RouteTable table;
    while (!rest.empty() && table.size() < 50) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const RouteMatch found = table.find(Method::get, line);
        if (found.kind == RouteMatch::Kind::found) {
            GYRE_ASSERT(found.route < table.size(), "a match is a route that was added");
        }
        GYRE_ASSERT(found.param_count() <= route_param_count_max, "names are bounded");
        try {
            const std::size_t route = table.add(Method::get, line);
            if (line.find_first_of(":*") != std::string_view::npos) continue;
            GYRE_ASSERT(table.find(Method::get, line).route == route, "words find themselves");
        } catch (const Failure&) {
            continue;
        }
    }
    return 0;
}

}  // namespace gyre::http
