// SPDX-License-Identifier: Apache-2.0
// The actions of the tasks of a random program that use channels, locks, events and other tasks.
// task_combined_actions.cpp has those with scopes, combinators, streams, time and threads.
#include <stdexcept>

#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"
#include "tests/property/task_program.hpp"

namespace gyre::property {
namespace {

constexpr std::uint64_t actions_max = 24;
constexpr int depth_max = 3;

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace

Future<int> TaskProgram::work(int depth) {
    const Task& task = co_await this_task();
    Worker me{.id = ++last_worker_, .depth = depth, .task = &task};
    const Alive alive(ledger_);
    try {
        for (auto left = random_.below(actions_max); left > 0; --left) co_await do_one(me);
    } catch (const Cancelled&) {
        ledger_.check(task.is_cancel_requested(), "only who was asked to end is cancelled");
        throw;
    }
    if (random_.one_in(12)) throw Failure("by chance");
    co_return static_cast<int>(me.id);
}

Future<int> TaskProgram::work_in(Crowd* crowd, int depth) {
    ++crowd->running;
    ledger_.check(crowd->running <= crowd->running_max, "a scope limits its tasks");
    std::exception_ptr failure;
    int number = 0;
    try {
        number = co_await work(depth);
    } catch (const Failure&) {
        failure = std::current_exception();
        crowd->has_failed = true;
    } catch (...) {
        failure = std::current_exception();
    }
    --crowd->running;
    if (failure != nullptr) std::rethrow_exception(failure);
    co_return number;
}

void TaskProgram::spawn(Scope& scope, Crowd& crowd, int depth) {
    Spawned& task = spawned_.emplace_back(
        scope.spawn([this](Crowd* its, int at) { return work_in(its, at); }, &crowd, depth));
    task.handle.on_complete([&task] { ++task.completions; });
}

Future<void> TaskProgram::do_one(Worker& me) {
    using Body = Future<void> (TaskProgram::*)(Worker&);
    static constexpr std::array<Body, static_cast<std::size_t>(Action::count)> bodies = {
        &TaskProgram::nap,
        &TaskProgram::give_way,
        &TaskProgram::send,
        &TaskProgram::receive,
        &TaskProgram::send_at_once,
        &TaskProgram::receive_at_once,
        &TaskProgram::close_channel,
        &TaskProgram::take_permits,
        &TaskProgram::lock,
        &TaskProgram::wait_for_event,
        &TaskProgram::set_event,
        &TaskProgram::await_promise,
        &TaskProgram::settle_promise,
        &TaskProgram::open_scope,
        &TaskProgram::await_all,
        &TaskProgram::race_some,
        &TaskProgram::hurry,
        &TaskProgram::shield_some,
        &TaskProgram::read_stream,
        &TaskProgram::drop_stream,
        &TaskProgram::read_merged,
        &TaskProgram::poll_some,
        &TaskProgram::share_some,
        &TaskProgram::await_task,
        &TaskProgram::cancel_task,
        &TaskProgram::call_blocking,
    };
    if (steps_left_ == 0) co_return;
    --steps_left_;
    const auto action = random_.below(bodies.size());
    const bool is_deep = action >= static_cast<std::size_t>(Action::open_scope) &&
                         action <= static_cast<std::size_t>(Action::share_some);
    if (is_deep && me.depth >= depth_max) co_return;
    ++actions_[action];
    recorder_.on_mark("worker " + std::to_string(me.id) + " does " + std::to_string(action));
    co_await (this->*bodies[action])(me);
}

Future<void> TaskProgram::send(Worker& me) {
    const std::size_t number = any_channel();
    Place& place = channels_[number];
    Item item{.id = ledger_.offer(me.id, number), .alive = Alive(ledger_)};
    const std::uint32_t id = item.id;
    try {
        const Line::Place mine(place.senders, *me.task);
        co_await place.channel.send(std::move(item));
        ledger_.check(mine.is_its_turn(), "who waits longest sends first");
        ledger_.on_sent(id);
    } catch (const ChannelClosed&) {
        ledger_.check(place.channel.is_closed(), "only a closed channel refuses an item");
        ledger_.on_refused(id);
    } catch (...) {
        ledger_.on_refused(id);
        throw;
    }
}

Future<void> TaskProgram::receive(Worker& me) {
    const std::size_t number = any_channel();
    Place& place = channels_[number];
    const Line::Place mine(place.receivers, *me.task);
    const auto item = co_await place.channel.receive();
    if (item.has_value()) {
        ledger_.check(mine.is_its_turn(), "who waits longest receives first");
        ledger_.on_received(item->id, me.id, number);
    } else {
        ledger_.check(place.channel.is_closed(), "only a closed channel has no more items");
    }
}

Future<void> TaskProgram::send_at_once(Worker& me) {
    const std::size_t number = any_channel();
    Item item{.id = ledger_.offer(me.id, number), .alive = Alive(ledger_)};
    const std::uint32_t id = item.id;
    if (channels_[number].channel.try_send(item)) {
        ledger_.on_sent(id);
    } else {
        ledger_.on_refused(id);
    }
    co_return;
}

Future<void> TaskProgram::receive_at_once(Worker& me) {
    const std::size_t number = any_channel();
    if (const auto item = channels_[number].channel.try_receive()) {
        ledger_.on_received(item->id, me.id, number);
    }
    co_return;
}

Future<void> TaskProgram::close_channel(Worker& /*me*/) {
    if (random_.one_in(4)) channels_[any_channel()].channel.close();
    co_return;
}

Future<void> TaskProgram::take_permits(Worker& me) {
    const std::size_t count = 1 + random_.below(permit_count);
    std::optional<Line::Place> mine(std::in_place, permit_line_, *me.task);
    const Permits held = co_await permits_.acquire(count);
    ledger_.check(mine->is_its_turn(), "who asks first for permits gets them first");
    mine.reset();
    permits_out_ += count;
    ledger_.check(permits_out_ <= permit_count, "no permit is given twice");
    std::exception_ptr failure;
    try {
        co_await nap(me);
    } catch (...) {
        failure = std::current_exception();
    }
    permits_out_ -= count;
    if (failure != nullptr) std::rethrow_exception(failure);
}

Future<void> TaskProgram::lock(Worker& me) {
    std::optional<Line::Place> mine(std::in_place, mutex_line_, *me.task);
    const MutexGuard guard = co_await mutex_.lock();
    ledger_.check(mine->is_its_turn(), "who asks first for a lock gets it first");
    mine.reset();
    ledger_.check(!std::exchange(is_locked_, true), "one has the lock, and nobody else");
    std::exception_ptr failure;
    try {
        co_await give_way(me);
        co_await nap(me);
    } catch (...) {
        failure = std::current_exception();
    }
    is_locked_ = false;
    if (failure != nullptr) std::rethrow_exception(failure);
}

Future<void> TaskProgram::wait_for_event(Worker& /*me*/) {
    co_await event_;
}

Future<void> TaskProgram::set_event(Worker& /*me*/) {
    event_.set();
    if (random_.one_in(2)) event_.reset();
    co_return;
}

Future<void> TaskProgram::await_promise(Worker& /*me*/) {
    const std::size_t number = random_.below(promises_.size());
    const int value = co_await promises_[number].future();
    ledger_.check(value == 0 || value == 1 + static_cast<int>(number),
                  "a future gives what its promise was resolved with");
}

Future<void> TaskProgram::settle_promise(Worker& /*me*/) {
    const std::size_t number = random_.below(promises_.size());
    const bool was_settled = promises_[number].is_settled();
    try {
        promises_[number].resolve(1 + static_cast<int>(number));
        ledger_.check(!was_settled, "a promise is settled once");
    } catch (const PromiseSettled&) {
        ledger_.check(was_settled, "a promise that nobody settled can be settled");
    }
    co_return;
}

}  // namespace gyre::property
