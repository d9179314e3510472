// SPDX-License-Identifier: Apache-2.0
#include "gyre/process/signals.hpp"

#include <memory>
#include <optional>

#include "gyre/kernel/io_ops.hpp"
#include "gyre/task/event.hpp"
#include "gyre/task/scope.hpp"
#include "gyre/task/sleep.hpp"
#include "gyre/task/this_task.hpp"

namespace gyre::process {
namespace {

// The standing ops of one stream. It lives until all of them are back, which may be after the
// stream: see Listening.
class Desk final : public Suspension {
public:
    Desk(Executor& executor, const std::vector<int>& numbers) : executor_(executor) {
        for (const int number : numbers) {
            ops_.push_back(std::make_unique<SignalOp>(number));
        }
    }

    // They keep the loop alive, as what the reader waits for.
    void start(PromiseBase& by) noexcept {
        attach(by);
        for (const auto& op : ops_) {
            ++in_flight_;
            executor_.submit_for(*op, *this);
        }
    }
    [[nodiscard]] Executor& home() const noexcept { return executor_; }

    // The next that came; waits for it.
    Future<int> next() {
        for (;;) {
            for (const auto& op : ops_) {
                if (op->count == 0) continue;
                --op->count;
                co_return op->signal_number;
            }
            if (failed_) co_await fail(*failed_);
            news_.reset();
            co_await news_.wait();
        }
    }
    // Until the platform has taken all of them, or refused one.
    Future<void> taken() {
        // What is submitted in a tick reaches the platform before the next turn's timers are due.
        co_await sleep(Duration(0));
        if (failed_) co_await fail(*failed_);
    }
    Future<void> stop() {
        cancel();
        while (in_flight_ > 0) {
            news_.reset();
            co_await news_.wait();
        }
    }

    void cancel() noexcept override {
        for (const auto& op : ops_) executor_.cancel(*op);
    }
    void on_notify(StandingOp& /*op*/) noexcept override { news_.set(); }
    void on_complete(Op& op) noexcept override {
        --in_flight_;
        if (!op.is_cancelled()) failed_ = op.error();
        news_.set();
    }
    [[nodiscard]] const char* what() const noexcept override { return "signals"; }

private:
    Executor& executor_;
    std::vector<std::unique_ptr<SignalOp>> ops_;
    std::size_t in_flight_ = 0;
    std::optional<Error> failed_;
    Event news_;
};

Future<void> stop_listening(std::unique_ptr<Desk> desk) {
    co_await desk->stop();
}

// Owns the desk; whatever way that is left, its ops come back in a task that no cancel reaches.
class Listening {
public:
    explicit Listening(std::unique_ptr<Desk> desk) noexcept : desk_(std::move(desk)) {}
    Listening(Listening&&) noexcept = default;
    Listening& operator=(Listening&&) = delete;
    ~Listening() {
        if (desk_ == nullptr) return;
        Executor& executor = desk_->home();
        if (!executor.is_attached()) return;  // The loop has closed, so the ops are back.
        executor.root().spawn_clean_up(stop_listening(std::move(desk_)));
    }
    [[nodiscard]] Desk& desk() const noexcept { return *desk_; }

private:
    std::unique_ptr<Desk> desk_;
};

// `co_await Start{desk}`: submits the ops, as this task's. Never waits.
struct [[nodiscard]] Start {
    Desk& desk;
    struct Await {
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {}
        void await_resume() const noexcept {}
    };
    [[nodiscard]] Await await_in(PromiseBase& promise) const noexcept {
        desk.start(promise);
        return {};
    }
};

Stream<int> heard_by(Listening listening) {
    for (;;) co_yield co_await listening.desk().next();
}

}  // namespace

Future<Stream<int>> signals(std::vector<int> numbers) {
    const Task& self = co_await this_task();
    Listening listening(std::make_unique<Desk>(self.executor(), numbers));
    co_await Start{listening.desk()};
    co_await listening.desk().taken();
    co_return heard_by(std::move(listening));
}

}  // namespace gyre::process
