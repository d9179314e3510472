// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/postgres/server_error.hpp"

#include <charconv>
#include <utility>

namespace gyre::db::postgres {

ServerError read_server_error(const Frame& frame) {
    DbError::Details details;
    bool is_fatal = false;
    FieldReader fields(frame);
    for (;;) {
        const char name = fields.number<char>();
        if (name == '\0') break;
        const std::string_view value = fields.text();
        switch (name) {
            case 'V':
                is_fatal = value == "FATAL" || value == "PANIC";
                break;
            case 'C':
                details.sqlstate = value;
                break;
            case 'M':
                details.message = value;
                break;
            case 'D':
                details.message += " (" + std::string(value) + ")";
                break;
            case 'n':
                details.constraint = value;
                break;
            case 'P':
                static_cast<void>(
                    std::from_chars(value.data(), value.data() + value.size(), details.position));
                break;
            default:
                break;
        }
    }
    fields.end();
    details.kind = kind_of_sqlstate(details.sqlstate);
    details.is_retry_safe = is_retry_safe(details.kind);
    return {.error = DbError(std::move(details)), .is_fatal = is_fatal};
}

}  // namespace gyre::db::postgres
