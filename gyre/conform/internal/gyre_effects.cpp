// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/failure.hpp"
#include "gyre/conform/internal/gyre_adapters.hpp"

#include <array>
#include <map>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "gyre/effect/scheduler.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::conform {
namespace {

using effect::Arguments;
using effect::Context;

constexpr std::string_view effect_name = "com.example.async";
constexpr effect::OpInfo op_info(std::string_view op, effect::ResumeKind kind) {
    return effect::OpInfo(effect_name, op, kind, effect::any_signature, 1);
}
constexpr std::array<effect::OpInfo, 3> ops = {
    op_info("await", effect::ResumeKind::resume),
    op_info("other", effect::ResumeKind::resume),
    op_info("now", effect::ResumeKind::tail),
};
constexpr effect::OpInfo foreign_op = op_info("foreign", effect::ResumeKind::resume);

// The table's guest as a guest of gyre. It serves one run, so it has one continuation.
class OneGuest final : public effect::Guest {
public:
    explicit OneGuest(EffectsGuest& guest) : guest_(guest) {}

private:
    [[nodiscard]] std::span<const effect::OpInfo> ops() const noexcept override {
        return conform::ops;
    }
    effect::Step start(std::string_view /*entry*/, Arguments /*arguments*/,
                       effect::TaskHost& /*tasks*/) override {
        return step_of(guest_.start());
    }
    effect::Step resume(effect::Continuation /*at*/, effect::Value answer,
                        effect::TaskHost& /*tasks*/) override {
        return step_of(guest_.resume(static_cast<int>(answer.integer())));
    }
    void release(effect::Continuation /*at*/) noexcept override { guest_.release(); }

    [[nodiscard]] static effect::Step step_of(const EffectsGuest::Step& told) {
        using Kind = EffectsGuest::Step::Kind;
        effect::Step step;
        if (told.kind == Kind::gives) {
            step.value = told.number;
            return step;
        }
        step.status = effect::StepStatus::effect;
        step.continuation = 1;
        step.arguments = {told.number};
        step.op = &foreign_op;
        for (const effect::OpInfo& op : conform::ops) {
            if (op.op == told.op) step.op = &op;
        }
        step.kind = step.op->kind;
        if (told.kind == Kind::lies_status) step.status = static_cast<effect::StepStatus>(99);
        if (told.kind == Kind::lies_op) step.op = &foreign_op;
        if (told.kind == Kind::lies_payload) step.arguments = {1, 2};
        return step;
    }

    EffectsGuest& guest_;
};

effect::Answer answer_of(const EffectsAnswer& told) {
    switch (told.kind) {
        case EffectsAnswer::Kind::resume:
            return effect::resume(told.value).after(from_ms(told.delay_ms));
        case EffectsAnswer::Kind::tail:
            return effect::tail(told.value);
        case EffectsAnswer::Kind::end:
            return effect::end(told.value);
        case EffectsAnswer::Kind::failed:
            break;
    }
    throw Failure(told.reason);
}

EffectsOutcome outcome_of(const effect::RunOutcome<int>& outcome) {
    using Kind = EffectsOutcome::Kind;
    if (outcome.kind() == effect::RunEndKind::cancelled) return {.kind = Kind::cancelled};
    if (outcome.has_value()) return {.kind = Kind::value, .value = outcome.value()};
    const effect::RunError& error = outcome.error();
    if (error.kind == effect::ErrorKind::unhandled_effect) {
        return {.kind = Kind::unhandled, .message = error.message};
    }
    if (error.kind == effect::ErrorKind::handler_failed) {
        return {.kind = Kind::handler_failed, .message = effect::what_of(error.cause)};
    }
    return {.kind = Kind::protocol_error, .message = error.message};
}

class GyreEffects final : public EffectsAdapter, private effect::RunObserver {
public:
    GyreEffects(std::unique_ptr<PlatformSetup> setup, MakeEffectGuest make)
        : setup_(std::move(setup)), make_(std::move(make)) {}
    GyreEffects(const GyreEffects&) = delete;
    GyreEffects& operator=(const GyreEffects&) = delete;
    ~GyreEffects() override {
        replies_.clear();
        runs_.clear();
        if (world_) world_->loop.close();
    }

