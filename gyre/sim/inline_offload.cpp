// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/inline_offload.hpp"

#include <utility>

#include "gyre/kernel/loop.hpp"

namespace gyre::sim {

class InlineOffload::Job : public Happening {
public:
    Job(InlineOffload& offload, Op& op, Work work, Loop& home) noexcept
        : Happening(offload.medium_.timeline),
          offload_(offload),
          op_(op),
          work_(work),
          home_(home) {}

private:
    friend class InlineOffload;
    void happen() noexcept override { offload_.run(*this); }

    InlineOffload& offload_;
    Op& op_;
    Work work_;
    Loop& home_;
};

InlineOffload::InlineOffload(Medium& medium) noexcept : medium_(medium) {}
InlineOffload::~InlineOffload() = default;

bool InlineOffload::start(Op& op, Work work, Loop& home) noexcept {
    if (jobs_.size() >= medium_.options.work_count_max) return false;
    auto job = std::make_unique<Job>(*this, op, work, home);
    job->happen_at(medium_.now() + medium_.draw(medium_.options.work_delay));
    jobs_.emplace(&op, std::move(job));
    return true;
}

bool InlineOffload::withdraw(Op& op) noexcept {
    return jobs_.erase(&op) > 0;
}

void InlineOffload::run(Job& job) noexcept {
    const auto own = jobs_.extract(&job.op_);  // Kept until the end: the job is being used.
    const std::int32_t result = job.work_(job.op_);
    job.home_.post_offloaded(job.op_, result);
}

}  // namespace gyre::sim
