// SPDX-License-Identifier: Apache-2.0
// Connections to a PostgreSQL server over TLS, on each platform; the server is a script.
#include "gyre/bridge/db_tls/db_tls.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "gyre/db/server_script.test.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/net_world.test.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/tls/certificates.test.hpp"
#include "gyre/tls/connection.hpp"
#include "tests/support/platforms.hpp"

namespace gyre::tls {
namespace {

namespace pg = db::postgres;

class PostgresOverTls : public net::NetWorld {
protected:
    static Authority& authority() {
        static Authority one;
        return one;
    }
    // A server that answers the request for TLS with this text; what came of one query for a number.
    std::string asked(const std::string& mode, std::string greeting, bool is_trusted = true) {
        return run([&]() -> Future<std::string> {
            net::Listener listener = co_await net::listen(Address::loopback());
            const auto port = listener.local_address().value().port();
            std::string said;
            auto both = [&](Scope& scope) -> Future<void> {
                scope.spawn_daemon([&]() -> Future<void> {
                    co_await serve(co_await listener.accept(), greeting);
                });
                db::PoolOptions options;
                ClientOptions trust;
                if (is_trusted) trust.authorities = authority().pem();
                if (!is_trusted) trust.authorities = Authority("a stranger").pem();
                options.encryption = tls_encryption(std::move(trust));
                db::Pool pool(
                    "postgres://ada@127.0.0.1:" + std::to_string(port) + "/notes?sslmode=" + mode,
                    options);
                try {
                    said = std::to_string(co_await pool.one<int>("select n"));
                } catch (const db::DbError& e) {
                    said = e.what();
                }
            };
            co_await with_scope(both);
            co_return said;
        });
    }

private:
    Future<void> serve(net::Connection client, std::string greeting) {
        std::array<std::byte, 4096> buffer{};
        const std::size_t size = co_await client.read(buffer);
        EXPECT_EQ(text_of(Bytes(buffer).first(size)), pg::number32(8) + pg::number32(80'877'103));
        co_await client.write(bytes_of(greeting));
        try {
            auto secured = co_await accept(context_, std::move(client));
            const std::string login = pg::message('R', pg::number32(0)) + pg::ready();
            for (const std::string& answer : {login, pg::prepared({}, {{"n", 23}}),
                                              pg::answered({{pg::number32(7)}}, "SELECT 1")}) {
                static_cast<void>(co_await secured->read(buffer));
                co_await secured->write(bytes_of(answer));
            }
            static_cast<void>(co_await secured->read(buffer));
        } catch (const std::system_error&) {
            // The client has refused.
        }
    }

    Context context_{
        ServerOptions{.certificates = {authority().issue("server", {.names = "IP:127.0.0.1"})}}};
};
GYRE_ON_PLATFORMS(PostgresOverTls, gyre::test::every_platform);

TEST_P(PostgresOverTls, a_trusted_server_answers) {
    EXPECT_EQ(asked("verify-full", "S"), "7");
}

TEST_P(PostgresOverTls, a_server_of_a_stranger_is_refused_where_it_is_verified) {
    EXPECT_TRUE(asked("verify-full", "S", false).contains("certificate"));
    EXPECT_EQ(asked("require", "S", false), "7");
}

TEST_P(PostgresOverTls, a_server_without_tls_is_refused) {
    EXPECT_EQ(asked("require", "N"), "the server does not speak TLS");
}

TEST_P(PostgresOverTls, bytes_in_clear_text_before_the_handshake_are_no_answer) {
    const std::string answer =
        asked("require", "S" + pg::message('R', pg::number32(0)) + pg::ready());
    EXPECT_TRUE(answer.starts_with("'postgres://ada@127.0.0.1")) << answer;
}

}  // namespace
}  // namespace gyre::tls
