// SPDX-License-Identifier: Apache-2.0
// What the example of gyre/bridge/http_json takes for granted.
#pragma once

#include "gyre/http/server.hpp"

namespace gyre::http_json_examples {

extern http::Server& server;

}  // namespace gyre::http_json_examples
