// SPDX-License-Identifier: Apache-2.0
// Actors: a database worker. A message carries the address of its answer: a promise, or another
// actor. While one query waits for the database, the next is handled.
//
//     $ build/release/bin/examples/37_database_worker
//     inserted as 1
//     inserted as 2
//     Result: ada, brian

// [head]
#include <cstdio>
#include <string>

#include <gyre/actor/sender.hpp>
#include <gyre/gyre.hpp>

using namespace gyre;
using namespace gyre::actor;
using namespace std::chrono_literals;
// [/head]

struct DatabaseConnection {  // Simulates a real one, with a delay.
    Future<std::string> query(std::string /*sql*/) {
        co_await sleep(2ms);
        co_return rows;
    }
    Future<int> insert(std::string row) {
        co_await sleep(1ms);
        rows += (rows.empty() ? "" : ", ") + row;
        co_return ++count;
    }
    std::string rows;
    int count = 0;
};

// [worker]
struct Query {
    std::string sql;
    Sender<std::string> sender;
};
struct Insert {
    std::string data;
    Sender<int> sender;
};
class DatabaseWorker : public Actor<DatabaseWorker> {
public:
    Future<void> handle(Query query) {
        query.sender.send(co_await db_.query(std::move(query.sql)));
    }
    Future<void> handle(Insert insert) {
        insert.sender.send(co_await db_.insert(std::move(insert.data)));
    }

private:
    DatabaseConnection db_;
};
// [/worker]

struct InsertLog : Actor<InsertLog> {  // An actor is an address, as a promise is.
    void handle(int id) { std::printf("inserted as %d\n", id); }
};

// [main]
Future<void> query_users(System& system) {
    const Ref<DatabaseWorker> db = system.spawn<DatabaseWorker>();
    const Ref<InsertLog> log = system.spawn<InsertLog>();
    db.send(Insert{"ada", log});
    db.send(Insert{"brian", log});

    Promise<std::string> promise;
    auto result = promise.future();
    db.send(Query{"SELECT * FROM users", Sender<std::string>(std::move(promise))});
    std::printf("Result: %s\n", (co_await result).c_str());
}
// [/main]

int main() {
    return gyre::run([] { return with_actors(query_users); });
}
