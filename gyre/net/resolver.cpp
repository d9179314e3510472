// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/resolver.hpp"

#include <algorithm>
#include <optional>

#include "gyre/base/assert.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/io/host_calls.hpp"
#include "gyre/net/internal/hosts.hpp"
#include "gyre/net/internal/ip_text.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/thread/blocking.hpp"
#if GYRE_HAS_CARES
#    include "gyre/net/internal/cares_service.hpp"
#endif

namespace gyre::net {
namespace {

// RFC 1035, the dots included.
constexpr std::size_t name_size_max = 253;

bool is_name(std::string_view name) noexcept {
    return !name.empty() && name.size() <= name_size_max &&
           name.find_first_of(std::string_view(" \t\r\n\0", 5)) == std::string_view::npos;
}

std::errc code_of(NameError::Kind kind) noexcept {
    return kind == NameError::Kind::timed_out ? std::errc::timed_out : std::errc::host_unreachable;
}

// The names of the hosts of a simulated world, which their system knows.
class SimulatedNames final : public NameService {
public:
    void load() override {}
    Future<std::vector<Address>> ask(std::string name, std::uint16_t port,
                                     Address::Family family) override {
        const Task& task = co_await this_task();
        HostCalls* const calls = task.executor().loop().platform().environment()->host_calls();
        const AddressQuery query{.host = name, .service = std::to_string(port), .family = family};
        const auto look_up = [calls, &query] { return calls->addresses_of(query); };
        Result<std::vector<Address>> found = co_await blocking(look_up, WorkKind::names);
        if (found) co_return *std::move(found);
        if (found.error().code() == std::errc::resource_unavailable_try_again) {
            throw NameError(NameError::Kind::timed_out, name, "no server replied");
        }
        throw NameError(NameError::Kind::not_found, name, "no host has the name");
    }
};

}  // namespace

NameError::NameError(Kind kind, const std::string& name, const std::string& why)
    : SystemFailure(code_of(kind), "cannot find the address of " + name + ": " + why),
      kind_(kind) {}

Resolver::Resolver(ResolverOptions options)
    : options_(std::move(options)),
      uses_system_service_(true),
      simulated_(std::make_unique<SimulatedNames>()),
      hosts_(std::make_unique<Hosts>()) {
#if GYRE_HAS_CARES
    service_ = make_cares_service(options_);
#endif
}

Resolver::Resolver(std::unique_ptr<NameService> service, ResolverOptions options)
    : options_(std::move(options)),
      uses_system_service_(false),
      service_(std::move(service)),
      hosts_(std::make_unique<Hosts>()) {
    GYRE_ASSERT(service_ != nullptr, "a Resolver got a null NameService: leave the argument out");
}

Resolver::~Resolver() = default;

// Null if there is none.
NameService* Resolver::service_on(Platform& platform) const noexcept {
    if (!uses_system_service_ || !platform.is_simulated()) return service_.get();
    HostCalls* const calls = platform.environment()->host_calls();
    return calls != nullptr && calls->knows_hosts() ? simulated_.get() : nullptr;
}

Future<void> Resolver::load() {
    if (is_loaded_) co_return;
    const auto guard = co_await loading_.lock();
    if (is_loaded_) co_return;
    Task& task = co_await this_task();
    Platform& platform = task.executor().loop().platform();
    NameService* service = service_on(platform);
    FileTree* tree = platform.environment()->file_tree();
    const auto read = [this, service, tree] {
        if (tree != nullptr) *hosts_ = Hosts::read(*tree, options_.hosts_path);
        if (service != nullptr) service->load();
    };
    bool has_threads = true;
    try {
        co_await blocking(read, WorkKind::names);
    } catch (const std::system_error& e) {
        if (e.code() != std::errc::function_not_supported) throw;
        has_threads = false;
    }
    if (!has_threads) read();
    is_loaded_ = true;
}

// Numeric addresses and the hosts file; empty if the service must be asked. Throws if there is no
// service to ask.
Future<std::vector<Address>> Resolver::find_without_service(const std::string& name,
                                                            std::uint16_t port) {
    if (const auto address = parse_ip(name, port)) co_return std::vector{*address};
    if (!is_name(name)) throw NameError(NameError::Kind::refused, name, "it is no name");
    co_await load();
    std::vector<Address> found = hosts_->find(name, port);
    const Task& task = co_await this_task();
    const bool has_service = service_on(task.executor().loop().platform()) != nullptr;
    if (found.empty() && !has_service) {
        throw NameError(NameError::Kind::no_service, name,
                        "it is not in the hosts file, and there is no name service (gyre is built "
                        "without c-ares, or simulated)");
    }
    co_return found;
}

Future<std::vector<Address>> Resolver::resolve(std::string name, std::uint16_t port,
                                               Address::Family family) {
    std::vector<Address> found = co_await find_without_service(name, port);
    if (found.empty()) {
        const Task& task = co_await this_task();
        NameService& service = *service_on(task.executor().loop().platform());
        found = co_await service.ask(std::move(name), port, family);
        GYRE_ASSERT(!found.empty(), "a NameService must return an address or throw a NameError");
        if (found.size() > options_.address_count_max) found.resize(options_.address_count_max);
        co_return found;
    }
    std::erase_if(found, [family](const Address& each) { return each.family() != family; });
    if (found.empty()) {
        throw NameError(NameError::Kind::not_found, name, "it has no address of this kind");
    }
    co_return found;
}

// Queries both families concurrently.
Future<std::vector<Address>> Resolver::resolve(std::string name, std::uint16_t port) {
    std::vector<Address> found = co_await find_without_service(name, port);
    if (!found.empty()) co_return order_for_connecting(found);
    std::optional<NameError> failure;
    const auto ask = [&](Address::Family family) -> Future<void> {
        try {
            const std::vector<Address> more = co_await resolve(name, port, family);
            found.insert(found.end(), more.begin(), more.end());
        } catch (const NameError& e) {
            // A failure of the servers tells the user more than a family without addresses.
            if (!failure || e.kind() != NameError::Kind::not_found) failure = e;
        }
    };
    const auto ask_both = [&ask](Scope& scope) -> Future<void> {
        scope.spawn(ask, Address::Family::ipv6);
        scope.spawn(ask, Address::Family::ipv4);
        co_return;
    };
    co_await with_scope(ask_both, {.name = "resolve"});
    if (found.empty()) {
        GYRE_ASSERT(failure.has_value(),
                    "a NameService must return an address or throw a NameError");
        throw NameError(*failure);
    }
    co_return order_for_connecting(found);
}

std::vector<Address> order_for_connecting(const std::vector<Address>& addresses) {
    std::vector<Address> first;
    std::vector<Address> second;
    for (const Address& address : addresses) {
        (address.family() == Address::Family::ipv6 ? first : second).push_back(address);
    }
    std::vector<Address> ordered;
    for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
        if (i < first.size()) ordered.push_back(first[i]);
        if (i < second.size()) ordered.push_back(second[i]);
    }
    GYRE_ASSERT(ordered.size() == addresses.size(), "an address was lost or doubled by the order");
    return ordered;
}

Future<std::vector<Address>> NameTable::ask(std::string name, std::uint16_t port,
                                            Address::Family family) {
    const auto found = answers_.find({name, family});
    const Answer answer = found == answers_.end() ? Answer() : found->second;
    if (answer.delay > Duration(0)) co_await sleep(answer.delay);
    if (answer.addresses.empty()) throw NameError(answer.failure, name, "so says the table");
    std::vector<Address> addresses;
    for (const Address& address : answer.addresses) addresses.push_back(address.with_port(port));
    co_return addresses;
}

}  // namespace gyre::net
