// SPDX-License-Identifier: Apache-2.0
// Databases: the natives behind gyre:db. A database or transaction is a number that the script chose, as is
// the call of a native that is answered by onDone: a number below 0 is an error, which the text tells. The
// script's thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gyre/db/pool.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/sync/event.hpp"
#include "lang/script/db/db.hpp"
#include "lang/script/script.hpp"

namespace gyre::script {

class Databases {
public:
    Databases(Script& script, Executor& executor, ScriptDbOptions options)
        : script_(script), executor_(executor), options_(std::move(options)) {}

    // dbOpen(done, id, url)
    void open(NativeCall& call);
    // dbRun(done, id, sql, parameters): onDone(done, changed rows, JSON of the rows). A parameter is a letter
    // and its text: n null, b true or false, i r numbers, t text, d ISO 8601, j JSON, x hexadecimal; each ends with NUL.
    void run(NativeCall& call);
    // dbCancel(done): the call ends with an error; a statement is cancelled in the database.
    void cancel(NativeCall& call);
    // dbBegin(done, id, the database or transaction around it): onDone when it has begun.
    void begin(NativeCall& call);
    // dbEnd(done, id, whether to commit): onDone when it was committed or rolled back.
    void end(NativeCall& call);
    // dbClose(id): later statements fail.
    void close(NativeCall& call);

private:
    struct Entry {
        std::unique_ptr<db::Pool> pool = nullptr;  // null: a transaction
        db::Statements* statements = nullptr;      // null: closed, or ended
        std::size_t under_way = 0;
        Event is_idle = {};
        // Of a transaction: how it is to end, and the call that is told.
        Event is_ending = {};
        bool commits = false;
        double end_id = 0;
    };
    using Shared = std::shared_ptr<Entry>;
    class UnderWay;

    [[nodiscard]] Future<void> open_later(double done, double id, std::string url);
    [[nodiscard]] Future<void> run_later(double done, Shared on, std::string sql,
                                         db::Values values);
    [[nodiscard]] Future<void> hold_transaction(double done, double id, Shared around);
    [[nodiscard]] Shared find(double id) const;
    void start(double done, Future<void> work);

    Script& script_;
    Executor& executor_;
    const ScriptDbOptions options_;
    std::map<double, Shared> entries_;
    std::map<double, TaskHandle<void>> running_;  // by the call that is answered
    std::size_t running_kept_ = 16;  // so many handles are kept before those that have ended go
};

}  // namespace gyre::script
