// SPDX-License-Identifier: Apache-2.0
// Drawing a plan, and letting it happen. plan_text.cpp has its text.
#include "gyre/sim/plan.hpp"

#include <algorithm>
#include <utility>

#include "gyre/base/random.hpp"
#include "gyre/sim/internal/disk_events.hpp"
#include "gyre/sim/internal/fault_words.hpp"
#include "gyre/sim/world.hpp"

namespace gyre::sim {

std::string_view word_of(FaultKind kind) noexcept {
    return row_of(kind).word;
}

Duration Plan::end() const noexcept {
    Duration end(0);
    for (const PlanEvent& event : events) end = std::max(end, event.at + event.lasts);
    return end;
}

std::string_view name_of(PlanLevel level) noexcept {
    switch (level) {
        case PlanLevel::calm:
            return "calm";
        case PlanLevel::rough:
            return "rough";
        case PlanLevel::hostile:
            break;
    }
    return "hostile";
}

std::expected<PlanLevel, std::string> parse_level(std::string_view name) {
    for (const PlanLevel level : {PlanLevel::calm, PlanLevel::rough, PlanLevel::hostile}) {
        if (name_of(level) == name) return level;
    }
    return std::unexpected("'" + std::string(name) + "' is no plan: calm, rough or hostile");
}

double events_per_minute(PlanLevel level, FaultKind kind) noexcept {
    if (level == PlanLevel::calm) return 0;
    return level == PlanLevel::rough ? row_of(kind).rough : row_of(kind).hostile;
}

// ---- Drawing ----

namespace {

Duration draw(Random& random, DurationRange range) {
    const auto width = static_cast<std::uint64_t>((range.max - range.min).count());
    return range.min + Duration(static_cast<Duration::rep>(random.below(width + 1)));
}

// Short ones are as frequent as long ones: first the magnitude is drawn. Whole milliseconds, so that
// the text of a plan is short.
Duration draw_duration(Random& random, DurationRange range) {
    const Duration longest = draw(random, range);
    const Duration drawn = draw(random, {range.min, std::max(range.min, longest)});
    constexpr Duration whole = std::chrono::milliseconds(1);
    return std::max(drawn / whole * whole, std::min(range.min, whole));
}

PlanEvent draw_event(const FaultWord& row, Random& random, std::span<const std::string> hosts,
                     Duration until) {
    PlanEvent event{.at = draw_duration(random, {Duration(0), until}), .kind = row.kind};
    const std::size_t first = random.below(hosts.size());
    if (row.host_count > 0) event.host = hosts[first];
    if (row.host_count > 1) {
        const std::size_t step = 1 + random.below(hosts.size() - 1);
        event.other = hosts[(first + step) % hosts.size()];
    }
    const std::uint64_t width = row.number_max - row.number_min;
    event.number = row.number_min + random.below(width + 1);
    if (row.operand == Operand::time) {
        constexpr std::uint64_t whole = 1'000'000;
        event.number = event.number / whole * whole;
    }
    if (row.has_duration) {
        event.lasts = std::min(draw_duration(random, row.lasts), until - event.at);
    }
    return event;
}

}  // namespace

Plan draw_plan(PlanLevel level, std::uint64_t seed, std::span<const std::string> hosts,
               Duration until) {
    Plan plan;
    // Not the stream of the world's own draws.
    Random random(seed ^ 0x706c616e706c616eu);
    for (const FaultWord& row : fault_words) {
        const bool is_left_out = random.one_in(2);
        const double expected =
            events_per_minute(level, row.kind) * std::chrono::duration<double>(until).count() / 60;
        // Twice as many of the kinds that are not left out.
        const auto thousandths = static_cast<std::uint64_t>(expected * 2 * 1000);
        const std::uint64_t count = (thousandths + random.below(1000)) / 1000;
        const bool has_hosts = hosts.size() >= static_cast<std::size_t>(row.host_count);
        if (is_left_out || !has_hosts || row.host_count == 0) continue;
        for (std::uint64_t i = 0; i < count; ++i) {
            PlanEvent event = draw_event(row, random, hosts, until);
            // Behind those of the same time.
            const auto place = std::ranges::upper_bound(plan.events, event.at, {}, &PlanEvent::at);
            plan.events.insert(place, std::move(event));
        }
    }
    return plan;
}

// ---- Shrinking ----

namespace {

// Leaves out halves, then quarters, ... then single events: delta debugging.
bool leave_out(Plan& plan, const std::function<bool(const Plan&)>& fails) {
    bool has_shrunk = false;
    for (std::size_t size = std::max<std::size_t>(plan.events.size() / 2, 1);; size /= 2) {
        for (std::size_t at = 0; at < plan.events.size();) {
            Plan without = plan;
            const auto begin = without.events.begin() + static_cast<std::ptrdiff_t>(at);
            const std::size_t count = std::min(size, plan.events.size() - at);
            without.events.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
            if (fails(without)) {
                plan = std::move(without);
                has_shrunk = true;
            } else {
                at += size;
            }
        }
        if (size <= 1) return has_shrunk;
    }
}

}  // namespace

Plan shrink(Plan plan, const std::function<bool(const Plan&)>& fails) {
    while (leave_out(plan, fails)) {
    }
    constexpr Duration shortest = std::chrono::milliseconds(1);
    for (std::size_t i = 0; i < plan.events.size(); ++i) {
        while (plan.events[i].lasts / 2 >= shortest) {
            Plan shorter = plan;
            shorter.events[i].lasts = plan.events[i].lasts / 2 / shortest * shortest;
            if (!fails(shorter)) break;
            plan = std::move(shorter);
        }
    }
    return plan;
}

// ---- Happening ----

PlanRun::PlanRun(const Plan& plan, World& world) : world_(world) {
    const Instant start = world.now();
    for (const PlanEvent& event : plan.events) {
        world.at(start + event.at, [this, event] { begin(event); });
        if (event.lasts > Duration(0)) {
            world.at(start + event.at + event.lasts, [this, event] { end(event); });
        }
    }
}

namespace {

// The fault that the event sets, or its absence.
void set_field(LinkFaults& faults, const PlanEvent& event, bool is_on) {
    const std::uint64_t number = is_on ? event.number : 0;
    switch (event.kind) {
        case FaultKind::cut:
        case FaultKind::cut_one_way:
            faults.is_cut = is_on;
            break;
        case FaultKind::refuse:
            faults.refuses_connects = is_on;
            break;
        case FaultKind::slow:
            faults.latency = LinkFaults().latency;
            if (is_on) faults.latency.max += Duration(static_cast<Duration::rep>(number));
            break;
        case FaultKind::throttle:
            faults.bytes_per_second = number;
            break;
        case FaultKind::lose:
            faults.loss_one_in = number;
            break;
        case FaultKind::duplicate:
            faults.duplicate_one_in = number;
            break;
        default:
            faults.overtaken_one_in = number;
            break;
    }
}

void set_field(Host& host, const PlanEvent& event, bool is_on) {
    const auto number = static_cast<std::int64_t>(is_on ? event.number : 0);
    switch (event.kind) {
        case FaultKind::descriptors:
            host.set_descriptor_count_max(is_on ? static_cast<int>(number)
                                                : host.descriptor_limit());
            break;
        case FaultKind::clock_drift:
            host.wall_clock().set_drift(host.world().now(), number);
            break;
        case FaultKind::late_timers:
            host.system().timer_delay = Duration(number);
            break;
        case FaultKind::late_wakes:
            host.system().wake_delay = Duration(number);
            break;
        case FaultKind::no_names:
            host.system().names_fail = is_on;
            break;
        case FaultKind::slow_work:
            host.system().work_delay = Duration(number);
            break;
        default:
            set_disk_fault(host.disk(), event, is_on);
    }
}

bool is_of_link(FaultKind kind) noexcept {
    return kind <= FaultKind::overtake;
}

}  // namespace

void PlanRun::begin(const PlanEvent& event) {
    std::uint64_t& count = counts_[static_cast<std::size_t>(event.kind)];
    if (event.kind == FaultKind::heal) {
        ++count;
        return world_.heal();
    }
    Host& host = *world_.find_host(event.host);
    if (row_of(event.kind).host_count == 2) {
        Host& other = *world_.find_host(event.other);
        ++count;
        if (event.kind == FaultKind::stall) return world_.stall(host, other, event.lasts);
        if (event.kind == FaultKind::reset) return world_.reset(host, other);
        LinkFaults faults = world_.link(host, other);
        set_field(faults, event, true);
        world_.set_link(host, other, faults);
        if (event.kind == FaultKind::cut) world_.cut(host, other);
        return;
    }
    if (!host.is_running()) return;
    ++count;
    switch (event.kind) {
        case FaultKind::crash:
            return host.crash();
        case FaultKind::kill:
            return host.kill();
        case FaultKind::pause:
            return host.pause_until(world_.now() + event.lasts);
        case FaultKind::clock_jump:
        case FaultKind::clock_back: {
            const Duration by(static_cast<Duration::rep>(event.number));
            const bool is_ahead = event.kind == FaultKind::clock_jump;
            return host.wall_clock().jump(world_.now(), is_ahead ? by : -by);
        }
        case FaultKind::memory:
            return host.memory().fail_at(event.number);
        case FaultKind::rot:
            count -= host.rot(event.path) ? 0 : 1;
            return;
        default:
            set_field(host, event, true);
    }
}

void PlanRun::end(const PlanEvent& event) {
    Host& host = *world_.find_host(event.host);
    if (event.kind == FaultKind::crash || event.kind == FaultKind::kill) {
        if (!host.is_running() && !host.exit_code()) host.start();
        return;
    }
    if (is_of_link(event.kind)) {
        Host& other = *world_.find_host(event.other);
        LinkFaults faults = world_.link(host, other);
        set_field(faults, event, false);
        world_.set_link(host, other, faults);
        if (event.kind != FaultKind::cut) return;
        LinkFaults back = world_.link(other, host);
        back.is_cut = false;
        world_.set_link(other, host, back);
        return;
    }
    if (row_of(event.kind).host_count == 1 && event.kind != FaultKind::pause) {
        set_field(host, event, false);
    }
}

}  // namespace gyre::sim
