// SPDX-License-Identifier: Apache-2.0
// The names, statuses and rules of refusals. Pure functions.
#include "gyre/http/refusal.hpp"

#include <array>
#include <cstddef>

namespace gyre::http {
namespace {

struct RefusalRow {
    std::string_view name;
    int status;
    std::string_view rule;
};

constexpr auto refusals = std::to_array<RefusalRow>({
#define GYRE_HTTP_REFUSAL(name, status, rule) {#name, status, rule},
    GYRE_HTTP_REFUSALS(GYRE_HTTP_REFUSAL)
#undef GYRE_HTTP_REFUSAL
});

const RefusalRow& row_of(Refusal refusal) noexcept {
    return refusals[static_cast<std::size_t>(refusal)];
}

}  // namespace

std::string_view name_of(Refusal refusal) noexcept {
    return row_of(refusal).name;
}

int status_of(Refusal refusal) noexcept {
    return row_of(refusal).status;
}

std::string_view rule_of(Refusal refusal) noexcept {
    return row_of(refusal).rule;
}

}  // namespace gyre::http