    [[nodiscard]] bool has_simulated_time() const override { return setup_->is_simulated(); }

    void open(EffectsHost& host) override { host_ = &host; }
    void set_budget(int steps_per_tick) override {
        options_.steps_per_tick_max = static_cast<std::uint32_t>(steps_per_tick);
    }
    void add_handler(const std::string& op) override {
        handlers_.on(effect_name, op, effect::any_signature,
                     [this](Context& context, const Arguments& /*arguments*/) {
                         context_ = &context;
                         return answer_of(host_->on_request(names_.at(context.run_id())));
                     });
    }
    void add_async_handler(const std::string& op) override {
        handlers_.on(effect_name, op, effect::any_signature,
                     [this](Context& context, Arguments /*arguments*/, effect::Reply reply) {
                         context_ = &context;
                         const std::uint64_t call = replies_.size() + 1;
                         replies_.emplace(call, std::move(reply));
                         host_->on_async_request(names_.at(context.run_id()), call);
                     });
    }

    void start(const std::string& run, EffectsGuest& guest) override {
        std::unique_ptr<effect::Guest>& made = guests_[run];
        made = make_ ? make_(guest) : std::make_unique<OneGuest>(guest);
        auto handle = scheduler().start<int>(*made, handlers_, "main");
        names_[handle.id()] = run;
        runs_.emplace(run, std::move(handle));
    }
    void cancel(const std::string& run) override { runs_.at(run).cancel(); }
    void cancel_from_thread(const std::string& run) override {
        std::thread([this, id = runs_.at(run).id()] { scheduler().cancel(id); }).join();
    }
    void answer(std::uint64_t call, const EffectsAnswer& answer) override {
        effect::Reply& reply = replies_.at(call);
        if (answer.kind == EffectsAnswer::Kind::failed) {
            reply.fail(std::make_exception_ptr(std::runtime_error(answer.reason)));
        } else {
            reply.answer(answer_of(answer));
        }
    }
    void on_end(Callback clean_up) override { context_->on_end(std::move(clean_up)); }

    void post(Callback work) override {
        world().executor.root().spawn(
            [](Callback callback) -> Future<void> {
                callback();
                co_return;
            },
            std::move(work));
    }
    void settle() override { static_cast<void>(world().loop.run()); }

private:
    // Created with the first run, when the budget is known.
    struct World {
        World(PlatformSetup& setup, effect::SchedulerOptions options)
            : scheduler(executor, std::move(options)), loop(setup.platform(), executor) {}
        Executor executor;
        effect::Scheduler scheduler;
        Loop loop;
    };
    [[nodiscard]] World& world() {
        if (!world_) {
            options_.observer = this;
            world_.emplace(*setup_, std::move(options_));
        }
        return *world_;
    }
    [[nodiscard]] effect::Scheduler& scheduler() { return world().scheduler; }

    void on_run(const effect::RunEvent& event) noexcept override {
        if (event.kind != effect::RunEventKind::settled) return;
        const auto found = names_.find(event.run);
        if (found == names_.end()) return;
        const auto run = runs_.find(found->second);
        if (run != runs_.end()) host_->on_outcome(run->first, outcome_of(run->second.outcome()));
    }

    std::unique_ptr<PlatformSetup> setup_;
    const MakeEffectGuest make_;
    EffectsHost* host_ = nullptr;
    effect::SchedulerOptions options_;
    effect::Handlers handlers_;
    std::map<std::string, std::unique_ptr<effect::Guest>> guests_;
    std::map<effect::RunId, std::string> names_;
    Context* context_ = nullptr;  // of the handler that runs
    std::optional<World> world_;
    std::map<std::string, effect::RunHandle<int>> runs_;
    std::map<std::uint64_t, effect::Reply> replies_;
};

}  // namespace

std::unique_ptr<EffectsAdapter> make_gyre_effects(std::unique_ptr<PlatformSetup> setup,
                                                  MakeEffectGuest make) {
    return std::make_unique<GyreEffects>(std::move(setup), std::move(make));
}

}  // namespace gyre::conform
