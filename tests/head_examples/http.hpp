// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/http take for granted.
#pragma once

#include "tests/head_examples/common.hpp"

namespace gyre::http_examples {

extern http::Server& server;
extern http::Request& request;
extern http::Response& response;
extern Scope& scope;

}  // namespace gyre::http_examples
