// SPDX-License-Identifier: Apache-2.0
#include "tests/property/program.hpp"

#include <algorithm>

#include "tests/property/random_machine.hpp"

namespace gyre::property {
namespace {

constexpr std::size_t machine_count_max = 30;
constexpr std::size_t depth_max = 4;
constexpr std::uint64_t step_count_max = 40;

}  // namespace

Program::Program(std::uint64_t seed) : random_(seed) {
    world_.emplace(clock_, sim::SimOptions{.seed = random_.next()});
    const std::size_t loop_count = 1 + random_.below(3);
    if (loop_count == 3) ledger_.note(Feature::three_loops);
    for (std::size_t i = 0; i < loop_count; ++i) {
        plant_tree(i, 1 + random_.below(machine_count_max / loop_count));
    }
    if (machines_.size() >= 20) ledger_.note(Feature::many_machines);
    if (random_.one_in(3)) steps_until_close_ = 1 + random_.below(100);
}

Program::~Program() {
    world_.reset();
    // Children before their parents.
    while (!machines_.empty()) machines_.pop_back();
}

void Program::plant_tree(std::size_t loop_index, std::size_t machine_count) {
    const std::size_t first = machines_.size();
    for (std::size_t i = 0; i < machine_count; ++i) {
        RandomMachine* parent = nullptr;
        while (i > 0 && (parent == nullptr || parent->depth() >= depth_max)) {
            parent = machines_[first + random_.below(i)].get();
        }
        const auto role = static_cast<RandomMachine::Role>(random_.below(3));
        const std::size_t depth = parent == nullptr ? 1 : parent->depth() + 1;
        const auto steps = static_cast<unsigned>(random_.below(step_count_max));
        machines_.push_back(std::make_unique<RandomMachine>(*this, role, depth, steps));
        if (parent != nullptr) parent->add_child(*machines_.back());
        if (depth == depth_max) ledger_.note(Feature::depth_of_four);
    }
    apps_.push_back(machines_[first].get());
    observers_.push_back(std::make_unique<Watching>(*this, "loop " + std::to_string(loop_index)));
    // Small budgets on some loops, so that machines are left for the next turn.
    LoopOptions options{.observer = observers_.back().get()};
    if (random_.one_in(2))
        options.ticks_per_turn_max = 1 + static_cast<std::uint32_t>(random_.below(8));
    if (random_.one_in(2))
        options.rounds_per_turn_max = 1 + static_cast<std::uint32_t>(random_.below(3));
    world_->add_loop(*apps_.back(), options);
}

void Program::run() {
    for (const auto& machine : machines_) machine->begin();
    const sim::World::End end = world_->run();
    ledger_.check(end != sim::World::End::turn_limit, "a program with finite steps ends");
    if (end == sim::World::End::stopped) {
        ledger_.note(Feature::closed_at_work);
    } else {
        judge_quiet();
    }
    world_->close();
    judge_closed();
}

void Program::count_step() noexcept {
    if (steps_until_close_ > 0 && --steps_until_close_ == 0) world_->stop();
}

void Program::judge_quiet() {
    for (const auto& machine : machines_) {
        for (const auto& tracked : machine->ops()) ledger_.judge_quiet(*tracked);
    }
}

void Program::judge_closed() {
    for (std::size_t i = 0; i < world_->loop_count(); ++i) {
        ledger_.check(world_->loop(i).ops_in_flight() == 0, "a closed loop has no op in flight");
        ledger_.check(world_->loop(i).timer_count() == 0, "a closed loop has no timer");
        ledger_.check(!world_->loop(i).is_alive(), "a closed loop has nothing to do");
    }
    for (const auto& machine : machines_) {
        ledger_.check(machine->ops_in_flight() == 0, "no machine has an op in flight");
        ledger_.check(machine->ops_held() == 0, "no machine holds anything");
        ledger_.check(machine->in().empty() && machine->out().empty(), "every port is empty");
        for (const auto& tracked : machine->ops()) ledger_.judge_closed(*tracked);
    }
    for (const auto& tracked : posted_) ledger_.judge_closed(*tracked);
}

void Program::post_something() {
    ledger_.note(Feature::post);
    auto made = std::make_unique<TrackedOp<AskOp>>();
    RandomMachine& to = any_machine();
    // The app needs no name.
    const bool is_app = to.parent() == nullptr;
    if (!is_app || random_.one_in(2)) made->op().set_destination(to.ref());
    // A post is ordered by its inbox alone, so it is written down before it goes.
    ledger_.on_posted(*made, to.ref());
    if (world_->loop(to.ref().thread - 1).post(made->op())) {
        posted_.push_back(std::move(made));
    } else {
        ledger_.note(Feature::refused_by_closed_loop);
    }
}

RandomMachine& Program::any_machine() noexcept {
    return *machines_[random_.below(machines_.size())];
}

// One of this loop or, where not wanted, of another one. Null where there is none.
RandomMachine* Program::any_machine_of(ThreadId thread, bool is_wanted) noexcept {
    if (!is_wanted && apps_.size() == 1) return nullptr;
    for (;;) {
        RandomMachine& machine = any_machine();
        if ((machine.ref().thread == thread) == is_wanted) return &machine;
    }
}

}  // namespace gyre::property
