// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/detail/permitted_url.hpp"

#include <optional>
#include <system_error>
#include <utility>

#include "gyre/db/error.hpp"
#include "gyre/db/internal/url.hpp"
#include "gyre/fs/confined.hpp"

namespace gyre::db {

Future<std::string> permitted_path(const Permissions& permissions, std::string path) {
    std::optional<std::string> why;
    try {
        std::string inside = co_await fs::confined(permissions, std::move(path));
        co_return inside;
    } catch (const std::system_error& e) {
        why = e.what();
    }
    throw DbError(DbError::Kind::refused, *why);
}

Future<std::string> permitted_url(const Permissions& permissions, std::string url) {
    const Url parsed = parse_url(url);
    if (parsed.database == Url::Database::sqlite) {
        if (parsed.name == ":memory:") co_return url;
        const std::string path = co_await permitted_path(permissions, parsed.name);
        co_return "sqlite:" + path;
    }
    if (parsed.is_unix()) {
        // The path of the folder decides; a link to a folder outside is refused.
        [[maybe_unused]] const std::string folder =
            co_await permitted_path(permissions, parsed.host);
        co_return url;
    }
    if (!permissions.allows_host(parsed.host, parsed.port)) {
        const std::string place = parsed.host + ":" + std::to_string(parsed.port);
        throw DbError(DbError::Kind::refused, place + " is not permitted: --allow net=" + place);
    }
    co_return url;
}

}  // namespace gyre::db
