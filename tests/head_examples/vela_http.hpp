// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/vela/run/http take for granted.
#pragma once

#include <memory>

#include "lang/vela/lower/lower.hpp"
#include "lang/vela/run/http/http_support.hpp"
#include "lang/vela/run/run.hpp"

namespace gyre::vela_http_examples {

extern decltype(vela::HttpSupport::connector) my_connector;
extern decltype(vela::HttpSupport::encrypt) my_encrypt;
extern std::unique_ptr<vela::Lowered> lowered;
extern vela::RunHost& host;

}  // namespace gyre::vela_http_examples
