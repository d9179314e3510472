// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/postgres/exchange.hpp"

#include <charconv>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/db/error.hpp"
#include "gyre/db/internal/postgres/server_error.hpp"

namespace gyre::db::postgres {

namespace {

// Of a table of PostgreSQL: 1,600. More is a lie.
constexpr std::size_t columns_max = 1664;

}  // namespace

Exchange::Exchange(Kind kind, std::shared_ptr<Statement> statement, std::size_t rows_bytes_max)
    : kind_(kind),
      stage_(kind == Kind::prepare  ? Stage::parsed
             : kind == Kind::run    ? Stage::bound
             : kind == Kind::forget ? Stage::forgotten
                                    : Stage::commands),
      rows_bytes_max_(rows_bytes_max),
      statement_(std::move(statement)),
      rows_(statement_ ? statement_->columns : nullptr) {}

void Exchange::take(const Frame& frame) {
    GYRE_ASSERT(!has_ended(), "an exchange that has ended gets a message");
    bool is_taken = true;
    if (frame.type == 'Z' && stage_ == Stage::ready) {
        stage_ = Stage::ended;
    } else if (frame.type == 'E' && (stage_ != Stage::ready || !failure_)) {
        take_error(frame);
    } else if (kind_ == Kind::script || kind_ == Kind::copy_in || kind_ == Kind::copy_out) {
        is_taken = take_copy(frame) || take_script(frame);
    } else {
        is_taken = take_extended(frame);
    }
    if (!is_taken) refuse_protocol("a message '" + std::string(1, frame.type) + "' out of place");
    changed.set();
}

void Exchange::fail(std::exception_ptr error) {
    if (has_ended()) return;
    if (!failure_) failure_ = std::move(error);
    stage_ = Stage::ended;
    changed.set();
}

Rows Exchange::take_rows() {
    Rows taken = std::exchange(rows_, Rows(rows_.columns()));
    taken.set_affected(affected_);
    return taken;
}

bool Exchange::take_extended(const Frame& frame) {
    const auto next = [&](char type, Stage now, Stage then) {
        if (frame.type != type || stage_ != now) return false;
        FieldReader(frame).end();
        stage_ = then;
        return true;
    };
    if (next('1', Stage::parsed, Stage::parameters) || next('2', Stage::bound, Stage::rows) ||
        next('3', Stage::forgotten, Stage::ready)) {
        return true;
    }
    if (frame.type == 't' && stage_ == Stage::parameters) {
        take_parameters(frame);
    } else if (stage_ == Stage::shape && (frame.type == 'T' || frame.type == 'n')) {
        take_shape(frame);
    } else if (frame.type == 'D' && stage_ == Stage::rows) {
        take_row(frame);
    } else if (frame.type == 'C' && stage_ == Stage::rows) {
        take_tag(frame);
        end_run();
    } else if (frame.type == 'I' && stage_ == Stage::rows) {
        FieldReader(frame).end();
        end_run();
    } else {
        return false;
    }
    return true;
}

// Several statements, whose rows nobody reads.
bool Exchange::take_script(const Frame& frame) {
    if (stage_ != Stage::commands && stage_ != Stage::copied) return false;
    switch (frame.type) {
        case 'T':
        case 'D':
            return stage_ == Stage::commands;
        case 'C':
            take_tag(frame);
            break;
        case 'I':
            break;
        case 'Z':
            stage_ = Stage::ended;
            return true;
        default:
            return false;
    }
    return true;
}

bool Exchange::take_copy(const Frame& frame) {
    if (frame.type == 'G' && kind_ == Kind::copy_in && stage_ == Stage::commands) {
        stage_ = Stage::copying_in;
    } else if (frame.type == 'C' && stage_ == Stage::copying_in) {
        take_tag(frame);
        stage_ = Stage::copied;
    } else if (frame.type == 'H' && kind_ == Kind::copy_out && stage_ == Stage::commands) {
        stage_ = Stage::copying_out;
    } else if (frame.type == 'd' && stage_ == Stage::copying_out) {
        if (!is_discarded_) copied_.append(text_of(frame.body));
        check_size();
    } else if (frame.type == 'c' && stage_ == Stage::copying_out) {
        stage_ = Stage::copied;
    } else {
        return false;
    }
    return true;
}

void Exchange::take_error(const Frame& frame) {
    failure_ = std::make_exception_ptr(read_server_error(frame).error);
    stage_ = Stage::ready;
}

void Exchange::take_parameters(const Frame& frame) {
    FieldReader fields(frame);
    const auto count = fields.number<std::uint16_t>();
    statement_->parameters.clear();
    for (std::size_t i = 0; i < count; ++i) statement_->parameters.push_back(fields.number<Oid>());
    fields.end();
    stage_ = Stage::shape;
}

void Exchange::take_shape(const Frame& frame) {
    auto columns = std::make_shared<Columns>();
    FieldReader fields(frame);
    const std::size_t count = frame.type == 'T' ? fields.number<std::uint16_t>() : 0;
    if (count > columns_max) refuse_protocol(std::to_string(count) + " columns");
    for (std::size_t i = 0; i < count; ++i) {
        ColumnInfo& column = columns->emplace_back();
        column.name = fields.text();
        static_cast<void>(fields.bytes(6));  // the table, and the column of it
        column.oid = fields.number<Oid>();
        static_cast<void>(fields.bytes(8));  // size, modifier, format
        classify(column);
    }
    fields.end();
    statement_->columns = std::move(columns);
    stage_ = Stage::ready;
}

void Exchange::take_row(const Frame& frame) {
    FieldReader fields(frame);
    const auto count = fields.number<std::uint16_t>();
    const std::size_t expected = rows_.column_count();
    if (count != expected) {
        refuse_protocol("a row of " + std::to_string(count) + " columns instead of " +
                        std::to_string(expected));
    }
    const bool is_kept = !is_discarded_ && !failure_;
    for (std::size_t i = 0; i < count; ++i) {
        const auto size = fields.number<std::int32_t>();
        if (size < -1) refuse_protocol("a column of " + std::to_string(size) + " bytes");
        const ConstBytes bytes =
            size < 0 ? ConstBytes() : fields.bytes(static_cast<std::size_t>(size));
        if (!is_kept) continue;
        if (size < 0) {
            rows_.add_null();
        } else {
            rows_.add_cell(rows_.column(i).type, bytes);
        }
    }
    fields.end();
    if (is_kept) rows_.end_row();
    check_size();
}

void Exchange::check_size() {
    if (failure_ || held_bytes() <= rows_bytes_max_) return;
    failure_ = std::make_exception_ptr(DbError(
        DbError::Kind::limit, "the answer is more than rows_bytes_max = " +
                                  std::to_string(rows_bytes_max_) + ": read it as a stream"));
    is_discarded_ = true;
    rows_ = Rows(rows_.columns());
    copied_.clear();
}

// "INSERT 0 3", "SELECT 7", "BEGIN".
void Exchange::take_tag(const Frame& frame) {
    FieldReader fields(frame);
    const std::string_view tag = fields.text();
    fields.end();
    const std::string_view number = tag.substr(tag.rfind(' ') + 1);
    std::uint64_t count = 0;
    static_cast<void>(std::from_chars(number.data(), number.data() + number.size(), count));
    affected_ += count;
}

}  // namespace gyre::db::postgres
