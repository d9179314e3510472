// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/connect_any.hpp"

#include <optional>

#include "gyre/task/event.hpp"
#include "gyre/task/scope.hpp"
#include "gyre/task/timeout.hpp"

namespace gyre::net {
namespace {

struct Attempts {
    Event changed;  // one has ended
    std::optional<Stream> winner;
    std::size_t failed_count = 0;
    Error last{std::errc::host_unreachable};
    std::string story;
};

Future<void> attempt(Attempts* all, Address to) {
    Result<Stream> made = co_await try_(net::connect(to));
    if (!made) {
        ++all->failed_count;
        all->last = made.error();
        all->story +=
            (all->story.empty() ? "" : "; ") + to.to_string() + ": " + made.error().message();
    } else if (!all->winner) {
        all->winner = std::move(*made);
    }
    all->changed.set();
}

Future<void> next_change(Event* changed) {
    co_await changed->wait();
}

}  // namespace

Future<Stream> connect_any(std::vector<Address> addresses, ConnectOptions options) {
    Attempts all;
    const auto try_them = [&](Scope& scope) -> Future<void> {
        for (const Address& address : addresses) {
            all.changed.reset();
            scope.spawn(attempt, &all, address);
            static_cast<void>(
                co_await try_(timeout(next_change(&all.changed), options.attempt_delay)));
            if (all.winner) break;
        }
        while (!all.winner && all.failed_count < addresses.size()) {
            all.changed.reset();
            co_await all.changed.wait();
        }
        scope.cancel("another address has answered");
    };
    co_await with_scope(try_them, {.name = "connect"});
    if (!all.winner) {
        throw_error(all.last, "connect to " + (all.story.empty() ? "no address" : all.story));
    }
    co_return std::move(*all.winner);
}

Future<Stream> connect(Resolver& resolver, std::string host, std::uint16_t port,
                       ConnectOptions options) {
    std::vector<Address> addresses = co_await resolver.resolve(std::move(host), port);
    co_return co_await connect_any(std::move(addresses), options);
}

}  // namespace gyre::net
