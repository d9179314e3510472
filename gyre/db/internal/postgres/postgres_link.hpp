// SPDX-License-Identifier: Apache-2.0
// PostgresLink: a Link to PostgreSQL. connect_postgres: login, and the link. PostgresDriver: a Driver.
// One loop's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "gyre/db/detail/encryption.hpp"
#include "gyre/db/detail/link.hpp"
#include "gyre/db/error.hpp"
#include "gyre/db/internal/postgres/wire.hpp"
#include "gyre/db/internal/url.hpp"
#include "gyre/net/resolver.hpp"

namespace gyre::db::postgres {

class PostgresDriver final : public Driver {
public:
    // The limits outlive the driver.
    PostgresDriver(Url url, const Limits& limits, std::shared_ptr<Encryption> encryption);

    [[nodiscard]] Future<std::unique_ptr<Link>> connect(std::string name) override;
    [[nodiscard]] bool is_postgres() const noexcept override { return true; }
    // A connection on which nothing was said yet.
    [[nodiscard]] Future<net::Connection> dial();
    [[nodiscard]] const Limits& limits() const noexcept { return limits_; }

private:
    [[nodiscard]] Future<std::unique_ptr<net::ByteStream>> open();
    [[nodiscard]] bool is_encrypted() const;

    const Url url_;
    const Limits& limits_;
    const std::shared_ptr<Encryption> encryption_;
    net::Resolver resolver_;
};

// What a server needs to know which of its processes to interrupt.
struct CancelKey {
    std::int32_t process = 0;
    std::int32_t secret = 0;
};

class PostgresLink final : public Link {
public:
    PostgresLink(PostgresDriver& driver, std::shared_ptr<Wire> wire, CancelKey key) noexcept
        : driver_(driver), wire_(std::move(wire)), key_(key) {}
    ~PostgresLink() override { close(); }

    [[nodiscard]] Future<Rows> run(std::string sql, Values values) override;
    [[nodiscard]] Future<std::uint64_t> batch(std::string sql, std::vector<Values> values) override;
    [[nodiscard]] Future<void> script(std::string sql) override;
    [[nodiscard]] Stream<Rows> stream(std::string sql, Values values) override;
    [[nodiscard]] Future<void> begin(Begin how) override;
    [[nodiscard]] Future<void> commit() override;
    [[nodiscard]] Future<void> rollback() override;
    [[nodiscard]] Future<std::uint64_t> copy_in(std::string sql, Pieces& pieces) override;
    [[nodiscard]] Stream<std::string> copy_out(std::string sql) override;
    [[nodiscard]] Future<Notification> notification() override;
    [[nodiscard]] bool is_reusable() const noexcept override;
    [[nodiscard]] Future<void> check() override;
    void close() noexcept override { wire_->close(); }

private:
    using Answer = std::shared_ptr<Exchange>;

    [[nodiscard]] Session& session() noexcept { return wire_->session(); }
    // Gives the request to the wire; what `submit` throws names the statement.
    template <class F>
    [[nodiscard]] Answer start(Executor& executor, const std::string& sql, F submit);
    [[nodiscard]] Future<std::shared_ptr<Statement>> prepared(const std::string& sql);
    // Prepares, submits and awaits a statement; once more if the schema has changed, and as often as a signal
    // for another one of the pipeline has met it.
    template <class F>
    [[nodiscard]] Future<Answer> answered(Executor& executor, const std::string& sql, F submit);
    // Whether it was ended by a signal that was meant for another one.
    [[nodiscard]] bool was_hit(const DbError& error, std::uint64_t signals_before) const noexcept;
    // A statement that is sent behind a signal is not met by it.
    [[nodiscard]] Future<void> signals_sent();
    template <class Piece, class Begin>
    [[nodiscard]] Stream<Piece> pieces(Begin begin, std::string sql, Piece (Exchange::*take)());
    // Waits for the end of the answer, and throws its failure.
    [[nodiscard]] Future<void> finish(Answer answer, const std::string& sql);
    [[nodiscard]] Future<void> ended(Answer answer);
    // The task does not want the answer any more: ends it on the server.
    [[nodiscard]] Future<void> abandon(Answer answer);
    [[nodiscard]] Future<void> cancel_on_server(Answer answer);
    [[nodiscard]] Future<void> send_signal();
    [[nodiscard]] Future<void> send_pieces(Answer answer, Pieces& pieces);
    [[nodiscard]] static bool is_stale_plan(const DbError& error) noexcept;

    PostgresDriver& driver_;
    const std::shared_ptr<Wire> wire_;
    const CancelKey key_;
    bool has_listened_ = false;
    // Signals that cancel a statement: all of them, and those that are under way.
    std::uint64_t signal_count_ = 0;
    std::size_t signalling_count_ = 0;
    Event signal_sent_;
};

}  // namespace gyre::db::postgres
