// SPDX-License-Identifier: Apache-2.0
// The job sources of a script: its microtasks one at a time where each is told
// of, ticks and immediates, which the host library keeps.
#include <utility>

#include "lang/script/internal/job_trace.hpp"
#include "lang/script/script.hpp"

namespace gyre::script {

std::size_t Script::ToldJobs::pending() const noexcept {
    return script_.engine_->microtasks().pending();
}

job::JobsRun Script::ToldJobs::run_some(std::size_t /*max*/) noexcept {
    JobTrace* const trace = script_.trace_.get();
    if (trace != nullptr && script_.are_reactions_told_) {
        trace->expect_microtask();
        if (script_.options_.on_step) script_.options_.on_step("microtask");
    } else {
        script_.tell_step("microtask", -1);
    }
    const job::JobsRun ran = script_.engine_->microtasks().run_some(1);
    if (trace != nullptr) trace->end();
    return ran;
}

void Script::ToldJobs::queue(Callback<> job) {
    script_.engine_->microtasks().queue(std::move(job));
}

// ---- Ticks ----

std::size_t Script::Ticks::pending() const noexcept {
    return static_cast<std::size_t>(script_.engine_->shared_words()[SharedWords::ticks_pending]);
}

job::JobsRun Script::Ticks::run_some(std::size_t max) noexcept {
    return script_.run_kept_jobs(Hook::run_ticks, max, SharedWords::ticks_run);
}

void Script::Ticks::queue(Callback<> job) {
    script_.engine_->microtasks().queue(std::move(job));
}

// ---- Immediates ----

std::int32_t& Script::Immediates::word(std::size_t index) const noexcept {
    return script_.engine_->shared_words()[index];
}

bool Script::Immediates::has_any() const noexcept {
    return word(SharedWords::immediates_wait) != 0 || word(SharedWords::immediates_are_batch) != 0;
}

bool Script::Immediates::has_batch() const noexcept {
    const bool is_taken = word(SharedWords::immediates_are_taken) != 0;
    return word(SharedWords::immediates_are_batch) != 0 ||
           (is_taken && word(SharedWords::immediates_wait) != 0);
}

std::size_t Script::Immediates::reference_count() const noexcept {
    return static_cast<std::size_t>(word(SharedWords::immediate_references));
}

// The library moves them when it next looks at its lists: a call for it would cost more.
void Script::Immediates::take_batch() noexcept {
    word(SharedWords::immediates_are_taken) = 1;
}

// One at a time where each is told of.
job::JobsRun Script::Immediates::run_batch(std::size_t max) noexcept {
    return script_.run_kept_jobs(Hook::run_immediates, script_.tells_jobs() ? 1 : max,
                                 SharedWords::immediates_run);
}

}  // namespace gyre::script
