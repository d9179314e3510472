// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/detail/actor_host.hpp"

#include <algorithm>
#include <utility>

#include "gyre/actor/internal/system_state.hpp"
#include "gyre/base/log.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::actor {
namespace {

// While the loop closes, arriving messages do not wake the runner: it polls.
constexpr Duration poll_period = std::chrono::milliseconds(1);

}  // namespace

ActorHost::ActorHost(std::shared_ptr<SystemState> system, Executor& executor, std::string name)
    : system_(std::move(system)),
      has_exclusive_(system_->exclusive_flag()),
      measures_busy_time_(system_->options.measures_busy_time),
      executor_(&executor),
      order_(system_->options.order_seed),
      thread_mark_(FramePool::this_thread()),
      name_(std::move(name)),
      app_ref_(executor.loop().app_ref()),
      last_id_(std::uint64_t{executor.loop().thread_id()} << 40u) {}

ActorHost::~ActorHost() = default;

ActorHost& ActorHost::open(const std::shared_ptr<SystemState>& system, Scope& scope,
                           std::string name) {
    GYRE_ASSERT(scope.executor().is_here(), "open a loop for actors on the thread of that loop");
    auto* host = new ActorHost(system, scope.executor(), std::move(name));
    auto runner = scope.spawn(host->run());
    runner.set_name("actors");
    host->scope_.emplace(scope.executor(), &runner.task(),
                         ScopeOptions{.name = "actors", .cancels_on_failure = false});
    LoopLocals::here().actors = host;
    system->add_host(*host);
    return *host;
}

bool ActorHost::post(ExecutorMessage& message) noexcept {
    if (!gate_.enter()) return false;
    const bool is_posted = executor_->loop().post(message);
    gate_.leave(is_posted ? 1 : 2);
    return is_posted;
}

// The wait of the runner while no actor is ready. It is in the runner's frame, which may outlive
// the host (ActorHost::abandon) or be destroyed before it.
class ActorHost::IdleWait final : public OutsideWait {
public:
    IdleWait(PromiseBase& promise, ActorHost& host) noexcept : host_(&host) { attach(promise); }
    [[nodiscard]] bool await_ready() noexcept { return begin(); }
    void await_suspend(std::coroutine_handle<> by) noexcept {
        host_->idle_ = this;
        if (host_->system_->options.serves_threads) begin_outside_wait();
        wait(by);
    }
    void await_resume() { end(); }
    void cancel() noexcept override {
        detach();
        wake_cancelled();
    }
    void abandon() noexcept override { detach(); }
    [[nodiscard]] const char* what() const noexcept override { return "messages to its actors"; }

    void wake_runner() noexcept {
        detach();
        wake();
    }
    void detach() noexcept {
        if (ActorHost* host = std::exchange(host_, nullptr)) host->idle_ = nullptr;
        end_outside_wait();
    }

private:
    ActorHost* host_;
};

struct ActorHost::Idle {
    ActorHost& host;
    [[nodiscard]] IdleWait await_in(PromiseBase& promise) const noexcept { return {promise, host}; }
};

void ActorHost::wake() noexcept {
    idle_->wake_runner();
}

void ActorHost::adopt(Cell& cell) noexcept {
    cell.share();
    cells_.push_back(cell);
    ++live_count_;
}

void ActorHost::remove(Cell& cell) noexcept {
    static_cast<Link<HostLinks>&>(cell).unlink();
    GYRE_ASSERT(live_count_ > 0, "remove only an actor that this host has adopted");
    --live_count_;
    cell.drop();
}

// Runs ready actors until stop and the end of the last actor. A cancel stops the actors.
Future<void> ActorHost::run() {
    while (!is_over()) {
        run_batch();
        if (is_over()) break;
        try {
            if (!ready_.empty()) {
                co_await yield();
            } else if (is_cancelled_) {
                co_await sleep(poll_period);
            } else {
                co_await Idle{*this};
            }
        } catch (const Cancelled&) {
            is_cancelled_ = true;
            stop(Life::stopping);
        }
    }
    GYRE_ASSERT(ready_.empty(), "no actor may be ready when the last one has ended");
    close();
    while (!gate_.is_empty()) {
        try {
            co_await yield();
        } catch (const Cancelled&) {
            is_cancelled_ = true;
        }
    }
    co_await scope_->all_ended();
    scope_.reset();
    leave_here();
    std::exception_ptr failure = std::exchange(failure_, nullptr);
    drop();
    if (failure != nullptr) std::rethrow_exception(failure);
}

