// SPDX-License-Identifier: Apache-2.0
// How a run leaves its worker: it has ended, is put aside, is given back, or was taken over.
#include <exception>
#include <utility>

#include "gyre/base/log.hpp"
#include "gyre/durable/internal/active_run.hpp"
#include "gyre/durable/internal/claims.hpp"
#include "gyre/durable/internal/entry_bytes.hpp"
#include "gyre/durable/internal/payload.hpp"
#include "gyre/durable/internal/recorder.hpp"
#include "gyre/durable/internal/times.hpp"
#include "gyre/durable/worker.hpp"

namespace gyre::durable {

namespace {

RunEnd end_of(ActiveRun& run, const StoreOptions& options) {
    RunEnd end;
    if (!run.run) {
        const bool is_cancelled = run.stored().cancel_reason.has_value();
        end.status = is_cancelled ? RunStatus::cancelled : RunStatus::failed;
        end.message = is_cancelled ? *run.stored().cancel_reason : run.stored().damage;
        if (!is_cancelled) end.error = name_of(effect::ErrorKind::journal_mismatch);
        return end;
    }
    const auto outcome = run.run->outcome();
    if (outcome.kind() == effect::RunEndKind::cancelled) {
        end.status = RunStatus::cancelled;
        end.message = std::string(std::string_view(outcome.reason().why));
    } else if (outcome.kind() == effect::RunEndKind::failed) {
        end.status = RunStatus::failed;
        end.error = name_of(outcome.error().kind);
        end.message = outcome.error().message;
    } else {
        db::Blob result = bytes_of(outcome.value());
        try {
            check_payload(options, result.size(), "the result");
            end.result = std::move(result);
        } catch (const DurableError& e) {
            end.status = RunStatus::failed;
            end.error = name_of(effect::ErrorKind::buffer_overflow);
            end.message = e.what();
        }
    }
    return end;
}

bool was_taken_over(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const DurableError& e) {
        return e.kind() == DurableError::Kind::taken_over;
    } catch (...) {
        return false;
    }
}

}  // namespace

// The scheduler's run is over.
Future<void> Worker::end(std::int64_t id) {
    const std::shared_ptr<ActiveRun> run = active_.at(id);
    if (run->leave == LeaveKind::ended) co_await record_end(*run);
    if (run->is_claimed_again) co_await give_back(id);
    const bool was_full = !has_room();
    run->close();
    run->run.reset();
    ids_.erase(run->key());
    active_.erase(id);
    store_.announce(run->key());
    if (run->leave == LeaveKind::ended && !run->stored().parent.empty()) {
        store_.announce(run->stored().parent);
    }
    if (was_full) has_news_.set();
}

Future<void> Worker::record_end(ActiveRun& run) {
    std::exception_ptr failure;
    try {
        RunEnd how = end_of(run, store_.options());
        how.parent = run.stored().parent;
        how.has_children = run.has_children();
        co_await recorder_->end(run.place(), run.key(), std::move(how), run.step_count());
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure && !was_taken_over(failure)) {
        log(LogLevel::error, "the end of run '%s' is not in the store: %s", run.key().c_str(),
            effect::what_of(failure).c_str());
    }
}

// Those that wait for something far away.
Future<void> Worker::put_aside_idle() {
    for (;;) {
        co_await wait_begun_.wait();
        wait_begun_.reset();
        co_await sleep(options_.aside_after);
        const std::int64_t horizon = store_.now().micros + micros(options_.aside_after);
        for (const auto& [id, run] : active_) {
            if (run->take_woken()) {  // What woke it may not have looked yet.
                wait_begun_.set();
                continue;
            }
            if (run->is_looking || run->leave != LeaveKind::ended) continue;
            if (!run->waits_until(horizon)) continue;
            run->leave = LeaveKind::put_aside;
            scope_->spawn([this, of = id]() { return put_aside(of); });
        }
    }
}

Future<void> Worker::put_aside(std::int64_t id) {
    const std::shared_ptr<ActiveRun> run = active_.at(id);
    std::exception_ptr failure;
    try {
        // Others may wait for its place.
        std::string told = claims_->has_running_limit() ? run->key() : std::string();
        co_await recorder_->put_aside(run->place(), std::move(told), run->wakes_at(),
                                      run->stored().news, run->step_count());
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        failure = std::current_exception();
    }
    if (run->run->is_terminal()) co_return;
    if (!failure) {
        run->run->cancel("put aside");
        has_news_.set();  // When it wakes up may be the next thing to wait for.
        co_return;
    }
    // It has news, or was taken over: to look shows it.
    run->leave = LeaveKind::ended;
    look_soon(*run);
}

void Worker::stop_runs() {
    for (const auto& [id, run] : active_) drop(*run, LeaveKind::given_back, "the worker stops");
}

// The worker stops: others go on with its runs at once.
Future<void> Worker::give_all_back() {
    store_.remove_watcher("", *this);
    for (const auto& [id, run] : active_) {
        run->close();
        run->run.reset();
    }
    active_.clear();
    ids_.clear();
    scope_ = nullptr;
    try {
        co_await timeout(
            store_.pool().execute("update gyre_runs set owner = '', wake_at = $2 "
                                  "where queue = $3 and owner = $1 and owner <> '' and status = 0",
                                  name_, store_.now().micros, options_.queue),
            options_.lease);
        co_await timeout(store_.tell(store_.pool(), ""), options_.lease);
    } catch (const std::exception& e) {
        log(LogLevel::warn, "worker %s keeps its runs to the end of its lease: %s", name_.c_str(),
            e.what());
    }
}

// A run that this worker has claimed and does not run.
Future<void> Worker::give_back(std::int64_t id) {
    co_await store_.pool().execute(
        "update gyre_runs set owner = '', wake_at = $3 where id = $1 and owner = $2 and status = 0",
        id, name_, store_.now().micros);
    has_news_.set();
}

}  // namespace gyre::durable
