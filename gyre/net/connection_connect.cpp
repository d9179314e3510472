// SPDX-License-Identifier: Apache-2.0
// Connection: connect to the first of several addresses, or to a host by name (RFC 8305).

#include <algorithm>
#include <optional>

#include "gyre/base/assert.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/net/internal/ip_text.hpp"
#include "gyre/net/resolver.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/sync/event.hpp"

namespace gyre::net {
namespace {

// The state of connecting to one host. Lives in the frame of the coroutine that connects; its child
// tasks update it and set `changed`.
struct Attempts {
    ConnectOptions options;
    Event changed;
    std::vector<Address> untried;  // in the order to try them
    std::size_t attempts_pending = 0;
    std::size_t queries_pending = 0;
    bool is_ipv6_pending = false;
    Instant next_at;     // attempt_delay after the latest attempt started
    Instant held_until;  // IPv4 addresses wait until then
    std::optional<Connection> winner;
    std::optional<NameError> name_error;
    Error last_error{std::errc::host_unreachable};
    std::string failures;  // "address: error" of each failed attempt; of the last one the address

    [[nodiscard]] bool is_over() const noexcept {
        return winner || (untried.empty() && attempts_pending == 0 && queries_pending == 0);
    }
    // When the next attempt may start, as far as is known now.
    [[nodiscard]] Instant begins_at() const noexcept {
        return untried.empty() ? Instant::never() : std::max(next_at, held_until);
    }
};

Future<void> attempt(Attempts* all, Address to) {
    Result<Connection> made = co_await try_(net::connect(to));
    GYRE_ASSERT(all->attempts_pending > 0, "a connect attempt ended that was not counted");
    --all->attempts_pending;
    if (!made) {
        all->next_at = Instant();
        if (!all->failures.empty()) all->failures += ": " + all->last_error.message() + "; ";
        all->failures += to.to_string();
        all->last_error = made.error();
    } else if (!all->winner) {
        all->winner = std::move(*made);
    }
    all->changed.set();
}

// Queries the addresses of one family.
Future<void> learn(Attempts* all, Resolver* resolver, std::string host, std::uint16_t port,
                   Address::Family family) {
    std::vector<Address> found;
    try {
        found = co_await resolver->resolve(std::move(host), port, family);
    } catch (const NameError& e) {
        // A failure of the servers tells the user more than a family without addresses.
        const bool says_more = e.kind() != NameError::Kind::not_found;
        if (!all->name_error || says_more) all->name_error = e;
    }
    const Task& self = co_await this_task();
    GYRE_ASSERT(all->queries_pending > 0, "a name query ended that was not counted");
    --all->queries_pending;
    if (family == Address::Family::ipv6) {
        all->is_ipv6_pending = false;
        all->held_until = Instant();
    } else if (all->is_ipv6_pending) {
        all->held_until = self.executor().now() + all->options.resolution_delay;
    }
    all->untried.insert(all->untried.end(), found.begin(), found.end());
    all->untried = order_for_connecting(all->untried);
    all->changed.set();
}

Future<void> next_change(Event* changed) {
    co_await changed->wait();
}

// Returns when one attempt has succeeded or all have failed.
Future<void> try_all(Scope& scope, Attempts& all) {
    while (!all.is_over()) {
        const Instant now = scope.executor().now();
        const Instant begins_at = all.begins_at();
        if (begins_at <= now) {
            scope.spawn(attempt, &all, all.untried.front());
            all.untried.erase(all.untried.begin());
            ++all.attempts_pending;
            all.next_at = now + all.options.attempt_delay;
            continue;
        }
        all.changed.reset();
        if (begins_at == Instant::never()) {
            co_await all.changed.wait();
        } else {
            static_cast<void>(co_await try_(deadline(next_change(&all.changed), begins_at)));
        }
    }
    scope.cancel("another address has connected");
}

Connection outcome_of(Attempts& all) {
    if (all.winner) return std::move(*all.winner);
    if (all.failures.empty() && all.name_error) throw NameError(*all.name_error);
    throw_error(all.last_error,
                "connect to " + (all.failures.empty() ? "no address" : all.failures));
}

}  // namespace

Future<Connection> connect_any(std::vector<Address> addresses, ConnectOptions options) {
    Attempts all;
    all.options = options;
    all.untried = std::move(addresses);
    const auto body = [&all](Scope& scope) -> Future<void> { co_await try_all(scope, all); };
    co_await with_scope(body, {.name = "connect"});
    co_return outcome_of(all);
}

Future<Connection> connect(Resolver& resolver, std::string host, std::uint16_t port,
                           ConnectOptions options) {
    if (const auto number = parse_ip(host, port)) {
        std::vector<Address> alone(1, *number);
        co_return co_await connect_any(std::move(alone), options);
    }
    Attempts all;
    all.options = options;
    all.queries_pending = 2;
    all.is_ipv6_pending = true;
    const auto body = [&](Scope& scope) -> Future<void> {
        for (const auto family : {Address::Family::ipv6, Address::Family::ipv4}) {
            scope.spawn(learn, &all, &resolver, host, port, family);
        }
        co_await try_all(scope, all);
    };
    co_await with_scope(body, {.name = "connect"});
    co_return outcome_of(all);
}

}  // namespace gyre::net
