// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/detail/socket.hpp"

#include <system_error>

namespace gyre::net {

void throw_error(Error error, const std::string& doing) {
    throw std::system_error(std::make_error_code(error.code()), doing);
}

}  // namespace gyre::net
