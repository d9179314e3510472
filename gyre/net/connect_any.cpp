// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/connect_any.hpp"

#include <algorithm>
#include <optional>

#include "gyre/net/ip_text.hpp"
#include "gyre/task/event.hpp"
#include "gyre/task/scope.hpp"
#include "gyre/task/timeout.hpp"

namespace gyre::net {
namespace {

// What is known about reaching one host. Belongs to the coroutine that connects; the tasks that it
// starts write into it, and set `changed`.
struct Attempts {
    ConnectOptions options;
    Event changed;
    std::vector<Address> untried;  // the next one first
    std::size_t under_way = 0;
    std::size_t answers_missing = 0;  // of the name service
    bool is_ipv6_missing = false;
    Instant next_at;     // the last one that was begun has its moment until then
    Instant held_until;  // addresses of IPv4 wait until then
    std::optional<Stream> winner;
    std::optional<NameError> unknown;
    Error last{std::errc::host_unreachable};
    std::string story;

    [[nodiscard]] bool is_over() const noexcept {
        return winner || (untried.empty() && under_way == 0 && answers_missing == 0);
    }
    // When an address may be tried, as far as is known now.
    [[nodiscard]] Instant begins_at() const noexcept {
        return untried.empty() ? Instant::never() : std::max(next_at, held_until);
    }
};

Future<void> attempt(Attempts* all, Address to) {
    Result<Stream> made = co_await try_(net::connect(to));
    --all->under_way;
    if (!made) {
        all->next_at = Instant();
        all->last = made.error();
        all->story +=
            (all->story.empty() ? "" : "; ") + to.to_string() + ": " + made.error().message();
    } else if (!all->winner) {
        all->winner = std::move(*made);
    }
    all->changed.set();
}

// Asks for the addresses of one family.
Future<void> learn(Attempts* all, Resolver* resolver, std::string host, std::uint16_t port,
                   Address::Family family) {
    std::vector<Address> found;
    try {
        found = co_await resolver->resolve(std::move(host), port, family);
    } catch (const NameError& e) {
        // That one family has none says less than that nobody could tell.
        const bool says_more = e.kind() != NameError::Kind::not_found;
        if (!all->unknown || says_more) all->unknown = e;
    }
    const Task& self = co_await this_task();
    --all->answers_missing;
    if (family == Address::Family::ipv6) {
        all->is_ipv6_missing = false;
        all->held_until = Instant();
    } else if (all->is_ipv6_missing) {
        all->held_until = self.executor().now() + all->options.resolution_delay;
    }
    all->untried.insert(all->untried.end(), found.begin(), found.end());
    all->untried = order_for_connecting(all->untried);
    all->changed.set();
}

Future<void> next_change(Event* changed) {
    co_await changed->wait();
}

// Until one has answered or all have failed.
Future<void> try_them(Scope& scope, Attempts& all) {
    while (!all.is_over()) {
        const Instant now = scope.executor().now();
        const Instant begins_at = all.begins_at();
        if (begins_at <= now) {
            scope.spawn(attempt, &all, all.untried.front());
            all.untried.erase(all.untried.begin());
            ++all.under_way;
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
    scope.cancel("another address has answered");
}

Stream outcome_of(Attempts& all) {
    if (all.winner) return std::move(*all.winner);
    if (all.story.empty() && all.unknown) throw NameError(*all.unknown);
    throw_error(all.last, "connect to " + (all.story.empty() ? "no address" : all.story));
}

}  // namespace

Future<Stream> connect_any(std::vector<Address> addresses, ConnectOptions options) {
    Attempts all;
    all.options = options;
    all.untried = std::move(addresses);
    const auto body = [&all](Scope& scope) -> Future<void> { co_await try_them(scope, all); };
    co_await with_scope(body, {.name = "connect"});
    co_return outcome_of(all);
}

Future<Stream> connect(Resolver& resolver, std::string host, std::uint16_t port,
                       ConnectOptions options) {
    if (const auto number = parse_ip(host, port)) {
        std::vector<Address> alone(1, *number);
        co_return co_await connect_any(std::move(alone), options);
    }
    Attempts all;
    all.options = options;
    all.answers_missing = 2;
    all.is_ipv6_missing = true;
    const auto body = [&](Scope& scope) -> Future<void> {
        for (const auto family : {Address::Family::ipv6, Address::Family::ipv4}) {
            scope.spawn(learn, &all, &resolver, host, port, family);
        }
        co_await try_them(scope, all);
    };
    co_await with_scope(body, {.name = "connect"});
    co_return outcome_of(all);
}

}  // namespace gyre::net
