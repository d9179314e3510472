// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a PostgreSQL server that lies. The input is what it sends to a client with five requests
// in the pipeline: a statement that is prepared, one that is run, a script and both copies. For any input
// the client goes on or fails with a DbError; then every request has ended, and no cell is read outside of
// its bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "gyre/base/assert.hpp"
#include "gyre/db/error.hpp"
#include "gyre/db/internal/postgres/session.hpp"

namespace {

using namespace gyre;
using namespace gyre::db;
using namespace gyre::db::postgres;

template <class T>
void read_all(const Row& row, std::size_t column) {
    try {
        static_cast<void>(row.get<T>(column));
    } catch (const DbError&) {
        // It does not fit.
    }
}

void use(const Rows& rows) {
    for (const Row row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            static_cast<void>(row.cell(i).to_text());
            read_all<std::optional<int>>(row, i);
            read_all<double>(row, i);
            read_all<std::string>(row, i);
            read_all<Timestamp>(row, i);
            read_all<std::vector<std::optional<std::int64_t>>>(row, i);
            read_all<std::vector<Blob>>(row, i);
        }
    }
}

std::shared_ptr<Statement> known_statement() {
    auto columns = std::make_shared<Columns>();
    for (const std::uint32_t oid : {23U, 25U, 1184U, 1007U, 1001U, 600U}) {
        ColumnInfo& column = columns->emplace_back();
        column.name = "column";
        column.oid = oid;
        classify(column);
    }
    return std::make_shared<Statement>(
        Statement{.name = "known", .parameters = {}, .columns = columns});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Limits limits{
        .message_bytes_max = 100'000, .rows_bytes_max = 10'000, .notifications_max = 8};
    Session session(limits);
    std::vector<std::shared_ptr<Exchange>> requests;
    requests.push_back(session.run(known_statement(), {}));
    requests.push_back(session.prepare("select $1"));
    requests.push_back(session.script("begin"));
    requests.push_back(session.script("copy a to stdout", Exchange::Kind::copy_out));
    requests.push_back(session.script("copy a from stdin", Exchange::Kind::copy_in));
    ConstBytes rest = std::as_bytes(std::span(data, size));
    bool has_failed = false;
    try {
        while (!rest.empty()) {
            const Bytes room = session.input().room();
            const std::size_t part = std::min({room.size(), rest.size(), std::size_t{1000}});
            std::copy_n(rest.begin(), part, room.begin());
            session.input().received(part);
            rest = rest.subspan(part);
            session.process();
        }
    } catch (const DbError&) {
        has_failed = true;
        session.fail(std::current_exception());
    }
    for (const auto& request : requests) {
        GYRE_ASSERT(!has_failed || request->has_ended(), "a request outlives its connection");
        GYRE_ASSERT(request->held_bytes() <= limits.rows_bytes_max + limits.message_bytes_max * 24,
                    "an answer holds more than its limits");
        use(request->take_rows());
    }
    return 0;
}
