// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/inline_offload.hpp"

#include <utility>

#include "gyre/kernel/loop.hpp"
#include "gyre/sim/host_memory.hpp"

namespace gyre::sim {

class InlineOffload::Job : public TimelineEvent {
public:
    Job(InlineOffload& offload, Op& op, Work work, Loop& home) noexcept
        : TimelineEvent(offload.context_.timeline),
          offload_(offload),
          op_(op),
          work_(work),
          home_(home) {}

private:
    friend class InlineOffload;
    void fire() noexcept override { offload_.run(*this); }

    InlineOffload& offload_;
    Op& op_;
    Work work_;
    Loop& home_;
};

InlineOffload::InlineOffload(SimContext& context) noexcept : context_(context) {}
InlineOffload::~InlineOffload() = default;

bool InlineOffload::start(Op& op, Work work, Loop& home) noexcept {
    const OutsideHost outside;
    if (jobs_.size() >= context_.options.work_count_max) return false;
    auto job = std::make_unique<Job>(*this, op, work, home);
    job->schedule_at(context_.now() + context_.draw(context_.options.work_delay) +
                     context_.draw_delay(context_.system.work_delay));
    jobs_.emplace(&op, std::move(job));
    return true;
}

bool InlineOffload::withdraw(Op& op) noexcept {
    return jobs_.erase(&op) > 0;
}

void InlineOffload::run(Job& job) noexcept {
    const auto own = jobs_.extract(&job.op_);  // Lives until the end of this function.
    const HostMemory::Use inside(context_.memory);
    const std::int32_t result = job.work_(job.op_);
    job.home_.post_offloaded(job.op_, result);
}

}  // namespace gyre::sim
