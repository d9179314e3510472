// SPDX-License-Identifier: Apache-2.0
// gyre/db behind a proxy that splits, delays, cuts and garbles what passes, drawn by a seed: a query gives the right answer
// or a DbError, it ends, and the pool comes back. With GYRE_TEST_LONG=1: many seeds.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <system_error>

#include "gyre/base/random.hpp"
#include "gyre/db/pool.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/net/net_world.test.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "tests/db/scratch_server.hpp"

namespace gyre::db {
namespace {

using namespace std::chrono_literals;
using test::ScratchServer;

// What it does to the bytes of one direction of one connection.
struct Harm {
    bool splits = false;
    bool delays = false;
    std::size_t cut_after = SIZE_MAX;
    std::size_t garbled_at = SIZE_MAX;
};

class Proxy {
public:
    explicit Proxy(net::Listener listener) : listener_(std::move(listener)) {}

    bool is_harmless = false;
    Harm harm;  // of every connection

    [[nodiscard]] std::string url() const {
        return "postgres://postgres@127.0.0.1:" +
               std::to_string(listener_.local_address().value().port()) + "/postgres";
    }
    static Future<void> serve(Proxy* self, Scope* scope) {
        for (;;) {
            net::Connection client = co_await self->listener_.accept();
            scope->spawn_daemon(&Proxy::join, self, std::move(client));
        }
    }

private:
    static Future<void> join(Proxy* self, net::Connection client) {
        const Address server =
            Address::unix_path(ScratchServer::instance().folder() + "/.s.PGSQL.5432").value();
        try {
            net::Connection other = co_await net::connect(server);
            const Harm harm = self->is_harmless ? Harm() : self->harm;
            co_await with_scope([&](Scope& scope) -> Future<void> {
                scope.spawn(&Proxy::pass, self, &client, &other, Harm{.splits = harm.splits});
                scope.spawn(&Proxy::pass, self, &other, &client, harm);
                co_return;
            });
        } catch (const std::system_error&) {
            // One of the ends has gone, or was cut.
        }
    }
    static Future<void> pass(Proxy* self, net::Connection* from, net::Connection* to, Harm harm) {
        std::array<std::byte, 4096> buffer{};
        std::size_t passed = 0;
        for (;;) {
            const std::size_t most = harm.splits ? 1 + self->random_.below(200) : buffer.size();
            std::size_t size = co_await from->read(Bytes(buffer).first(most));
            const bool is_cut = size == 0 || passed + size > harm.cut_after;
            if (passed + size > harm.cut_after) size = harm.cut_after - passed;
            if (harm.garbled_at >= passed && harm.garbled_at < passed + size)
                buffer[harm.garbled_at - passed] ^= std::byte{0x15};
            if (harm.delays) co_await sleep(std::chrono::microseconds(self->random_.below(2000)));
            if (size > 0) co_await to->write(ConstBytes(buffer).first(size));
            passed += size;
            if (is_cut) throw SystemFailure(std::errc::connection_reset, "cut");
        }
    }

    net::Listener listener_;
    Random random_{7};
};

class PostgresProxy : public net::NetWorld {
protected:
    void SetUp() override {
        GYRE_NEEDS_POSTGRES();
        NetWorld::SetUp();
    }
    static int seed_count() { return std::getenv("GYRE_TEST_LONG") == nullptr ? 40 : 1500; }
    template <class F>
    void with_proxy(F client) {
        run([&]() -> Future<void> {
            Proxy proxy(co_await net::listen(Address::loopback()));
            auto body = [&](Scope& scope) -> Future<void> {
                scope.spawn_daemon([&proxy](Scope* of) { return Proxy::serve(&proxy, of); },
                                   &scope);
                co_await client(proxy);
                scope.cancel();
            };
            try {
                co_await with_scope(std::move(body));
            } catch (const Cancelled&) {
                // Ours.
            }
        });
    }
};
GYRE_ON_PLATFORMS(PostgresProxy, gyre::test::real_platforms);

struct Counts {
    int right = 0;
    int wrong = 0;
    int failed = 0;
};

// Some queries, of which each must end.
Future<void> ask(Pool& pool, int count, Counts& counts) {
    for (int i = 1; i <= count; ++i) {
        try {
            const auto text = co_await timeout(
                pool.one<std::string>("select repeat('x', $1) || ($2::int)::text", i * 40, i),
                5min);
            const bool is_right =
                text == std::string(static_cast<std::size_t>(i) * 40, 'x') + std::to_string(i);
            ++(is_right ? counts.right : counts.wrong);
        } catch (const DbError&) {
            ++counts.failed;
        }
    }
}

TEST_P(PostgresProxy, that_splits_and_delays_changes_nothing) {
    with_proxy([](Proxy& proxy) -> Future<void> {
        proxy.harm.splits = true;
        proxy.harm.delays = true;
        Pool pool(proxy.url());
        Counts counts;
        co_await ask(pool, 20, counts);
        EXPECT_EQ(counts.right, 20);
        EXPECT_EQ(pool.idle_count(), 1U);
    });
}

TEST_P(PostgresProxy, that_cuts_at_any_byte_is_an_error_and_the_pool_comes_back) {
    with_proxy([](Proxy& proxy) -> Future<void> {
        int failed = 0;
        for (int seed = 1; seed <= seed_count(); ++seed) {
            proxy.is_harmless = false;
            proxy.harm.cut_after = static_cast<std::size_t>(seed) * 37 % 1500;
            Pool pool(proxy.url());
            Counts counts;
            co_await ask(pool, 4, counts);
            EXPECT_EQ(counts.wrong, 0) << "cut after " << proxy.harm.cut_after;
            failed += counts.failed;
            proxy.is_harmless = true;
            counts = {};
            co_await ask(pool, 2, counts);
            co_await ask(pool, 1, counts);
            EXPECT_GE(counts.right, 2) << "cut after " << proxy.harm.cut_after;
            EXPECT_EQ(pool.used_count(), 0U);
        }
        EXPECT_GT(failed, 10);
    });
}

// A byte of a text may be another one, which nobody can see; whatever else it was, the query ends.
TEST_P(PostgresProxy, that_garbles_a_byte_ends_each_query) {
    with_proxy([](Proxy& proxy) -> Future<void> {
        for (int seed = 1; seed <= seed_count() / 4; ++seed) {
            proxy.is_harmless = false;
            proxy.harm.garbled_at = static_cast<std::size_t>(seed) * 97 % 900;
            PoolOptions options;
            options.connect_time_max = 500ms;  // a length that is garbled is waited for
            Pool pool(proxy.url(), options);
            Counts counts;
            try {
                co_await timeout(ask(pool, 3, counts), 1s);
            } catch (const TimeoutError&) {
                ++counts.failed;  // a length again
            }
            pool.close_idle();
            proxy.is_harmless = true;
            counts = {};
            // A connection of a loaded machine may take longer than connect_time_max.
            for (int i = 0; i < 100 && counts.right < 2; ++i) co_await ask(pool, 1, counts);
            EXPECT_EQ(counts.right, 2) << "garbled at " << proxy.harm.garbled_at;
            EXPECT_EQ(counts.wrong, 0) << "garbled at " << proxy.harm.garbled_at;
        }
    });
}

}  // namespace
}  // namespace gyre::db
