// SPDX-License-Identifier: Apache-2.0
#include "cli/script_http.hpp"

#include <ctime>
#include <string>
#include <utility>

#include "cli/https.hpp"
#include "lang/script/http/http.hpp"

namespace gyre::cli {
namespace {

http::UnixSeconds wall_seconds() {
    return std::time(nullptr);
}

}  // namespace

std::shared_ptr<void> add_script_http(script::Script& script, script::World& world,
                                      bool has_virtual_clock) {
    return std::make_shared<script::ScriptHttp>(
        script, world,
        script::ScriptHttpOptions{.encrypts =
                                      [](std::unique_ptr<http::Connector> plain) {
                                          return make_connector_of({}, std::move(plain));
                                      },
                                  .wall_time = has_virtual_clock ? nullptr : &wall_seconds});
}

}  // namespace gyre::cli
