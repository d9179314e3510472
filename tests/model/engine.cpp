// SPDX-License-Identifier: Apache-2.0
// One exploration: its runs, which thread is scheduled next, and how runs fail. One system thread.
#include "engine.hpp"

#include <cstdlib>
#include <utility>

namespace model {
namespace {

constinit thread_local Engine* current_engine = nullptr;

// An atomic tells by this number whether it belongs to the run that is on.
constinit thread_local std::uint32_t last_run = 0;

constexpr std::size_t scenario_thread = 0;

}  // namespace

Engine* Engine::current() noexcept {
    return current_engine;
}

Engine::Engine(const Options& options, std::function<void(Run&)> scenario)
    : options_(options), scenario_(std::move(scenario)), memory_(choices_, options.surprises_max) {
    threads_[scenario_thread].fiber = std::make_unique<Fiber>([this] { run_scenario_forever(); });
}

Engine::~Engine() = default;

Outcome Engine::explore() {
    Engine* const outer = std::exchange(current_engine, this);
    do {
        if (outcome_.schedules_explored == options_.schedules_max) {
            outcome_.ok = false;
            outcome_.schedule = "gave up: more than " + std::to_string(options_.schedules_max) +
                                " schedules; make the scenario smaller\n";
            break;
        }
        begin_run();
        explorer_.switch_to(*threads_[scenario_thread].fiber);
        ++outcome_.schedules_explored;
        outcome_.steps += steps_;
    } while (outcome_.ok && choices_.advance());
    current_engine = outer;
    return outcome_;
}

void Engine::begin_run() {
    choices_.begin_run();
    memory_.begin_run(++last_run);
    trace_.begin_run();
    thread_count_ = 1;
    running_ = scenario_thread;
    are_threads_started_ = false;
    preemptions_ = 0;
    steps_ = 0;
}

void Engine::run_scenario_forever() {
    for (;;) {
        Run run(*this);
        scenario_(run);
        threads_[scenario_thread].fiber->switch_to(explorer_);
    }
}

void Engine::run_thread_forever(std::size_t number) {
    for (;;) {
        threads_[number].body();
        trace_.add({.thread = number, .operation = "end"});
        threads_[number].state = State::ended;
        something_changed();
        pick_next();
    }
}

void Engine::add_thread(std::string_view name, std::function<void()> body) {
    if (thread_count_ == threads_max || are_threads_started_) {
        fail("the scenario adds a thread too late, or more than " +
             std::to_string(threads_max - 1));
    }
    const std::size_t number = thread_count_++;
    Thread& thread = threads_[number];
    thread.body = std::move(body);
    if (!thread.fiber) {
        thread.fiber = std::make_unique<Fiber>([this, number] { run_thread_forever(number); });
    }
    thread.state = State::ready;
    thread.is_just_picked = true;
    trace_.set_thread_name(number, name);
}

void Engine::start_and_join() {
    for (std::size_t number = 1; number < thread_count_; ++number) {
        memory_.release(scenario_thread, memory_.known_to(number));
    }
    are_threads_started_ = true;
    threads_[scenario_thread].state = State::ended;
    pick_next();
    for (std::size_t number = 1; number < thread_count_; ++number) {
        memory_.release(number, memory_.known_to(scenario_thread));
    }
}

// Who may run now

bool Engine::can_run(std::size_t thread) const {
    const Thread& candidate = threads_[thread];
    if (candidate.state == State::waiting) return (*candidate.waits_for)();
    return candidate.state == State::ready;
}

Engine::Candidates Engine::candidates_besides(std::size_t thread) const {
    Candidates found;
    for (std::size_t other = 1; other < thread_count_; ++other) {
        if (other != thread && can_run(other)) found.add(other);
    }
    return found;
}

// The running thread cannot or does not want to go on.
void Engine::pick_next() {
    Candidates found = candidates_besides(scenario_thread);
    if (found.count == 0) {
        something_changed();  // Those that yielded have nobody left to wait for.
        found = candidates_besides(scenario_thread);
    }
    if (found.count == 0) {
        for (std::size_t number = 1; number < thread_count_; ++number) {
            if (threads_[number].state != State::ended) fail_as_deadlock();
        }
        are_threads_started_ = false;
        switch_to(scenario_thread);
        return;
    }
    switch_to(found.threads[choices_.choose(found.count)]);
}

void Engine::switch_to(std::size_t thread) {
    if (thread == running_) return;
    Fiber& from = *threads_[running_].fiber;
    running_ = thread;
    from.switch_to(*threads_[thread].fiber);
}

void Engine::something_changed() {
    for (std::size_t number = 1; number < thread_count_; ++number) {
        if (threads_[number].state == State::yielded) threads_[number].state = State::ready;
    }
}

// Steps

void Engine::before_access() {
    if (!are_threads_started_) return;
    count_step();
    if (std::exchange(threads_[running_].is_just_picked, false)) return;
    if (preemptions_ == options_.preemptions_max) return;
    const Candidates others = candidates_besides(running_);
    const std::uint32_t chosen = choices_.choose(others.count + 1);
    if (chosen == 0) return;
    ++preemptions_;
    switch_to(others.threads[chosen - 1]);
}

void Engine::count_step() {
    if (++steps_ > options_.steps_max) {
        fail("livelock: more than " + std::to_string(options_.steps_max) + " steps in one run");
    }
}

std::memory_order Engine::weakened(std::memory_order order) const noexcept {
    if (options_.weaken == Weaken::everything_to_relaxed) return std::memory_order_relaxed;
    const bool is_weakened = options_.weaken == Weaken::seq_cst_to_acq_rel;
    return is_weakened && order == std::memory_order_seq_cst ? std::memory_order_acq_rel : order;
}

std::uint64_t Engine::load(Cell& cell, std::memory_order order) {
    before_access();
    const std::uint64_t value = memory_.load(cell, running_, weakened(order));
    trace_.add({.thread = running_,
                .operation = "load",
                .shape = Step::Shape::reads,
                .object = &cell,
                .before = value,
                .order = name_of(weakened(order)),
                .age = memory_.age_of_last_read()});
    return value;
}

void Engine::store(Cell& cell, std::memory_order order, std::uint64_t value) {
    before_access();
    memory_.store(cell, running_, weakened(order), value);
    something_changed();
    trace_.add({.thread = running_,
                .operation = "store",
                .shape = Step::Shape::writes,
                .object = &cell,
                .after = value,
                .order = name_of(weakened(order))});
}

std::uint64_t Engine::update(const char* operation, Cell& cell, std::memory_order order,
                             Update compute, std::uint64_t argument) {
    before_access();
    const std::uint64_t before = memory_.update(cell, running_, weakened(order), compute, argument);
    something_changed();
    trace_.add({.thread = running_,
                .operation = operation,
                .shape = Step::Shape::changes,
                .object = &cell,
                .before = before,
                .after = cell.newest,
                .order = name_of(weakened(order))});
    return before;
}

bool Engine::compare_exchange(Cell& cell, std::uint64_t& expected, Exchange exchange) {
    before_access();
    exchange.success = weakened(exchange.success);
    exchange.failure = weakened(exchange.failure);
    const bool is_done = memory_.compare_exchange(cell, running_, expected, exchange);
    if (is_done) something_changed();
    trace_.add({.thread = running_,
                .operation = is_done ? "compare_exchange" : "failed compare_exchange",
                .shape = is_done ? Step::Shape::changes : Step::Shape::reads,
                .object = &cell,
                .before = expected,
                .after = exchange.desired,
                .order = name_of(is_done ? exchange.success : exchange.failure),
                .age = is_done ? 0 : memory_.age_of_last_read()});
    return is_done;
}

void Engine::yield() {
    if (!are_threads_started_) return;
    count_step();
    trace_.add({.thread = running_, .operation = "yield"});
    threads_[running_].state = State::yielded;
    pick_next();
    threads_[running_].is_just_picked = true;
}

void Engine::wait_until(const char* operation, const void* object,
                        const std::function<bool()>& is_true) {
    before_access();
    if (!is_true()) {
        if (!are_threads_started_) fail("the scenario itself would wait for ever");
        trace_.add({.thread = running_, .operation = "blocks"});
        threads_[running_].waits_for = &is_true;
        threads_[running_].state = State::waiting;
        pick_next();
        threads_[running_].state = State::ready;
    }
    trace_.add({.thread = running_,
                .operation = operation,
                .shape = object == nullptr ? Step::Shape::bare : Step::Shape::on_object,
                .object = object});
}

void Engine::signal(const char* operation, const void* object) {
    before_access();
    something_changed();
    trace_.add({.thread = running_,
                .operation = operation,
                .shape = Step::Shape::on_object,
                .object = object});
}

// Failures

void Engine::fail_as_deadlock() {
    std::string reason = "deadlock: nothing can wake";
    for (std::size_t number = 1; number < thread_count_; ++number) {
        if (threads_[number].state == State::waiting) reason += " " + trace_.thread_name(number);
    }
    fail(reason);
}

void Engine::fail(const std::string& reason) {
    outcome_.ok = false;
    outcome_.schedule = reason + "\n" + trace_.text();
    threads_[running_].fiber->switch_to(explorer_);
    std::abort();  // A failed run is never resumed.
}

}  // namespace model
