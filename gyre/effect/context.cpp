// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/context.hpp"

#include <stdexcept>

#include "gyre/base/failure.hpp"
#include "gyre/effect/detail/run.hpp"
#include "gyre/effect/scheduler.hpp"

namespace gyre::effect {

CancelToken::CancelToken(Run& run) noexcept : run_(&run) {
    run_->pin();
}
CancelToken::~CancelToken() {
    run_->unpin();
}
bool CancelToken::is_cancelled() const noexcept {
    return run_->is_terminal() && run_->end == RunEndKind::cancelled;
}
bool CancelToken::is_over() const noexcept {
    return run_->is_terminal();
}

Run& Context::run() const noexcept {
    return task().run;
}
RunId Context::run_id() const noexcept {
    return run().id;
}
std::uint32_t Context::task_id() const noexcept {
    return task().id;
}
Journal* Context::journal() const noexcept {
    const Run::Recording* recording = run().recording();
    return recording == nullptr ? nullptr : recording->journal;
}
Instant Context::now() const noexcept {
    return executor().now();
}
Executor& Context::executor() const noexcept {
    return run().scheduler.executor();
}
void Context::on_end(std::move_only_function<void()> clean_up) {
    run().scheduler.add_clean_up(run(), std::move(clean_up));
}

void Context::cancel_run(CancelReason reason) {
    run().scheduler.cancel(run(), std::move(reason));
}

Reply::~Reply() {
    if (pending_ != nullptr) {
        fail(std::make_exception_ptr(Failure("the handler dropped its reply without an answer")));
    }
}
bool Reply::answer(Answer answer) {
    if (pending_ == nullptr) {
        scheduler_->reject_answer();
        return false;
    }
    return scheduler_->reply(*std::exchange(pending_, nullptr), std::move(answer), nullptr);
}
bool Reply::fail(std::exception_ptr failure) {
    if (pending_ == nullptr) {
        scheduler_->reject_answer();
        return false;
    }
    return scheduler_->reply(*std::exchange(pending_, nullptr), resume(), std::move(failure));
}

}  // namespace gyre::effect
