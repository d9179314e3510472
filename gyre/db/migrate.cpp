// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/migrate.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "gyre/fs/tree.hpp"
#include "gyre/fs/whole_file.hpp"

namespace gyre::db {

namespace {

// Of PostgreSQL's advisory lock: the bytes of "gyre".
constexpr std::int64_t lock_number = 0x67797265;

struct Applied {
    std::int64_t number;
    std::string name;
    std::string hash;
};

std::string sha256(std::string_view text) {
    std::array<unsigned char, 32> hash{};
    if (EVP_Digest(text.data(), text.size(), hash.data(), nullptr, EVP_sha256(), nullptr) != 1) {
        throw DbError(DbError::Kind::failed, "OpenSSL computes no SHA-256 here");
    }
    std::string hex;
    for (const unsigned char byte : hash) {
        hex += "0123456789abcdef"[byte >> 4U];
        hex += "0123456789abcdef"[byte & 15U];
    }
    return hex;
}

[[noreturn]] void refuse_migration(std::int64_t number, const std::string& name, const char* why) {
    throw DbError(DbError::Kind::mismatch,
                  "migration " + std::to_string(number) + " '" + name + "' " + why);
}

void sort_and_check(std::vector<Migration>& migrations) {
    std::ranges::sort(migrations, {}, &Migration::number);
    const auto twice = std::ranges::adjacent_find(migrations, {}, &Migration::number);
    if (twice != migrations.end())
        refuse_migration(twice->number, twice->name, "has the number of another one");
}

// How many of the migrations, from the first one on, were applied. What was applied is a beginning of them.
std::size_t check_applied(const std::vector<Applied>& applied,
                          const std::vector<Migration>& migrations) {
    for (std::size_t i = 0; i < applied.size(); ++i) {
        const Applied& was = applied[i];
        if (i == migrations.size() || migrations[i].number > was.number) {
            refuse_migration(was.number, was.name, "was applied, and is not there any more");
        }
        const Migration& is = migrations[i];
        if (is.number < was.number)
            refuse_migration(is.number, is.name, "comes before one that was applied");
        if (sha256(is.sql) != was.hash)
            refuse_migration(is.number, is.name, "was changed after it was applied");
    }
    return applied.size();
}

Future<std::size_t> apply(Transaction& in, bool is_postgres,
                          const std::vector<Migration>& migrations) {
    // SQLite's transaction has the lock of the file already.
    if (is_postgres) co_await in.execute("select pg_advisory_xact_lock($1)", lock_number);
    co_await in.execute(
        "create table if not exists gyre_migrations "
        "(number bigint primary key, name text not null, hash text not null)");
    const auto applied =
        co_await in.list<Applied>("select number, name, hash from gyre_migrations order by number");
    const std::size_t first = check_applied(applied, migrations);
    for (std::size_t i = first; i < migrations.size(); ++i) {
        const Migration& next = migrations[i];
        const std::string hash = sha256(next.sql);
        co_await in.script(next.sql);
        co_await in.execute("insert into gyre_migrations values ($1, $2, $3)", next.number,
                            next.name, hash);
    }
    co_return migrations.size() - first;
}

// "0001-people.sql"
std::optional<Migration> of_file_name(const std::string& name) {
    std::int64_t number = 0;
    const auto end = std::from_chars(name.data(), name.data() + name.size(), number);
    const auto size = static_cast<std::size_t>(end.ptr - name.data());
    if (end.ec != std::errc() || number < 0 || size + 5 >= name.size()) return std::nullopt;
    if (name[size] != '-' && name[size] != '_') return std::nullopt;
    return Migration(number, name.substr(size + 1, name.size() - size - 5), "");
}

}  // namespace

Future<std::size_t> migrate(Pool& pool, std::vector<Migration> migrations) {
    sort_and_check(migrations);
    auto body = [&](Transaction& in) { return apply(in, pool.is_postgres(), migrations); };
    co_return co_await pool.transaction(body);
}

Future<std::vector<Migration>> read_migrations(std::string folder) {
    std::vector<Migration> migrations;
    for (const FolderEntry& entry : co_await fs::list(folder)) {
        if (!entry.name.ends_with(".sql")) continue;
        auto migration = of_file_name(entry.name);
        if (!migration) {
            throw DbError(DbError::Kind::failed,
                          "'" + folder + "/" + entry.name +
                              "' is no name of a migration: 0001-name.sql is one");
        }
        migration->sql = co_await fs::read_file(folder + "/" + entry.name);
        migrations.push_back(std::move(*migration));
    }
    sort_and_check(migrations);
    co_return migrations;
}

}  // namespace gyre::db
