// SPDX-License-Identifier: Apache-2.0
// Hosts: the names of a hosts file ("127.0.0.1 localhost ..."). A plain value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/io/address.hpp"

namespace gyre {
class FileTree;
}

namespace gyre::net {

class Hosts {
public:
    // Malformed lines are ignored, as the system does.
    static Hosts parse(std::string_view text);
    // Blocks: call it on a thread of the Offload. A missing file counts as empty; only the first
    // MiB of the file is read.
    static Hosts read(FileTree& tree, const std::string& path);

    // The addresses with this port, in the order of the file; empty if the name is not in it.
    [[nodiscard]] std::vector<Address> find(std::string_view name, std::uint16_t port) const;

private:
    std::map<std::string, std::vector<Address>, std::less<>> addresses_;  // by name in lower case
};

}  // namespace gyre::net
