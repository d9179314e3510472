// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/internal/hosts.hpp"

#include <algorithm>

#include "gyre/io/file_tree.hpp"
#include "gyre/net/internal/ip_text.hpp"

namespace gyre::net {
namespace {

constexpr std::size_t file_size_max = std::size_t{1} << 20u;

std::string lower(std::string_view name) {
    std::string out(name);
    for (char& letter : out) {
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    return out;
}

std::string_view take_word(std::string_view& line) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
    line.remove_prefix(word.size());
    return word;
}

}  // namespace

Hosts Hosts::parse(std::string_view text) {
    Hosts hosts;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        line = line.substr(0, line.find('#'));
        const auto address = parse_ip(take_word(line), 0);
        if (!address) continue;
        for (std::string_view name = take_word(line); !name.empty(); name = take_word(line)) {
            hosts.addresses_[lower(name)].push_back(*address);
        }
    }
    return hosts;
}

Hosts Hosts::read(FileTree& tree, const std::string& path) {
    return parse(read_beginning(tree, path, file_size_max).value_or(""));
}

std::vector<Address> Hosts::find(std::string_view name, std::uint16_t port) const {
    std::vector<Address> found;
    const auto entry = addresses_.find(lower(name));
    if (entry == addresses_.end()) return found;
    for (const Address& address : entry->second) {
        found.push_back(address.with_port(port));
    }
    return found;
}

}  // namespace gyre::net
