// SPDX-License-Identifier: Apache-2.0
#include "gyre/process/signals.hpp"

#include <memory>
#include <optional>

#include "gyre/base/assert.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/sync/event.hpp"

namespace gyre::process {
namespace {

// The standing SignalOps of one stream. Lives until all of them have completed, which may be after
// the stream is destroyed: see OwnedSubscription.
class Subscription final : public Suspension {
public:
    Subscription(Executor& executor, const std::vector<int>& numbers) : executor_(executor) {
        for (const int number : numbers) {
            ops_.push_back(std::make_unique<SignalOp>(number));
        }
    }

    // The ops keep the loop alive.
    void start(PromiseBase& by) noexcept {
        attach(by);
        for (const auto& op : ops_) {
            ++in_flight_;
            executor_.submit_for(*op, *this);
        }
    }
    [[nodiscard]] Executor& home() const noexcept { return executor_; }

    // Waits for the next signal.
    Future<int> next() {
        for (;;) {
            for (const auto& op : ops_) {
                if (op->count == 0) continue;
                --op->count;
                co_return op->signal_number;
            }
            if (failed_) co_await fail(*failed_);
            changed_.reset();
            co_await changed_.wait();
        }
    }
    // Waits until the platform has accepted all ops; throws if it refused one.
    Future<void> registered() {
        // An op submitted in a tick reaches the platform before the next turn's timers are due.
        co_await sleep(Duration(0));
        if (failed_) co_await fail(*failed_);
    }
    Future<void> stop() {
        cancel();
        while (in_flight_ > 0) {
            changed_.reset();
            co_await changed_.wait();
        }
    }

    void cancel() noexcept override {
        for (const auto& op : ops_) executor_.cancel(*op);
    }
    void on_notify(StandingOp& /*op*/) noexcept override { changed_.set(); }
    void on_complete(Op& op) noexcept override {
        GYRE_ASSERT(in_flight_ > 0, "a SignalOp completed twice");
        --in_flight_;
        if (!op.is_cancelled()) failed_ = op.error();
        changed_.set();
    }
    [[nodiscard]] const char* what() const noexcept override { return "signals"; }

private:
    Executor& executor_;
    std::vector<std::unique_ptr<SignalOp>> ops_;
    std::size_t in_flight_ = 0;
    std::optional<Error> failed_;
    Event changed_;
};

Future<void> end_subscription(std::unique_ptr<Subscription> subscription) {
    co_await subscription->stop();
}

// Owns a Subscription. The destructor hands it to a task of the root scope, which is not cancelled
// and waits until its ops have completed.
class OwnedSubscription {
public:
    explicit OwnedSubscription(std::unique_ptr<Subscription> subscription) noexcept
        : subscription_(std::move(subscription)) {}
    OwnedSubscription(OwnedSubscription&&) noexcept = default;
    OwnedSubscription& operator=(OwnedSubscription&&) = delete;
    ~OwnedSubscription() {
        if (subscription_ == nullptr) return;
        Executor& executor = subscription_->home();
        if (!executor.is_attached()) return;  // The loop is closed, so the ops have completed.
        executor.root().spawn_clean_up(end_subscription(std::move(subscription_)));
    }
    [[nodiscard]] Subscription& subscription() const noexcept { return *subscription_; }

private:
    std::unique_ptr<Subscription> subscription_;
};

// `co_await Start{subscription}` submits the ops on behalf of this task. Never waits.
struct [[nodiscard]] Start {
    Subscription& subscription;
    struct Await {
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {}
        void await_resume() const noexcept {}
    };
    [[nodiscard]] Await await_in(PromiseBase& promise) const noexcept {
        subscription.start(promise);
        return {};
    }
};

Stream<int> stream_of(OwnedSubscription owned) {
    for (;;) co_yield co_await owned.subscription().next();
}

}  // namespace

Future<Stream<int>> signals(std::vector<int> numbers) {
    const Task& self = co_await this_task();
    OwnedSubscription owned(std::make_unique<Subscription>(self.executor(), numbers));
    co_await Start{owned.subscription()};
    co_await owned.subscription().registered();
    co_return stream_of(std::move(owned));
}

}  // namespace gyre::process
