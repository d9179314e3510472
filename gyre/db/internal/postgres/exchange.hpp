// SPDX-License-Identifier: Apache-2.0
// Exchange: one request on a PostgreSQL connection and the answer to it, up to ReadyForQuery. It knows
// which message may come next, and refuses every other one.
//
//     prepare   Parse Describe Sync      ParseComplete ParameterDescription RowDescription|NoData Z
//     run       (Bind Execute)* Sync     (BindComplete DataRow* CommandComplete|EmptyQuery)* Z
//     forget    Close Sync               CloseComplete Z
//     script    Query                    (RowDescription DataRow* CommandComplete|…)* Z
//     copy in   Query CopyData* CopyDone CopyInResponse … CommandComplete Z
//     copy out  Query                    CopyOutResponse CopyData* CopyDone CommandComplete Z
//
// An ErrorResponse may come in each place; only ReadyForQuery follows it. One loop's thread. Shared
// between the task that waits and the Session, so that the task may leave first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "gyre/db/internal/postgres/frames.hpp"
#include "gyre/db/internal/postgres/types.hpp"
#include "gyre/db/row.hpp"
#include "gyre/task/sync/event.hpp"

namespace gyre::db::postgres {

// A statement that the server keeps.
struct Statement {
    std::string name;
    std::vector<Oid> parameters;
    std::shared_ptr<const Columns> columns;
    // If the server ends it before its end, it had no effect: no call of a procedure, which may commit.
    bool is_repeatable = false;
};

class Exchange {
public:
    enum class Kind : std::uint8_t { prepare, run, forget, script, copy_in, copy_out };

    // `rows_bytes_max`: beyond it the answer is a DbError (limit).
    Exchange(Kind kind, std::shared_ptr<Statement> statement, std::size_t rows_bytes_max);

    // Throws a DbError (protocol) for what a server may not send here.
    void take(const Frame& frame);
    // The connection is gone.
    void fail(std::exception_ptr error);

    [[nodiscard]] Kind kind() const noexcept { return kind_; }
    [[nodiscard]] bool has_ended() const noexcept { return stage_ == Stage::ended; }
    [[nodiscard]] const std::shared_ptr<Statement>& statement() const noexcept {
        return statement_;
    }
    // A failure of the statement; null: none.
    [[nodiscard]] const std::exception_ptr& failure() const noexcept { return failure_; }
    void throw_failure() const {
        if (failure_) std::rethrow_exception(failure_);
    }
    // The rows, or the data of a copy, that came since the last call.
    [[nodiscard]] Rows take_rows();
    [[nodiscard]] std::string take_copied() { return std::exchange(copied_, {}); }
    [[nodiscard]] std::size_t held_bytes() const noexcept {
        return rows_.held_bytes() + copied_.size();
    }
    [[nodiscard]] std::uint64_t affected() const noexcept { return affected_; }
    [[nodiscard]] bool is_copying_in() const noexcept { return stage_ == Stage::copying_in; }
    // A batch: the answers of so many runs before ReadyForQuery.
    void expect_runs(std::size_t count) noexcept { runs_left_ = count; }
    // Nobody wants the rows any more.
    void discard() noexcept { is_discarded_ = true; }
    // Nobody waits for its end any more, but the one who cancels it.
    void abandon() noexcept { is_abandoned_ = is_discarded_ = true; }
    [[nodiscard]] bool is_abandoned() const noexcept { return is_abandoned_; }
    // The reader of a stream takes the rows as they come; until then, the connection is not read.
    void make_stream(std::size_t held_bytes_max) noexcept { stream_bytes_max_ = held_bytes_max; }
    [[nodiscard]] bool is_full() const noexcept {
        return stream_bytes_max_ != 0 && !is_discarded_ && held_bytes() >= stream_bytes_max_;
    }
    // A signal that ends it by mistake does no harm: its task submits it once more.
    [[nodiscard]] bool is_repeatable() const noexcept {
        if (kind_ == Kind::prepare || kind_ == Kind::forget) return true;
        return kind_ == Kind::run && stream_bytes_max_ == 0 && statement_->is_repeatable;
    }
    // Set whenever something changed for the task that waits; it resets it.
    Event changed;

private:
    enum class Stage : std::uint8_t {
        parsed,
        parameters,
        shape,
        bound,
        rows,
        forgotten,
        commands,
        copying_in,
        copying_out,
        copied,
        ready,
        ended
    };

    [[nodiscard]] bool take_extended(const Frame& frame);
    [[nodiscard]] bool take_script(const Frame& frame);
    [[nodiscard]] bool take_copy(const Frame& frame);
    void take_error(const Frame& frame);
    void take_parameters(const Frame& frame);
    void take_shape(const Frame& frame);
    void take_row(const Frame& frame);
    void take_tag(const Frame& frame);
    void end_run() noexcept { stage_ = --runs_left_ > 0 ? Stage::bound : Stage::ready; }
    void check_size();

    const Kind kind_;
    Stage stage_;
    bool is_discarded_ = false;
    bool is_abandoned_ = false;
    const std::size_t rows_bytes_max_;
    std::size_t stream_bytes_max_ = 0;
    std::shared_ptr<Statement> statement_;
    std::exception_ptr failure_;
    Rows rows_;
    std::string copied_;
    std::uint64_t affected_ = 0;
    std::size_t runs_left_ = 1;
};

}  // namespace gyre::db::postgres
