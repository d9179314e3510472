// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/ops.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <type_traits>
#include <utility>

#include "gyre/durable/internal/active_run.hpp"
#include "gyre/durable/internal/times.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::durable {

namespace {

using effect::Answer;
using effect::Arguments;
using effect::Context;
using effect::Value;

constexpr std::int64_t micros_per_milli = 1000;

// However long the database is away: the run waits, as it does where its answers are recorded.
template <class F>
auto patiently(F& ask) -> std::invoke_result_t<F&> {
    constexpr int pause_max_ms = 1000;
    for (int pause_ms = 10;; pause_ms = std::min(2 * pause_ms, pause_max_ms)) {
        try {
            co_return co_await ask();
        } catch (const db::DbError& e) {
            if (!is_passing(e)) throw;
        }
        co_await sleep(std::chrono::milliseconds(pause_ms));
    }
}

Future<void> sleep_in(Context& context, std::int64_t millis) {
    const std::shared_ptr<ActiveRun> run = ActiveRun::of(context);
    const Request request = run->request_of(context);
    std::optional<std::int64_t> until = run->begun(request, Durable::sleep.info);
    if (!until) {
        const std::int64_t now = run->store().now().micros;
        const std::int64_t longest = (never - now) / micros_per_milli - 1;
        until = now + std::clamp<std::int64_t>(millis, 0, longest) * micros_per_milli;
        co_await run->begin(request, Durable::sleep.info, *until);
    }
    while (run->store().now().micros < *until) co_await run->wait_until(*until);
}

Future<Value> signal_in(Context& context, std::string name) {
    const std::shared_ptr<ActiveRun> run = ActiveRun::of(context);
    for (;;) {
        if (std::optional<Value> value = run->next_signal(name)) co_return std::move(*value);
        co_await run->wait_until(never);
    }
}

Future<bool> start_in(Context& context, std::string key, std::string entry, Value value) {
    const std::shared_ptr<ActiveRun> run = ActiveRun::of(context);
    run->note_child();
    RunOptions options;
    options.parent = run->stored().key;
    Arguments arguments;
    if (value.is(Value::Kind::list)) {
        for (Value& item : value.list()) arguments.push_back(std::move(item));
    } else if (!value.is(Value::Kind::nothing)) {
        arguments.push_back(std::move(value));
    }
    // A second time, after a crash or a lost answer, finds its own child.
    auto start = [&]() -> Future<bool> {
        if (co_await run->store().start(key, entry, arguments, options)) co_return true;
        const auto found = co_await run->store().info(key);
        co_return found && found->parent == run->stored().key;
    };
    co_return co_await patiently(start);
}

Future<Value> result_in(Context& context, std::string key) {
    const std::shared_ptr<ActiveRun> run = ActiveRun::of(context);
    auto ask = [&] { return run->store().info(key); };
    for (;;) {
        const std::uint64_t wakes = run->wakes();
        std::optional<RunInfo> found = co_await patiently(ask);
        if (!found) {
            throw DurableError(DurableError::Kind::no_such_run, "there is no run '" + key + "'");
        }
        if (found->status == RunStatus::done) co_return std::move(found->result);
        if (found->status != RunStatus::open) {
            throw Failure("run '" + key + "' " +
                          (found->status == RunStatus::failed ? "failed: " : "was cancelled: ") +
                          found->message);
        }
        // The end of a child is news of its parent. Any other run is looked at again.
        const bool is_child = found->parent == run->stored().key;
        constexpr std::int64_t look_every = 10'000'000;
        const std::int64_t until = is_child ? never : run->store().now().micros + look_every;
        co_await run->wait_until(until, wakes);
    }
}

}  // namespace

void add_ops(effect::Handlers& handlers) {
    handlers.on(Durable::sleep, &sleep_in);
    handlers.on(Durable::signal, &signal_in);
    handlers.on(Durable::now,
                [](Context& context) { return ActiveRun::of(context)->store().now().micros; });
    handlers.on(Durable::start, &start_in);
    handlers.on(Durable::result, &result_in);
}

}  // namespace gyre::durable
