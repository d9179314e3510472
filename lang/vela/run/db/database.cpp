// SPDX-License-Identifier: Apache-2.0
// Database: statements and transactions of system:db.
#include <memory>
#include <optional>
#include <utility>

#include "gyre/db/detail/permitted_url.hpp"
#include "lang/vela/run/db/db_support.hpp"
#include "lang/vela/run/db/internal/database_things.hpp"
#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/internal/polling.hpp"

namespace gyre::vela {
namespace vm {
namespace {

using Args = std::span<const Word>;

// One statement: a transaction does not end before it, and a closed database refuses it.
class UnderWay {
public:
    explicit UnderWay(DatabaseThing& database) : database_(database) {
        if (database.statements == nullptr) {
            const char* const why =
                database.pool != nullptr ? "the database was closed" : "the transaction has ended";
            throw db::DbError(db::DbError::Kind::failed, why);
        }
        ++database_.under_way;
        database_.is_idle.reset();
    }
    ~UnderWay() {
        if (--database_.under_way == 0) database_.is_idle.set();
    }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

private:
    DatabaseThing& database_;
};

// The lazy Future of work that gives a Word, and fails with a DbError. It keeps the arguments.
template <class Work>
Word start_db(Vm& vm, Args args, std::string_view name, Work work) {
    auto run = [work = std::move(work)](Vm& of, Deferred& future) mutable -> gyre::Future<void> {
        std::optional<db::DbError> failure;
        try {
            const Word value = co_await work(of);
            of.tasks->settle(future, FutureState::fulfilled, value);
        } catch (const db::DbError& error) {
            failure = error;
        }
        if (failure) of.tasks->settle(future, FutureState::rejected, db_error(of, *failure));
    };
    return vm.tasks->make_work(name, std::move(run), args);
}

Word query(Vm& vm, Args args) {
    auto work = [database = &database_of(args[0]), sql = text_of(args[1]),
                 values = values_of(vm, args[2])](Vm& of) mutable -> gyre::Future<Word> {
        const UnderWay statement(*database);
        const db::Rows rows =
            co_await database->statements->query_with(std::move(sql), std::move(values));
        co_return rows_of(of, rows);
    };
    return start_db(vm, args, "query", std::move(work));
}

Word execute(Vm& vm, Args args) {
    auto work = [database = &database_of(args[0]), sql = text_of(args[1]),
                 values = values_of(vm, args[2])](Vm& of) mutable -> gyre::Future<Word> {
        const UnderWay statement(*database);
        const db::Rows rows =
            co_await database->statements->query_with(std::move(sql), std::move(values));
        co_return of.heap.number(static_cast<std::int64_t>(rows.affected()));
    };
    return start_db(vm, args, "execute", std::move(work));
}

// ---- transactions

NativeRoutine called(Vm* vm, Word function, Word database) {
    Kept kept = co_await keep();
    const Word future = vm->call(function, {&database, 1});
    auto* awaited = static_cast<Deferred*>(as_future(*vm, future).thing());
    kept.add(awaited);
    const Settled settled = co_await awaited;
    co_return settled.get();
}

// The function of the program in a task of its own, which a cancel of the transaction reaches; ends when
// the statements that it began have ended.
gyre::Future<void> run_body(Vm* vm, DatabaseThing* inside, Word function,
                            std::optional<KeptAlive>* outcome, Word* result) {
    auto* future = vm->tasks->make_native("transaction",
                                          called(vm, function, inside).keeping({function, inside}));
    TaskHandle* const body = vm->tasks->spawn(*future);
    const KeptAlive kept_body(*vm->tasks, body);
    // Shared with the callback, which may come after this coroutine is gone.
    const auto ended = std::make_shared<Event>();
    vm->tasks->when_settled(*body, {}, [ended](Vm& /*of*/, Args /*kept*/) { ended->set(); });
    std::exception_ptr cancelled;
    try {
        co_await ended->wait();
    } catch (const Cancelled&) {
        cancelled = std::current_exception();
    }
    inside->statements = nullptr;
    if (cancelled && !vm->tasks->is_ended()) static_cast<void>(vm->tasks->cancel(*body));
    while (inside->under_way > 0) co_await inside->is_idle.wait();
    if (cancelled) std::rethrow_exception(cancelled);
    outcome->emplace(*vm->tasks, body->result);
    *result = body->result;
    if (body->state == FutureState::rejected) throw Thrown{body->result};
}

gyre::Future<Word> in_transaction(Vm* vm, DatabaseThing* database, Word function) {
    const UnderWay statement(*database);
    std::optional<KeptAlive> outcome;
    Word result;
    auto body = [&](db::Transaction& in) -> gyre::Future<void> {
        auto* inside = vm->heap.make<DatabaseThing>(database->type, in);
        const KeptAlive kept(*vm->tasks, inside);
        co_await run_body(vm, inside, function, &outcome, &result);
    };
    co_await database->statements->transaction(body);
    co_return result;
}

Word transaction(Vm& vm, Args args) {
    auto work = [database = &database_of(args[0]), function = args[1]](Vm& of) {
        return in_transaction(&of, database, function);
    };
    return start_db(vm, args, "transaction", std::move(work));
}

// ---- the library

gyre::Future<Word> open_database(Vm* vm, DatabaseThing* database, std::string url) {
    db::PoolOptions options;
    if (database->support->encryption) options.encryption = database->support->encryption();
    if (const Permissions* permissions = vm->host.permissions()) {
        url = co_await db::permitted_url(*permissions, std::move(url));
        options.is_confined = true;
    }
    database->pool = std::make_unique<db::Pool>(url, options);
    {
        // What is wrong with it is told here, and not with the first statement.
        const db::Connection first = co_await database->pool->acquire();
    }
    database->statements = database->pool.get();
    co_return database;
}

Word open(Vm& vm, Args args) {
    const Word made = vm.create(*vm.standard_type("Database"));
    auto work = [database = &database_of(made), url = text_of(args[0])](Vm& of) {
        return open_database(&of, database, url);
    };
    const Word kept[] = {made};
    return start_db(vm, kept, "open", std::move(work));
}

const NativeTable& natives() {
    static const NativeTable table = [] {
        NativeTable made;
        made["Database.open"] = open;
        made["Database.query"] = query;
        made["Database.execute"] = execute;
        made["Database.transaction"] = transaction;
        made["Database.close"] = [](Vm&, Args args) {
            DatabaseThing& database = database_of(args[0]);
            database.statements = nullptr;
            if (database.pool != nullptr) database.pool->close_idle();
            return Word::nothing();
        };
        made["DbError.constructor"] = [](Vm& vm, Args args) {
            auto& object = as<Instance>(args[0], Kind::instance);
            const bool has_message = args.size() > 1 && !args[1].is_missing();
            if (has_message) vm.set_field(object, "message", args[1]);
            return Word::nothing();
        };
        add_row_natives(made);
        return made;
    }();
    return table;
}

class DbLibrary final : public NativeLibrary {
public:
    explicit DbLibrary(DbSupport support) : support_(std::move(support)) {}

    [[nodiscard]] NativeCall find(std::string_view name) const override {
        const auto found = natives().find(name);
        return found == natives().end() ? nullptr : found->second;
    }
    [[nodiscard]] Word create(Vm& vm, const TypeInfo& type) const override {
        if (type.name.text != "Database") return {};
        return vm.heap.make<DatabaseThing>(&type, support_);
    }

private:
    const DbSupport support_;
};

}  // namespace
}  // namespace vm

std::shared_ptr<const vm::NativeLibrary> make_db_library(DbSupport support) {
    return std::make_shared<vm::DbLibrary>(std::move(support));
}

}  // namespace gyre::vela
