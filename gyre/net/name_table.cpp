// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/name_table.hpp"

#include "gyre/task/sleep.hpp"

namespace gyre::net {

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
