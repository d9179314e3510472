// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/thread/canceller.hpp"

#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre {

CancelCell::CancelCell(Task& task) noexcept
    : ExecutorMessage(&on_arrival),
      thread_mark_(FramePool::this_thread()),
      task_(&task),
      loop_(&task.executor().loop()) {}

void CancelCell::add_holder() noexcept {
    const std::lock_guard lock(mutex_);
    // The first one is made on the task's thread, or copied from one that exists.
    if (++holder_count_ == 1) count_holders();
}

void CancelCell::drop_holder() noexcept {
    std::unique_lock lock(mutex_);
    --holder_count_;
    if (holder_count_ == 0 && loop_ != nullptr) {
        thread_mark_ == FramePool::this_thread() ? count_holders() : post();
    }
    const bool is_last = is_over();
    lock.unlock();
    if (is_last) delete this;
}

void CancelCell::cancel(CancelReason reason) {
    std::unique_lock lock(mutex_);
    if (loop_ == nullptr) return;
    if (thread_mark_ == FramePool::this_thread()) {
        lock.unlock();
        task_->cancel(std::move(reason));
        return;
    }
    if (!reason_.has_value()) reason_ = std::move(reason);
    post();
}

void CancelCell::post() noexcept {
    if (is_posted_) return;
    is_posted_ = loop_->post(*this);  // A closed loop cancels its tasks without it.
}

// The loop stays alive while there are holders.
void CancelCell::count_holders() noexcept {
    const bool is_needed = holder_count_ > 0 && task_ != nullptr && !task_->is_background();
    if (is_needed == is_counted_ || loop_ == nullptr) return;
    is_counted_ = is_needed;
    task_->executor().count_outside_wait(is_needed ? 1 : -1);
}

void CancelCell::on_arrival(ExecutorMessage& message, Executor& /*at*/) noexcept {
    auto& cell = static_cast<CancelCell&>(message);
    std::unique_lock lock(cell.mutex_);
    cell.is_posted_ = false;
    cell.count_holders();
    std::optional<CancelReason> reason = std::exchange(cell.reason_, std::nullopt);
    Task* const task = cell.task_;
    const bool is_last = cell.is_over();
    lock.unlock();
    if (is_last) {
        delete &cell;
    } else if (task != nullptr && reason.has_value()) {
        task->cancel(std::move(*reason));
    }
}

void CancelCell::on_task_ended() noexcept {
    const std::lock_guard lock(mutex_);
    if (task_ == nullptr) return;
    if (std::exchange(is_counted_, false)) task_->executor().count_outside_wait(-1);
    task_ = nullptr;
    loop_ = nullptr;
}

void CancelCell::on_task_gone() noexcept {
    on_task_ended();
    std::unique_lock lock(mutex_);
    is_task_gone_ = true;
    const bool is_last = is_over();
    lock.unlock();
    if (is_last) delete this;
}

std::stop_token CancelCell::stop_token() {
    const bool is_due = task_->is_cancel_due();
    if (!stop_.stop_possible() || (stop_.stop_requested() && !is_due)) stop_ = std::stop_source();
    if (is_due) stop_.request_stop();
    return stop_.get_token();
}

}  // namespace gyre
