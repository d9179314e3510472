// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/net take for granted.
#pragma once

#include "tests/head_examples/common.hpp"

namespace gyre::net_examples {

namespace buffered_hpp {
extern net::Connection& stream;
}
namespace passing_hpp {
extern net::Connection& stream;
extern net::Listener& listener;
}  // namespace passing_hpp

}  // namespace gyre::net_examples
