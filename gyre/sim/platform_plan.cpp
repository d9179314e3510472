// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/platform_plan.hpp"

#include "gyre/sim/internal/disk_events.hpp"
#include "gyre/sim/internal/sim_host.hpp"
#include "gyre/sim/platform.hpp"

namespace gyre::sim {

// The begin or the end of an event.
class PlatformPlan::Step final : private TimelineEvent {
public:
    Step(SimContext& context, const PlanEvent& event, bool is_begin, Instant when)
        : TimelineEvent(context.timeline), context_(context), event_(event), is_begin_(is_begin) {
        schedule_at(when);
    }

private:
    void fire() noexcept override {
        if (event_.kind == FaultKind::descriptors) {
            context_.descriptors.set_count_max(is_begin_ ? static_cast<int>(event_.number)
                                                         : context_.options.descriptor_count_max);
            return;
        }
        set_disk_fault(context_.disk, event_, is_begin_);
    }

    SimContext& context_;
    const PlanEvent event_;
    const bool is_begin_;
};

bool PlatformPlan::can_happen(FaultKind kind) noexcept {
    return kind >= FaultKind::read_error && kind <= FaultKind::descriptors;
}

Plan PlatformPlan::draw(PlanLevel level, std::uint64_t seed, Duration until) {
    const std::vector<std::string> names = hosts();
    Plan plan = draw_plan(level, seed, names, until);
    std::erase_if(plan.events, [](const PlanEvent& event) { return !can_happen(event.kind); });
    return plan;
}

PlatformPlan::PlatformPlan(const Plan& plan, SimPlatform& platform) {
    SimContext& context = platform.host().context();
    for (const PlanEvent& event : plan.events) {
        if (!can_happen(event.kind)) continue;
        const Instant begin = context.now() + event.at;
        steps_.push_back(std::make_unique<Step>(context, event, true, begin));
        steps_.push_back(std::make_unique<Step>(context, event, false, begin + event.lasts));
    }
}

PlatformPlan::~PlatformPlan() = default;

}  // namespace gyre::sim
