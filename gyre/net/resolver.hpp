// SPDX-License-Identifier: Apache-2.0
// Resolver: from names to addresses: numbers as they stand, the hosts file, then the name service,
// which c-ares asks; its sockets and its times are ops of the loop, so that nothing blocks. Without
// c-ares, and in the simulation, numbers and the hosts file are all there is, but for a service of
// the caller's own (name_table.hpp). It belongs to one loop's thread, and outlives the questions
// under way.
//
//     net::Resolver resolver;
//     const auto addresses = co_await timeout(resolver.resolve("example.org", 80), 5s);
//
// The hosts file of the platform's disk and the system's settings are read once, with the first
// question, by the loop's Offload; where it has none, by the loop itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "gyre/kernel/address.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/net/hosts.hpp"
#include "gyre/task/future.hpp"
#include "gyre/task/mutex.hpp"

namespace gyre {
class Platform;
}

namespace gyre::net {

struct ResolverOptions {
    std::vector<Address> servers = {};  // none: those of the system
    std::string hosts_path = "/etc/hosts";
    // How long a server is given for its answer the first time, and how often it is asked.
    Duration try_timeout = std::chrono::seconds(2);
    int try_count = 3;
    // Of those that an answer has, so many are looked at.
    std::size_t address_count_max = 32;
};

// Why a name has no address; the text names it. Its code is host_unreachable, or timed_out.
class NameError : public std::system_error {
public:
    enum class Kind : std::uint8_t {
        not_found,  // there is no such name, or it has no address
        failed,     // the servers could not tell
        timed_out,  // no server answered
        refused,    // it is no name
        no_service  // built without c-ares, or simulated
    };
    NameError(Kind kind, const std::string& name, const std::string& why);
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
    [[nodiscard]] Kind kind() const noexcept { return kind_; }

private:
    Kind kind_;
    std::string text_;
};

// Who is asked when the hosts file does not know.
class NameService {
public:
    virtual ~NameService() = default;
    // Once, before the first question. May block.
    virtual void load() = 0;
    // The addresses of this family, one at least, or throws a NameError.
    [[nodiscard]] virtual Future<std::vector<Address>> ask(std::string name, std::uint16_t port,
                                                           Address::Family family) = 0;
};

class Resolver {
public:
    explicit Resolver(ResolverOptions options = {});
    // Asks this service, on every platform.
    explicit Resolver(std::unique_ptr<NameService> service, ResolverOptions options = {});
    ~Resolver();
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;

    // One address at least, in the order in which to try them (see order_for_connecting), or a
    // NameError is thrown. Cancel class: did nothing.
    [[nodiscard]] Future<std::vector<Address>> resolve(std::string name, std::uint16_t port);
    // Only those of this family, ipv4 or ipv6.
    [[nodiscard]] Future<std::vector<Address>> resolve(std::string name, std::uint16_t port,
                                                       Address::Family family);

private:
    [[nodiscard]] Future<void> load();
    [[nodiscard]] Future<std::vector<Address>> find_here(const std::string& name,
                                                         std::uint16_t port);
    [[nodiscard]] NameService* service_on(const Platform& platform) const noexcept;

    const ResolverOptions options_;
    const bool is_of_the_system_;  // and of no use in a simulation
    std::unique_ptr<NameService> service_;
    Mutex loading_;
    Hosts hosts_;
    bool is_loaded_ = false;
};

// As RFC 8305 has it: IPv6 first, then in turns.
[[nodiscard]] std::vector<Address> order_for_connecting(const std::vector<Address>& addresses);

}  // namespace gyre::net
