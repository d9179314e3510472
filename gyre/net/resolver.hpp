// SPDX-License-Identifier: Apache-2.0
// Resolver: host names to addresses. Asks, in this order: numeric addresses, the hosts file, the
// name service (DNS through c-ares, whose sockets and timers are ops of the loop).
//
//     net::Resolver resolver;
//     const auto addresses = co_await timeout(resolver.resolve("example.org", 80), 5s);
//
// Thread: the loop's thread.
// Lifetime: outlives the futures of its members.
// Cancel: every member's cancel class is did nothing.
//
// The hosts file of the platform's disk and the system's DNS configuration are read once, before
// the first query, by the loop's Offload (by the loop if it has none). A simulated world knows the names
// of its hosts. Without c-ares, and in a simulation without hosts, there is no name service unless the
// caller passes one; NameTable is one for tests.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "gyre/base/failure.hpp"
#include "gyre/io/address.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/task/core/future.hpp"
#include "gyre/task/sync/semaphore.hpp"

namespace gyre {
class Platform;
}

namespace gyre::net {

class Hosts;

struct ResolverOptions {
    std::vector<Address> servers = {};  // empty: the DNS servers that the system is configured with
    std::string hosts_path = "/etc/hosts";
    // The timeout of the first query to a server, and how many queries are sent to it.
    Duration try_timeout = std::chrono::seconds(2);
    int try_count = 3;
    // Addresses of a reply beyond this count are ignored.
    std::size_t address_count_max = 32;
};

// Why a name could not be resolved; the text has the name. Its code is host_unreachable, or
// timed_out.
class NameError : public SystemFailure {
public:
    enum class Kind : std::uint8_t {
        not_found,  // the name does not exist, or has no address
        failed,     // the servers reported a failure
        timed_out,  // no server replied
        refused,    // not a valid host name
        no_service  // built without c-ares, or simulated
    };
    NameError(Kind kind, const std::string& name, const std::string& why);
    [[nodiscard]] Kind kind() const noexcept { return kind_; }

private:
    Kind kind_;
};

// Resolves the names that are not in the hosts file.
class NameService {
public:
    virtual ~NameService() = default;
    // Called once, before the first query, on a thread of the Offload. May block.
    virtual void load() = 0;
    // At least one address of this family, or throws a NameError.
    [[nodiscard]] virtual Future<std::vector<Address>> ask(std::string name, std::uint16_t port,
                                                           Address::Family family) = 0;
};

class Resolver {
public:
    explicit Resolver(ResolverOptions options = {});
    // Uses this service on every platform, the simulation included.
    explicit Resolver(std::unique_ptr<NameService> service, ResolverOptions options = {});
    ~Resolver();
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;

    // At least one address, in the order in which to try them (order_for_connecting), or throws a
    // NameError.
    [[nodiscard]] Future<std::vector<Address>> resolve(std::string name, std::uint16_t port);
    // Only the addresses of this family, ipv4 or ipv6.
    [[nodiscard]] Future<std::vector<Address>> resolve(std::string name, std::uint16_t port,
                                                       Address::Family family);

private:
    [[nodiscard]] Future<void> load();
    [[nodiscard]] Future<std::vector<Address>> find_without_service(const std::string& name,
                                                                    std::uint16_t port);
    [[nodiscard]] NameService* service_on(Platform& platform) const noexcept;

    const ResolverOptions options_;
    const bool uses_system_service_;  // which a simulation must not ask
    std::unique_ptr<NameService> service_;
    const std::unique_ptr<NameService> simulated_;  // the hosts of a simulated world
    Mutex loading_;
    const std::unique_ptr<Hosts> hosts_;
    bool is_loaded_ = false;
};

// The order of RFC 8305: IPv6 first, then alternating between the families.
[[nodiscard]] std::vector<Address> order_for_connecting(const std::vector<Address>& addresses);

// A NameService from a table in memory, for tests and simulations: the addresses of each name, the
// (virtual) time a query takes, or the error.
//
//     auto table = std::make_unique<net::NameTable>();
//     table->set("example.test", Address::Family::ipv4, {.addresses = {Address::loopback(0)}});
//     net::Resolver resolver(std::move(table));
class NameTable final : public NameService {
public:
    static constexpr Duration never = Duration::max();

    struct Answer {
        std::vector<Address> addresses = {};  // their ports are replaced by the one asked for
        Duration delay = Duration(0);         // `never`: no reply
        NameError::Kind failure = NameError::Kind::not_found;  // if there are no addresses
    };
    // A name that is not set fails immediately with not_found.
    void set(const std::string& name, Address::Family family, Answer answer) {
        answers_.insert_or_assign({name, family}, std::move(answer));
    }

    void load() override {}
    [[nodiscard]] Future<std::vector<Address>> ask(std::string name, std::uint16_t port,
                                                   Address::Family family) override;

private:
    std::map<std::pair<std::string, Address::Family>, Answer> answers_;
};

}  // namespace gyre::net
