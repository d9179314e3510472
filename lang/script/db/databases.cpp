// SPDX-License-Identifier: Apache-2.0
#include "lang/script/db/internal/databases.hpp"

#include <cerrno>
#include <exception>
#include <utility>

#include "gyre/db/detail/permitted_url.hpp"
#include "gyre/task/core/cancel.hpp"
#include "lang/script/db/internal/database_texts.hpp"

namespace gyre::script {
namespace {

// What a call is told, also when its task was cancelled.
class Told {
public:
    Told(Script& script, double id) noexcept : script_(script), id_(id) {}
    ~Told() { script_.post_done(id_, number, std::move(text)); }
    Told(const Told&) = delete;
    Told& operator=(const Told&) = delete;

    void fail(const db::DbError& error) {
        number = -1;
        text = text_of(error);
    }

    double number = -ECANCELED;
    std::string text;

private:
    Script& script_;
    const double id_;
};

// Rolls a transaction back.
struct RolledBack {};

}  // namespace

// A transaction does not end before its statements, and what is closed has none.
class Databases::UnderWay {
public:
    explicit UnderWay(Entry* entry) : entry_(entry) {
        if (entry == nullptr || entry->statements == nullptr) {
            throw db::DbError(db::DbError::Kind::failed,
                              "the database was closed, or the transaction has ended");
        }
        ++entry_->under_way;
        entry_->is_idle.reset();
    }
    ~UnderWay() {
        if (--entry_->under_way == 0) entry_->is_idle.set();
    }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

private:
    Entry* entry_;
};

Databases::Shared Databases::find(double id) const {
    const auto found = entries_.find(id);
    return found == entries_.end() ? nullptr : found->second;
}

// Only here do handles go, because none must go inside of its own task.
void Databases::start(double done, Future<void> work) {
    if (running_.size() >= running_kept_) {
        std::erase_if(running_, [](const auto& one) { return one.second.is_completed(); });
        running_kept_ = 2 * running_.size() + 16;
    }
    script_.hold();
    running_.insert_or_assign(done, executor_.root().spawn(std::move(work)));
}

void Databases::cancel(NativeCall& call) {
    const auto found = running_.find(call.number(0));
    if (found == running_.end()) return;
    found->second.cancel("the script has no interest in it any more");
}

void Databases::open(NativeCall& call) {
    start(call.number(0), open_later(call.number(0), call.number(1), call.text(2)));
}

Future<void> Databases::open_later(double done, double id, std::string url) {
    Told told(script_, done);
    try {
        db::PoolOptions options;
        if (options_.encryption) options.encryption = options_.encryption();
        if (const Permissions* permissions = script_.system().permissions()) {
            url = co_await db::permitted_url(*permissions, std::move(url));
            options.is_confined = true;
        }
        auto entry = std::make_shared<Entry>();
        entry->pool = std::make_unique<db::Pool>(url, options);
        {
            const db::Connection first = co_await entry->pool->acquire();
        }
        entry->statements = entry->pool.get();
        entries_[id] = std::move(entry);
        told.number = 0;
    } catch (const db::DbError& error) {
        told.fail(error);
    }
}

void Databases::run(NativeCall& call) {
    std::optional<db::Values> values = values_of(call.text(3));
    if (!values) return call.fail("TypeError", "a parameter of a statement is not as it must be");
    const double done = call.number(0);
    start(done, run_later(done, find(call.number(1)), call.text(2), std::move(*values)));
}

Future<void> Databases::run_later(double done, Shared on, std::string sql, db::Values values) {
    Told told(script_, done);
    try {
        const UnderWay statement(on.get());
        const db::Rows rows =
            co_await on->statements->query_with(std::move(sql), std::move(values));
        told.number = static_cast<double>(rows.affected());
        told.text = json_of(rows);
    } catch (const db::DbError& error) {
        told.fail(error);
    }
}

void Databases::begin(NativeCall& call) {
    const double done = call.number(0);
    start(done, hold_transaction(done, call.number(1), find(call.number(2))));
}

// The task of a transaction, from its beginning to its end.
Future<void> Databases::hold_transaction(double done, double id, Shared around) {
    auto entry = std::make_shared<Entry>();
    auto told = std::make_unique<Told>(script_, done);
    auto body = [&](db::Transaction& in) -> Future<void> {
        entry->statements = &in;
        entries_[id] = entry;
        told->number = 0;
        told.reset();
        std::exception_ptr cancelled;
        try {
            co_await entry->is_ending.wait();
        } catch (const Cancelled&) {
            cancelled = std::current_exception();
        }
        entry->statements = nullptr;
        entries_.erase(id);
        while (entry->under_way > 0) co_await entry->is_idle.wait();
        if (cancelled) std::rethrow_exception(cancelled);
        told = std::make_unique<Told>(script_, entry->end_id);
        if (!entry->commits) throw RolledBack();
    };
    try {
        const UnderWay statement(around.get());
        co_await around->statements->transaction(body);
        told->number = 0;
    } catch (const RolledBack&) {
        told->number = 0;
    } catch (const db::DbError& error) {
        if (told == nullptr) told = std::make_unique<Told>(script_, entry->end_id);
        told->fail(error);
    }
}

void Databases::end(NativeCall& call) {
    const Shared entry = find(call.number(1));
    script_.hold();
    if (entry == nullptr || entry->end_id != 0) {
        return script_.post_done(call.number(0), 0, {});
    }
    entry->end_id = call.number(0);
    entry->commits = call.truth(2);
    entry->is_ending.set();
}

void Databases::close(NativeCall& call) {
    const Shared entry = find(call.number(0));
    if (entry == nullptr) return;
    entry->statements = nullptr;
    if (entry->pool != nullptr) entry->pool->close_idle();
    if (entry->under_way == 0) entries_.erase(call.number(0));
}

}  // namespace gyre::script
