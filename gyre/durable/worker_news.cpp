// SPDX-License-Identifier: Apache-2.0
// How a worker hears what others do to its runs: signals, requests to cancel, ends of children, new runs.
// Calls of this process tell it at once. PostgreSQL tells it of those of others; in a file of SQLite it looks.
#include <utility>

#include "gyre/base/log.hpp"
#include "gyre/durable/internal/active_run.hpp"
#include "gyre/durable/internal/claims.hpp"
#include "gyre/durable/internal/loading.hpp"
#include "gyre/durable/internal/ticker.hpp"
#include "gyre/durable/internal/times.hpp"
#include "gyre/durable/worker.hpp"

namespace gyre::durable {

void Worker::on_news(std::string_view key) noexcept {
    const auto found = ids_.find(std::string(key));
    if (found == ids_.end()) {
        has_news_.set();
    } else {
        look_soon(*find(found->second));
    }
}

void Worker::on_settings() noexcept {
    claims_->forget_limits();
    ticker_->look_again();
    has_news_.set();
}

void Worker::look_soon(ActiveRun& run) {
    run.has_more_news = true;
    if (run.is_looking || scope_->is_cancelled()) return;
    run.is_looking = true;
    scope_->spawn([this, id = run.stored().id]() { return look(id); });
}

Future<void> Worker::look(std::int64_t id) {
    for (;;) {
        bool is_over = false;
        std::string failure;
        try {
            is_over = !co_await look_once(id);
        } catch (const db::DbError& e) {
            if (!is_passing(e)) throw;
            failure = e.what();
        }
        ActiveRun* run = find(id);
        if (run == nullptr) co_return;
        if (is_over || (failure.empty() && !run->has_more_news)) {
            run->is_looking = false;
            co_return;
        }
        if (failure.empty()) continue;
        log(LogLevel::warn, "worker %s waits for news: %s", name_.c_str(), failure.c_str());
        co_await sleep(store_.options().poll_every);
    }
}

namespace {

struct SeenNews {
    std::int64_t status;
    std::int64_t fence;
    std::int64_t news;
    std::optional<std::string> cancel_reason;
};

}  // namespace

// False: it is not this worker's any more, or has ended.
Future<bool> Worker::look_once(std::int64_t id) {
    ActiveRun* run = find(id);
    if (run == nullptr) co_return false;
    run->has_more_news = false;
    const auto found = co_await store_.pool().optional<SeenNews>(
        "select status, fence, news, cancel_reason from gyre_runs where id = $1", id);
    run = find(id);
    if (run == nullptr || !run->run || run->run->is_terminal()) co_return false;
    if (!found || found->status != 0 || found->fence != run->place().fence) {
        drop(*run, LeaveKind::taken_over, "another worker has the run");
        co_return false;
    }
    const std::int64_t behind = run->last_signal();
    std::vector<StoredRun::Signal> signals;
    try {
        signals = co_await load_signals(store_.pool(), id, behind);
    } catch (const DurableError& e) {
        log(LogLevel::error, "a signal of run '%s' is lost: %s", run->key().c_str(), e.what());
    }
    run = find(id);
    if (run == nullptr || !run->run || run->run->is_terminal()) co_return false;
    for (StoredRun::Signal& signal : signals) run->take_signal(std::move(signal));
    run->stored().news = found->news;
    if (found->cancel_reason) {
        run->leave = LeaveKind::ended;
        run->run->cancel(CancelReason(found->cancel_reason->c_str()));
        co_return false;
    }
    run->wake();
    co_return true;
}

// SQLite tells nothing of other processes.
Future<void> Worker::look_at_all() {
    for (;;) {
        co_await sleep(store_.options().poll_every);
        if (active_.empty()) continue;
        try {
            const db::Rows rows = co_await store_.pool().query(
                "select id, news from gyre_runs where queue = $2 and owner = $1 and owner <> '' "
                "and status = 0",
                name_, options_.queue);
            for (const db::Row row : rows) {
                ActiveRun* run = find(row.get<std::int64_t>(0));
                if (run != nullptr && run->stored().news != row.get<std::int64_t>(1))
                    look_soon(*run);
            }
        } catch (const db::DbError& e) {
            if (!is_passing(e)) throw;
        }
    }
}

Future<void> Worker::listen() {
    for (;;) {
        try {
            co_await listen_once();
        } catch (const db::DbError& e) {
            if (!is_passing(e)) throw;
            log(LogLevel::warn, "worker %s hears nothing of its store: %s", name_.c_str(),
                e.what());
        }
        is_listening_ = false;
        co_await sleep(store_.options().poll_every);
    }
}

Future<void> Worker::listen_once() {
    db::Connection connection = co_await store_.pool().acquire();
    co_await connection.script("listen gyre_runs; listen gyre_settings");
    is_listening_ = true;
    // What came before is looked at once.
    on_settings();
    for (const auto& [id, run] : active_) look_soon(*run);
    for (;;) {
        const db::Notification news = co_await connection.notification();
        if (news.channel == "gyre_settings") {
            store_.announce_settings();
        } else {
            store_.announce(news.payload);
        }
    }
}

}  // namespace gyre::durable
