// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/policy.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "gyre/durable/internal/active_run.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::durable {

namespace {

using effect::Answer;
using effect::Arguments;
using effect::Context;
using effect::Handler;

class PolicyHandler final : public Handler {
public:
    PolicyHandler(const effect::OpInfo& op, OpPolicy policy)
        : Handler(Style::async), effect_(op.effect), op_(op.op), policy_(policy) {}

    void set_inner(std::unique_ptr<Handler> inner) noexcept { inner_ = std::move(inner); }

    Future<Answer> begin(Context& context, Arguments& arguments) override {
        return answer(context, std::move(arguments));
    }

private:
    Future<Answer> answer(Context& context, Arguments arguments) {
        if (policy_.is_at_most_once) co_await note(context);
        for (int tries = 1;; ++tries) {
            try {
                Arguments given = arguments;
                if (inner_->style() == Style::plain) co_return inner_->call(context, given);
                co_return co_await inner_->begin(context, given);
            } catch (const Cancelled&) {
                throw;
            } catch (...) {
                if (tries >= policy_.tries_max) throw;
            }
            const int doublings = std::min(tries - 1, 30);
            co_await sleep(
                std::min(policy_.back_off * (std::int64_t{1} << doublings), policy_.back_off_max));
        }
    }
    Future<void> note(Context& context) {
        const std::shared_ptr<ActiveRun> run = ActiveRun::find(context);
        if (run == nullptr) co_return;
        const Request request = run->request_of(context);
        if (run->begun(request, info())) {
            throw DurableError(DurableError::Kind::unknown_end,
                               "the process ended while " + op_key(context) +
                                   " ran, which runs at most once: nobody knows how far it came");
        }
        co_await run->begin(request, info(), 0);
    }

    [[nodiscard]] effect::OpInfo info() const noexcept {
        return {effect_, op_, effect::ResumeKind::resume};
    }

    const std::string effect_;
    const std::string op_;
    std::unique_ptr<Handler> inner_;
    const OpPolicy policy_;
};

}  // namespace

void set_policy(effect::Handlers& handlers, const effect::OpInfo& op, OpPolicy policy) {
    GYRE_ASSERT(policy.tries_max > 0, "an op is tried %d times", policy.tries_max);
    const Handler* handler = handlers.find(op);
    if (handler == nullptr) {
        throw Failure("there is no handler of " + op.name() + " to give a policy");
    }
    if (handler->style() == Handler::Style::reply) {
        throw Failure("the handler of " + op.name() +
                      " takes a Reply: let it return a Future, to give it a policy");
    }
    auto with_policy = std::make_unique<PolicyHandler>(op, policy);
    PolicyHandler& outer = *with_policy;
    outer.set_inner(handlers.exchange(op, std::move(with_policy)));
}

std::string op_key(Context& context) {
    const std::shared_ptr<ActiveRun> run = ActiveRun::of(context);
    const Request request = run->request_of(context);
    return run->key() + "/" + std::to_string(request.task) + "/" + std::to_string(request.number);
}

}  // namespace gyre::durable
