// SPDX-License-Identifier: Apache-2.0
// Schedules as texts: refused with an error that says so, or read as a schedule whose next time is after the time
// asked for, a whole minute, one that it names itself, with none between that it names.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "gyre/durable/cron.hpp"
#include "gyre/durable/error.hpp"

using namespace gyre;
using durable::Cron;

namespace {

constexpr std::int64_t minute = 60'000'000;

void check_next(const Cron& cron, std::int64_t from) {
    const db::Timestamp next = cron.next_after({from});
    if (next == db::Timestamp::future()) return;
    GYRE_ASSERT(next.micros > from && next.micros % minute == 0, "the next whole minute");
    GYRE_ASSERT(cron.matches(next), "a minute that the schedule names");
    const std::int64_t first = from - from % minute + minute;
    const std::int64_t last = std::min(next.micros, first + 1000 * minute);
    for (std::int64_t at = first; at < last; at += minute) {
        GYRE_ASSERT(!cron.matches({at}), "the first one");
    }
}

}  // namespace

// The zone is what stands behind the first line's end.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const std::size_t end = all.find('\n');
    const std::string_view zone = end == std::string_view::npos ? "UTC" : all.substr(end + 1);
    try {
        const Cron cron = Cron::parse(all.substr(0, end), zone);
        constexpr std::int64_t year_2026 = 1'767'225'600'000'000;
        for (const std::int64_t from :
             {std::int64_t{0}, year_2026, year_2026 + 12'345'678'901'234, std::int64_t{1} << 57}) {
            check_next(cron, from);
        }
    } catch (const durable::DurableError& e) {
        GYRE_ASSERT(e.kind() == durable::DurableError::Kind::bad_schedule, "a wrong text says so");
    }
    return 0;
}
