// SPDX-License-Identifier: Apache-2.0
// What a server has done, in the text that Prometheus reads. Only on the server's loop.
//
//     server.get("/metrics", http::metrics_of(server));
#pragma once

#include <string>

#include "gyre/http/server.hpp"

namespace gyre::http {

[[nodiscard]] std::string metrics_text(const ServerCounts& counts, std::size_t task_count);
// Of that server and the tasks of its loop.
[[nodiscard]] Handler metrics_of(const Server& server);

}  // namespace gyre::http
