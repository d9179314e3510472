// SPDX-License-Identifier: Apache-2.0
// SpiedDriver: a database behind another pool, whose statements are counted and whose answers can be held up. One
// loop's thread; the spy and the pool outlive it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gyre/db/pool.hpp"

namespace gyre::test {

struct DatabaseSpy {
    std::size_t statement_count = 0;
    // Awaited between the answer to a query and those who asked; with its text.
    std::function<Future<void>(const std::string&)> on_answer = {};
};

class SpiedLink final : public db::Link {
public:
    SpiedLink(db::Connection connection, DatabaseSpy& spy)
        : connection_(std::move(connection)), spy_(spy) {}

    [[nodiscard]] Future<db::Rows> run(std::string sql, db::Values values) override {
        ++spy_.statement_count;
        db::Rows rows = co_await inner().run(sql, std::move(values));
        if (spy_.on_answer) co_await spy_.on_answer(sql);
        co_return rows;
    }
    [[nodiscard]] Future<std::uint64_t> batch(std::string sql,
                                              std::vector<db::Values> values) override {
        ++spy_.statement_count;
        return inner().batch(std::move(sql), std::move(values));
    }
    [[nodiscard]] Future<void> script(std::string sql) override {
        ++spy_.statement_count;
        return inner().script(std::move(sql));
    }
    [[nodiscard]] Stream<db::Rows> stream(std::string sql, db::Values values) override {
        return inner().stream(std::move(sql), std::move(values));
    }
    [[nodiscard]] Future<void> begin(db::Begin how) override { return inner().begin(how); }
    [[nodiscard]] Future<void> commit() override { return inner().commit(); }
    [[nodiscard]] Future<void> rollback() override { return inner().rollback(); }
    [[nodiscard]] Future<std::uint64_t> copy_in(std::string sql, db::Pieces& pieces) override {
        return inner().copy_in(std::move(sql), pieces);
    }
    [[nodiscard]] Stream<std::string> copy_out(std::string sql) override {
        return inner().copy_out(std::move(sql));
    }
    [[nodiscard]] Future<db::Notification> notification() override {
        return inner().notification();
    }
    [[nodiscard]] bool is_reusable() const noexcept override {
        return connection_.link().is_reusable();
    }
    [[nodiscard]] Future<void> check() override { return inner().check(); }
    void close() noexcept override { inner().close(); }

private:
    [[nodiscard]] db::Link& inner() noexcept { return connection_.link(); }

    mutable db::Connection connection_;
    DatabaseSpy& spy_;
};

class SpiedDriver final : public db::Driver {
public:
    SpiedDriver(db::Pool& pool, DatabaseSpy& spy) : pool_(pool), spy_(spy) {}

    [[nodiscard]] Future<std::unique_ptr<db::Link>> connect(std::string /*name*/) override {
        db::Connection connection = co_await pool_.acquire();
        co_return std::make_unique<SpiedLink>(std::move(connection), spy_);
    }
    [[nodiscard]] bool is_postgres() const noexcept override { return pool_.is_postgres(); }

private:
    db::Pool& pool_;
    DatabaseSpy& spy_;
};

}  // namespace gyre::test
