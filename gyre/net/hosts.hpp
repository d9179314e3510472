// SPDX-License-Identifier: Apache-2.0
// Hosts: names of a hosts file ("127.0.0.1 localhost ..."). A plain value of one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/kernel/address.hpp"

namespace gyre {
class FileTree;
}

namespace gyre::net {

class Hosts {
public:
    // Lines that make no sense are left out, as the system does.
    static Hosts parse(std::string_view text);
    // Blocks: call it on a thread of the Offload. A file that is not there is an empty one; of one
    // that is larger than 1 MiB the rest is left out.
    static Hosts read(FileTree& tree, const std::string& path);

    // With this port, in the order of the file; none where the name is not in it.
    [[nodiscard]] std::vector<Address> find(std::string_view name, std::uint16_t port) const;

private:
    std::map<std::string, std::vector<Address>, std::less<>> addresses_;  // by name in lower case
};

}  // namespace gyre::net
