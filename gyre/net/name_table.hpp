// SPDX-License-Identifier: Apache-2.0
// NameTable: a name service that is a table: what each name leads to, how long that takes, or why
// it has no address. For tests, and for the simulation, where its times are virtual. One loop's
// thread; it belongs to a Resolver.
//
//     auto table = std::make_unique<net::NameTable>();
//     table->set("example.test", Address::Family::ipv4, {.addresses = {*parse_ip("10.0.0.1", 0)}});
//     net::Resolver resolver(std::move(table));
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gyre/net/resolver.hpp"

namespace gyre::net {

class NameTable final : public NameService {
public:
    static constexpr Duration never = Duration::max();

    struct Answer {
        std::vector<Address> addresses = {};  // with the port that is asked for instead of theirs
        Duration delay = Duration(0);         // `never`: silence
        NameError::Kind failure = NameError::Kind::not_found;  // where there are no addresses
    };
    // What is not set is not found, at once.
    void set(const std::string& name, Address::Family family, Answer answer) {
        answers_.insert_or_assign({name, family}, std::move(answer));
    }

    void load() override {}
    // Cancel class: did nothing.
    [[nodiscard]] Future<std::vector<Address>> ask(std::string name, std::uint16_t port,
                                                   Address::Family family) override;

private:
    std::map<std::pair<std::string, Address::Family>, Answer> answers_;
};

}  // namespace gyre::net
