// SPDX-License-Identifier: Apache-2.0
// A guest whose steps come from the input: each byte is one step, valid or not, with tasks and
// exceptions among them. Every run ends in one outcome, and every continuation comes back once.
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "gyre/base/assert.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/task/core/sleep.hpp"

using namespace gyre;
using namespace gyre::effect;
using namespace std::chrono_literals;

namespace {

class FuzzedGuest final : public Guest {
public:
    explicit FuzzedGuest(std::span<const std::uint8_t> input) : input_(input) {}

    [[nodiscard]] std::span<const OpInfo> ops() const noexcept override { return ops_; }
    [[nodiscard]] Step start(std::string_view, Arguments, TaskHost& tasks) override {
        return next(tasks);
    }
    [[nodiscard]] Step resume(Continuation at, Value, TaskHost& tasks) override {
        take_back(at);
        return next(tasks);
    }
    void release(Continuation at) noexcept override { take_back(at); }
    [[nodiscard]] bool is_done() const noexcept { return held_.empty(); }
    [[nodiscard]] std::uint8_t byte() noexcept {
        if (input_.empty()) return 0;
        const std::uint8_t first = input_.front();
        input_ = input_.subspan(1);
        return first;
    }

private:
    Step next(TaskHost& tasks) {
        const std::uint8_t what = byte();
        const std::uint8_t how = byte();
        Step step;
        step.op = &ops_[how % ops_.size()];
        step.kind = step.op->kind;
        step.arguments = {how};
        switch (what % 16) {
            case 0:
                step.value = how;
                return step;
            case 1:
                throw std::runtime_error("trap");
            case 2:
                step.status = static_cast<StepStatus>(how);
                break;
            case 3:
                step.status = StepStatus::effect;
                step.op = how % 2 == 0 ? nullptr : ops_.data() + ops_.size();
                break;
            case 4:
                step.status = StepStatus::effect;
                step.kind = ResumeKind::tail;
                break;
            case 5:
                step.status = StepStatus::effect;
                step.arguments = {Value(std::string(how, 'x')), how};
                break;
            case 6:
                step.status = StepStatus::effect;
                return step;  // without a continuation
            case 7:
                step.status = StepStatus::yield;
                break;
            case 8:
            case 9:
                tasks_.push_back(tasks.spawn(
                    what % 16 == 8 ? TaskHost::Spawn::attached : TaskHost::Spawn::detached,
                    hold()));
                step.status = StepStatus::yield;
                break;
            case 10:
                step.status = StepStatus::wait;
                step.capability = task(how);
                break;
            case 11:
                static_cast<void>(tasks.cancel(task(how)));
                step.status = StepStatus::yield;
                break;
            case 12:
                static_cast<void>(tasks.take_value(task(how)));
                step.status = StepStatus::yield;
                break;
            default:
                step.status = StepStatus::effect;
                break;
        }
        step.continuation = hold();
        return step;
    }
    [[nodiscard]] Capability task(std::uint8_t how) const noexcept {
        return tasks_.empty() ? how : tasks_[how % tasks_.size()];
    }
    [[nodiscard]] Continuation hold() {
        held_.insert(++last_);
        return last_;
    }
    void take_back(Continuation at) noexcept {
        GYRE_ASSERT(held_.erase(at) == 1, "a continuation was given back twice");
    }

    std::span<const std::uint8_t> input_;
    std::vector<OpInfo> ops_ = {OpInfo("e", "plain", ResumeKind::resume, 1, 1),
                                OpInfo("e", "async", ResumeKind::resume, 1, 1),
                                OpInfo("e", "tail", ResumeKind::tail, 1, 1),
                                OpInfo("e", "later", ResumeKind::resume, 1, 1),
                                OpInfo("e", "nobody", ResumeKind::resume, 1, 1)};
    std::vector<Capability> tasks_;
    std::set<Continuation> held_;
    Continuation last_ = 0;
};

void run(std::span<const std::uint8_t> input) {
    FuzzedGuest guest(input);
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Executor executor;
    Scheduler scheduler(
        executor, {.steps_per_tick_max = 3, .payload_size_max_bytes = 200, .task_count_max = 8});
    Loop loop(platform, executor);
    Handlers handlers;
    handlers.on("e", "plain", 1, [&](Context& context, Arguments) {
        const std::uint8_t how = guest.byte();
        if (how == 1) throw std::runtime_error("handler");
        if (how == 2) scheduler.cancel(context.run_id());
        return how == 3 ? tail(1) : how == 4 ? end(1) : resume(1);
    });
    handlers.on("e", "async", 1, [&](Context&, Arguments) -> Future<Answer> {
        if (guest.byte() % 2 == 0) co_await sleep(1us);
        co_return resume(1);
    });
    handlers.on("e", "tail", 1, [](Context&, Arguments) { return tail(); });
    handlers.on("e", "later", 1, [](Context&, Arguments) { return resume().after(2us); });
    auto first = scheduler.start(guest, handlers, "main");
    auto second = scheduler.start(guest, handlers, "main");
    static_cast<void>(loop.run());
    // Only tasks that wait for each other are left, if any.
    scheduler.cancel_all("the input is over");
    GYRE_ASSERT(first.is_terminal() && second.is_terminal(), "a run without an outcome");
    static_cast<void>(loop.run());
    GYRE_ASSERT(scheduler.run_count() == 0, "a run is left");
    GYRE_ASSERT(guest.is_done(), "a continuation was not given back");
    loop.close();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size <= 512) run({data, size});
    return 0;
}
