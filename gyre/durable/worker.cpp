// SPDX-License-Identifier: Apache-2.0
// How a worker comes by its runs: claims those that are due, keeps its lease, and starts them.
#include "gyre/durable/worker.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_set>
#include <utility>

#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/base/log.hpp"
#include "gyre/durable/internal/claims.hpp"
#include "gyre/durable/internal/loading.hpp"
#include "gyre/durable/internal/recorder.hpp"
#include "gyre/durable/internal/ticker.hpp"
#include "gyre/durable/internal/times.hpp"
#include "gyre/durable/ops.hpp"

namespace gyre::durable {

Worker::Worker(effect::Scheduler& scheduler, Store& store, WorkerOptions options)
    : scheduler_(scheduler),
      store_(store),
      options_(std::move(options)),
      recorder_(std::make_unique<Recorder>(store, options_.lease, options_.commit_observer)),
      claims_(std::make_unique<Claims>(store, options_.queue, options_.lease)),
      ticker_(std::make_unique<Ticker>(store, options_.queue)) {
    GYRE_ASSERT(options_.runs_max > 0, "a worker without room does nothing: runs_max is 0");
}

Worker::~Worker() {
    GYRE_ASSERT(scope_ == nullptr, "a worker outlives its run()");
    GYRE_ASSERT(active_.empty(), "run() gives its runs back before it ends");
}

void Worker::add(std::string entry, effect::Guest& guest, effect::Handlers& handlers,
                 std::string version) {
    GYRE_ASSERT(!entries_.contains(entry), "this worker has an entry '%s' already", entry.c_str());
    if (!handlers.has(Durable::sleep.info)) add_ops(handlers);
    claims_->know(entry, version);
    entries_[std::move(entry)] = {&guest, &handlers};
}

Future<void> Worker::run() {
    GYRE_ASSERT(scope_ == nullptr, "a worker runs once at a time");
    co_await store_.sync_clock();
    // The store tells workers apart by their names.
    const char* random = store_.pool().is_postgres() ? "select cast(gen_random_uuid() as text)"
                                                     : "select lower(hex(randomblob(8)))";
    name_ = options_.name + "-" + co_await store_.pool().one<std::string>(random);
    auto body = [this](Scope& scope) -> Future<void> {
        scope_ = &scope;
        store_.add_watcher("", *this);
        scope.on_exit([this]() -> Future<void> { co_await give_all_back(); });
        scope.spawn([this]() { return recorder_->work(); });
        scope.spawn([this]() { return renew_leases(); });
        scope.spawn([this]() { return ticker_->work(); });
        scope.spawn([this]() { return put_aside_idle(); });
        if (store_.pool().is_postgres()) {
            scope.spawn([this]() { return listen(); });
        } else {
            scope.spawn([this]() { return look_at_all(); });
        }
        const ScopeExit stop([this] { stop_runs(); });
        co_await take_up();
    };
    co_await with_scope(body);
}

ActiveRun* Worker::find(std::int64_t id) const noexcept {
    const auto found = active_.find(id);
    return found == active_.end() ? nullptr : found->second.get();
}

// Takes up what is due, then waits for what will be.
Future<void> Worker::take_up() {
    for (;;) {
        has_news_.reset();
        Duration wait = store_.options().poll_every;
        try {
            if (may_own_more_) co_await compare_owned();
            may_own_more_ = false;
            wait = co_await take_up_once();
        } catch (const db::DbError& e) {
            if (!is_passing(e)) throw;
            may_own_more_ = true;  // A claim may have taken effect.
            log(LogLevel::warn, "worker %s waits for its store: %s", name_.c_str(), e.what());
        }
        if (wait > Duration::zero()) co_await wait_at_most(has_news_, wait);
    }
}

bool Worker::has_room() const noexcept {
    return active_.size() + std::min(claim_count, (options_.runs_max + 1) / 2) <= options_.runs_max;
}

// Gives for how long nothing will be due; zero: there is more. What comes meanwhile is news, and so is room.
Future<Duration> Worker::take_up_once() {
    const Duration poll = store_.options().poll_every;
    const Duration longest =
        is_listening_ ? std::max(poll, Duration(std::chrono::minutes(1))) : poll;
    if (!has_room()) co_return longest;
    const std::size_t wanted = std::min(claim_count, options_.runs_max - active_.size());
    is_claiming_ = true;
    const ScopeExit claimed_all([this] { is_claiming_ = false; });
    Claimed claimed = co_await claims_->claim(name_, wanted);
    for (StoredRun& run : claimed.runs) begin(std::move(run));
    is_claiming_ = false;
    if (claimed.runs.size() == wanted) co_return Duration::zero();
    const std::int64_t next =
        claimed.held_until ? *claimed.held_until : co_await claims_->next_due();
    const std::int64_t now = store_.now().micros;
    if (next == never || next - now > micros(longest)) co_return longest;
    co_return std::chrono::microseconds(std::max<std::int64_t>(next - now, 1000));
}

void Worker::begin(StoredRun stored) {
    const std::int64_t id = stored.id;
    if (ActiveRun* older =
            find(id)) {  // This worker was away, and what it has is of an older fence.
        older->is_claimed_again = true;
        drop(*older, LeaveKind::taken_over, "claimed again");
        return;
    }
    ids_[stored.key] = id;
    const Entry& entry = entries_.at(stored.entry);
    const std::string name = stored.entry;
    effect::Arguments arguments = std::move(stored.arguments);
    const bool can_run = stored.damage.empty() && !stored.cancel_reason;
    active_[id] = std::make_shared<ActiveRun>(store_, *recorder_, wait_begun_, std::move(stored));
    ActiveRun& run = *active_[id];
    if (!can_run) {
        end_soon(run);
        return;
    }
    run.run.emplace(scheduler_.start<effect::Value>(*entry.guest, *entry.handlers, name,
                                                    std::move(arguments), {.journal = &run}));
    run.run->on_closed([this, &run] {
        if (run.leave != LeaveKind::given_back) end_soon(run);
    });
}

void Worker::end_soon(ActiveRun& run) {
    scope_->spawn([this, id = run.stored().id]() { return end(id); });
}

// Without a trace in the store.
void Worker::drop(ActiveRun& run, LeaveKind leave, const char* why) {
    if (!run.run || run.run->is_terminal()) return;
    run.leave = leave;
    run.run->cancel(why);
}

// A lease holds for all runs of the worker.
Future<void> Worker::renew_leases() {
    for (;;) {
        co_await sleep(options_.lease / 3);
        try {
            co_await store_.sync_clock();
            // Another process may have changed them unheard.
            claims_->forget_limits();
            // In the order in which a commit locks them.
            const char* lock = store_.pool().is_postgres() ? " order by id for no key update" : "";
            const std::string sql =
                std::string(
                    "update gyre_runs set wake_at = $2 where id in (select id from gyre_runs "
                    "where queue = $3 and owner = $1 and owner <> '' and status = 0") +
                lock + ")";
            co_await store_.pool().execute(sql, name_, store_.now().micros + micros(options_.lease),
                                           options_.queue);
            co_await compare_owned();
        } catch (const db::DbError& e) {
            if (!is_passing(e)) throw;
            log(LogLevel::warn, "worker %s cannot renew its lease: %s", name_.c_str(), e.what());
        }
    }
}

// The runs that others have taken over: what they do here is refused, and of no use. Those that are this worker's and not
// here, since the answer to their claim was lost, are given back.
Future<void> Worker::compare_owned() {
    std::vector<std::int64_t> here;
    for (const auto& [id, run] : active_) here.push_back(id);
    const auto owned = co_await store_.pool().list<std::int64_t>(
        "select id from gyre_runs where queue = $2 and owner = $1 and owner <> '' and status = 0",
        name_, options_.queue);
    const std::unordered_set<std::int64_t> ours(owned.begin(), owned.end());
    for (const std::int64_t id : here) {
        ActiveRun* run = ours.contains(id) ? nullptr : find(id);
        if (run != nullptr) drop(*run, LeaveKind::taken_over, "another worker has the run");
    }
    for (const std::int64_t id : owned) {
        if (is_claiming_) co_return;  // It may be on its way.
        if (find(id) == nullptr) co_await give_back(id);
    }
}

}  // namespace gyre::durable
