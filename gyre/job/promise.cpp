// SPDX-License-Identifier: Apache-2.0
// The comments name ECMA-262's abstract operations (27.2.1, 27.2.2).
#include "gyre/job/promise.hpp"

#include <optional>
#include <stdexcept>
#include <vector>

#include "gyre/base/failure.hpp"

namespace gyre::job {

// The context of a handler that was not yet called.
class Promise::HeldContext {
public:
    explicit HeldContext(PromiseHost& host) : host_(&host), context_(host.make_context()) {}
    HeldContext(HeldContext&& other) noexcept
        : host_(std::exchange(other.host_, nullptr)), context_(other.context_) {}
    HeldContext& operator=(HeldContext&&) = delete;
    ~HeldContext() {
        if (host_ != nullptr) host_->drop_context(context_);
    }
    [[nodiscard]] Context pass_on() noexcept {
        host_ = nullptr;
        return context_;
    }

private:
    PromiseHost* host_;
    Context context_;
};

class Promise::Core : public std::enable_shared_from_this<Core> {
public:
    // PromiseReaction of both kinds: the handlers, and the derived promise that they settle.
    struct Reaction {
        Handler on_fulfilled;
        Handler on_rejected;
        std::optional<Resolvers> derived;
        HeldContext context;
    };

    explicit Core(PromiseHost& host) : host_(host), id_(host.next_promise_id()) {}
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    // FulfillPromise, RejectPromise, TriggerPromiseReactions.
    void settle(State state, Value result) {
        state_ = state;
        result_ = std::move(result);
        std::vector<Reaction> reactions = std::move(reactions_);
        if (state == State::rejected && !is_handled_) host_.track_rejected(id_, result_);
        for (Reaction& reaction : reactions) enqueue(std::move(reaction));
    }

    // PerformPromiseThen.
    void react(Reaction reaction) {
        if (state_ == State::pending) {
            reactions_.push_back(std::move(reaction));
        } else {
            if (state_ == State::rejected && !is_handled_) host_.track_handled(id_);
            enqueue(std::move(reaction));
        }
        is_handled_ = true;
    }

    // NewPromiseReactionJob.
    void enqueue(Reaction reaction) {
        const Context context = reaction.context.pass_on();
        host_.enqueue_promise_job(
            [core = shared_from_this(), reaction = std::move(reaction)] { core->run(reaction); },
            context);
    }
    void run(const Reaction& reaction) const {
        const bool is_fulfilled = state_ == State::fulfilled;
        const Handler& handler = is_fulfilled ? reaction.on_fulfilled : reaction.on_rejected;
        if (!handler) {
            if (!reaction.derived) return;
            is_fulfilled ? reaction.derived->resolve(result_) : reaction.derived->reject(result_);
            return;
        }
        settle_by([&] { return handler(result_); }, reaction.derived);
    }

    // NewPromiseResolveThenableJob.
    void enqueue_adoption(Callback<> job) {
        host_.enqueue_promise_job(std::move(job), host_.make_context());
    }

    // Settles the derived promise with the result of the body. Without a derived promise an
    // exception goes to the host, as that of any job.
    template <class Body>
    static void settle_by(Body body, const std::optional<Resolvers>& derived) {
        if (!derived) {
            static_cast<void>(body());
            return;
        }
        try {
            derived->resolve(body());
        } catch (const Rejection& rejection) {
            derived->reject(rejection.reason);
        } catch (...) {
            derived->reject(std::current_exception());
        }
    }

    PromiseHost& host_;
    const PromiseId id_;
    State state_ = State::pending;
    bool is_handled_ = false;
    Value result_;
    std::vector<Reaction> reactions_;
};

// CreateResolvingFunctions: both share the flag [[AlreadyResolved]].
struct Resolvers::Shared {
    std::shared_ptr<Promise::Core> core;
    bool is_called = false;
};

void Resolvers::reject(Value reason) const {
    if (std::exchange(shared_->is_called, true)) return;
    shared_->core->settle(Promise::State::rejected, std::move(reason));
}

void Resolvers::resolve(Value value) const {
    if (std::exchange(shared_->is_called, true)) return;
    const std::shared_ptr<Promise::Core>& core = shared_->core;
    // `then` is called in its own job, with new resolvers.
    const Resolvers again(std::make_shared<Shared>(Shared{core}));
    if (auto* promise = std::any_cast<Promise>(&value)) {
        if (promise->core_ == core) {
            again.reject(
                std::make_exception_ptr(Failure("a promise cannot be resolved with itself")));
            return;
        }
        core->enqueue_adoption([again, from = *promise] { from.when_adopted(again); });
    } else if (auto* thenable = std::any_cast<std::shared_ptr<Thenable>>(&value)) {
        core->enqueue_adoption([again, from = *thenable] {
            try {
                from->then(again);
            } catch (const Rejection& rejection) {
                again.reject(rejection.reason);
            } catch (...) {
                again.reject(std::current_exception());
            }
        });
    } else {
        core->settle(Promise::State::fulfilled, std::move(value));
    }
}

Promise::WithResolvers Promise::with_resolvers(PromiseHost& host) {
    auto core = std::make_shared<Core>(host);
    Resolvers resolvers(std::make_shared<Resolvers::Shared>(Resolvers::Shared{core}));
    return {Promise(std::move(core)), std::move(resolvers)};
}

Promise Promise::resolve(PromiseHost& host, Value value) {
    if (auto* promise = std::any_cast<Promise>(&value)) return *promise;
    auto [promise, resolvers] = with_resolvers(host);
    resolvers.resolve(std::move(value));
    return promise;
}

Promise Promise::reject(PromiseHost& host, Value reason) {
    auto [promise, resolvers] = with_resolvers(host);
    resolvers.reject(std::move(reason));
    return promise;
}

void Promise::when_adopted(const Resolvers& by) const {
    core_->react({{}, {}, by, HeldContext(core_->host_)});
}

Promise Promise::then(Handler on_fulfilled, Handler on_rejected) const {
    auto [derived, resolvers] = with_resolvers(core_->host_);
    core_->react({std::move(on_fulfilled), std::move(on_rejected), std::move(resolvers),
                  HeldContext(core_->host_)});
    return derived;
}

void Promise::when_settled(Handler on_fulfilled, Handler on_rejected) const {
    core_->react(
        {std::move(on_fulfilled), std::move(on_rejected), std::nullopt, HeldContext(core_->host_)});
}

Promise::State Promise::state() const noexcept {
    return core_->state_;
}

const Value& Promise::result() const noexcept {
    return core_->result_;
}

PromiseId Promise::id() const noexcept {
    return core_->id_;
}

}  // namespace gyre::job
