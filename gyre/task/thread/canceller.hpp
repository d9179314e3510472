// SPDX-License-Identifier: Apache-2.0
// Canceller: cancels one task, from any thread; the task hears it at once. this_stop_token and
// cancel_on_stop connect a task with std::stop_token, in both directions.
//
//     Canceller canceller = handle.canceller();         // on the task's thread; then anywhere:
//     button.on_press([canceller] { canceller.cancel("the button was pressed"); });
//
//     cancel_on_stop(handle, source.get_token());       // request_stop() cancels the task
//
//     std::stop_token stop = co_await this_stop_token();
//     auto search = [stop] { search_until(stop); };     // a cancel ends the blocking work
//     co_await blocking(search);
//
// Thread: `cancel`, copies and the destructor from any thread; all else on the task's thread.
// Lifetime: copies are cheap and may outlive the task: a cancel after its end does nothing.
//
// While a task waits and a canceller for it exists, its loop stays alive: another thread may end
// the wait. So a deadlock of such a task is not detected.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "gyre/task/core/cancel.hpp"
#include "gyre/task/core/detail/frame_pool.hpp"
#include "gyre/task/core/task_handle.hpp"
#include "gyre/task/thread/detail/executor_message.hpp"

namespace gyre {

// The state that the cancellers and stop tokens of one task share. A cancel from another thread
// posts the cell itself to the executor, at most once at a time; so does the end of the last
// canceller, because the loop need not stay alive for it any more. Freed when the task is gone, no
// canceller is left and no message is on its way.
class CancelCell final : public ExecutorMessage, public Pooled {
public:
    explicit CancelCell(Task& task) noexcept;

    // Any thread.
    void add_holder() noexcept;
    void drop_holder() noexcept;
    void cancel(CancelReason reason);

    // The task's thread.
    void on_task_ended() noexcept;
    void on_task_gone() noexcept;
    // A token whose stop is requested when a cancel is due; after a cancel was delivered, a new
    // one.
    [[nodiscard]] std::stop_token stop_token();
    void request_stop() noexcept { stop_.request_stop(); }

private:
    static void on_arrival(ExecutorMessage& message, Executor& at) noexcept;
    // The next three under the mutex.
    void post() noexcept;
    void count_holders() noexcept;
    [[nodiscard]] bool is_over() const noexcept {
        return is_task_gone_ && holder_count_ == 0 && !is_posted_;
    }

    const void* const thread_mark_;
    std::mutex mutex_;  // for all below up to stop_
    Task* task_;        // null once it has ended; only its own thread follows it
    Loop* loop_;        // null once the task has ended
    std::uint32_t holder_count_ = 0;
    bool is_posted_ = false;
    bool is_task_gone_ = false;
    bool is_counted_ = false;  // among the waits of its executor that another thread may end
    std::optional<CancelReason> reason_;
    std::stop_source stop_{std::nostopstate};  // the task's thread only
};

class Canceller {
public:
    // For gyre/task itself.
    explicit Canceller(CancelCell& cell) noexcept : cell_(&cell) { cell_->add_holder(); }
    Canceller(const Canceller& other) noexcept : Canceller(other.cell()) {}
    Canceller(Canceller&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
    Canceller& operator=(Canceller other) noexcept {
        std::swap(cell_, other.cell_);
        return *this;
    }
    ~Canceller() {
        if (cell_ != nullptr) cell_->drop_holder();
    }

    // As TaskHandle::cancel.
    void cancel(CancelReason reason = {}) const { cell().cancel(std::move(reason)); }

private:
    [[nodiscard]] CancelCell& cell() const noexcept {
        GYRE_ASSERT(cell_ != nullptr, "this canceller was moved from");
        return *cell_;
    }

    CancelCell* cell_;
};

template <class T>
inline Canceller TaskHandle<T>::canceller() {
    return own().canceller();
}

// Cancels the task when a stop is requested, at once if it was. Lasts until the task ends.
template <class T>
void cancel_on_stop(TaskHandle<T>& handle, std::stop_token token) {
    if (!token.stop_possible()) return;
    const auto cancel = [canceller = handle.canceller()] {
        canceller.cancel(CancelReason("a stop was requested"));
    };
    using Callback = std::stop_callback<std::remove_const_t<decltype(cancel)>>;
    auto callback = std::make_unique<Callback>(std::move(token), cancel);
    handle.on_complete([kept = std::move(callback)]() mutable { kept.reset(); });
}

// `co_await this_stop_token()`: a token whose stop is requested when this task is cancelled, for
// blocking work and for other libraries. Never waits.
class [[nodiscard]] ThisStopToken {
    struct Await {
        Task& task;
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {}
        [[nodiscard]] std::stop_token await_resume() const {
            return task.cancel_cell().stop_token();
        }
    };

public:
    [[nodiscard]] Await await_in(PromiseBase& promise) const noexcept { return {promise.task()}; }
};
[[nodiscard]] inline ThisStopToken this_stop_token() noexcept {
    return {};
}

}  // namespace gyre
