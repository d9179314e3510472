// SPDX-License-Identifier: Apache-2.0
// A Database of the program: a pool, or a transaction. And what goes between it and the program: rows,
// parameters, errors. One thread: that of the machine.
#pragma once

#include <memory>
#include <string>

#include "gyre/db/pool.hpp"
#include "gyre/task/sync/event.hpp"
#include "lang/vela/run/db/db_support.hpp"
#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/run/internal/tasks.hpp"

namespace gyre::vela::vm {

struct DatabaseThing final : HostThing {
    DatabaseThing(const TypeInfo* of, const DbSupport& with) : HostThing(of), support(&with) {}
    DatabaseThing(const TypeInfo* of, db::Transaction& in) : HostThing(of), statements(&in) {}

    const DbSupport* support = nullptr;
    std::unique_ptr<db::Pool> pool;        // null: a transaction
    db::Statements* statements = nullptr;  // null: it was closed, or the transaction has ended
    std::size_t under_way = 0;             // statements
    Event is_idle;                         // set when the last of them has ended
};

[[nodiscard]] inline DatabaseThing& database_of(Word word) {
    return static_cast<DatabaseThing&>(as<HostThing>(word, Kind::host));
}

// The error of the program for one of the database.
[[nodiscard]] Word db_error(Vm& vm, const db::DbError& error);
[[nodiscard]] db::Values values_of(Vm& vm, Word params);
[[nodiscard]] Word rows_of(Vm& vm, const db::Rows& rows);
void add_row_natives(NativeTable& table);

}  // namespace gyre::vela::vm