void ActorHost::run_batch() noexcept {
    LoopLocals::here().actors = this;
    std::uint32_t left = system_->options.messages_per_turn_max;
    const std::uint32_t each = system_->options.messages_per_actor_max;
    while (left > 0 && !ready_.empty()) {
        Cell& cell = order_.has_value() ? ready_.pop_any(*order_) : *ready_.pop_front();
        const std::uint32_t count = cell.run(std::min(left, each));
        left -= std::max(count, 1u);
    }
    trace_ = 0;
}

class ActorHost::StopMessage final : public ExecutorMessage, public Pooled {
public:
    StopMessage(ActorHost& host, Life how) noexcept
        : ExecutorMessage(&on_arrival), host_(host), how_(how) {
        host_.share();
    }
    ~StopMessage() { host_.drop(); }

private:
    static void on_arrival(ExecutorMessage& message, Executor& /*at*/) noexcept {
        const std::unique_ptr<StopMessage> own(static_cast<StopMessage*>(&message));
        own->host_.note_arrival();
        own->host_.stop(own->how_);
    }
    ActorHost& host_;
    const Life how_;
};

void ActorHost::stop(Life how) noexcept {
    if (!is_here()) {
        auto message = std::make_unique<StopMessage>(*this, how);
        if (post(*message)) static_cast<void>(message.release());
        return;
    }
    if (is_closed()) return;
    is_stopping_ = true;
    cells_.for_each([how](Cell& cell) {
        if (how == Life::stopping || cell.parent() == nullptr) cell.begin_stop(how);
    });
    if (idle_ != nullptr) wake();
}

class ActorHost::UrgentMessage final : public ExecutorMessage, public Pooled {
public:
    UrgentMessage(Cell& to, Envelope& envelope) noexcept
        : ExecutorMessage(&on_arrival), to_(to), envelope_(envelope) {}

private:
    static void on_arrival(ExecutorMessage& message, Executor& /*at*/) noexcept {
        const std::unique_ptr<UrgentMessage> own(static_cast<UrgentMessage*>(&message));
        own->to_.cell()->host().note_arrival();
        put_urgent(*own->to_.cell(), own->envelope_);
    }
    const AnyRef to_;
    Envelope& envelope_;
};

void ActorHost::put_urgent(Cell& to, Envelope& envelope) noexcept {
    if (!to.is_here()) {
        auto message = std::make_unique<UrgentMessage>(to, envelope);
        if (to.host().post(*message)) {
            static_cast<void>(message.release());
        } else {
            envelope.drop(to, Lost::ended);
        }
    } else if (to.life() == Life::ended) {
        envelope.drop(to, Lost::ended);
    } else {
        to.put_urgent(envelope);
    }
}

void ActorHost::fail(std::exception_ptr failure) noexcept {
    if (failure_ == nullptr) failure_ = std::move(failure);
    system_->for_each_host([](ActorHost& host) { host.stop(Life::stopping); });
}

void ActorHost::close() noexcept {
    system_->remove_host(*this);
    gate_.close();
}

void ActorHost::abandon() noexcept {
    if (idle_ != nullptr) idle_->detach();
    close();
    leave_here();
    scope_.reset();
    while (Cell* cell = cells_.front()) cell->abandon();
    drop();
}

std::string ActorHost::dump() const {
    std::string text = "actors of loop '" + (name_.empty() ? "main" : name_) + "'\n";
    cells_.for_each([&text](const Cell& cell) {
        if (cell.parent() == nullptr || !cell.parent()->is_here()) cell.describe(text, 1);
    });
    return text;
}

}  // namespace gyre::actor
