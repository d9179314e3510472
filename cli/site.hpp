// SPDX-License-Identifier: Apache-2.0
// Site: the server of one loop of gyre serve. Made and used on the loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/https.hpp"
#include "gyre/http/metrics.hpp"
#include "gyre/http/server.hpp"
#include "gyre/http/static_files.hpp"

namespace gyre::cli {

struct ServeCommand {
    std::string folder = ".";
    std::uint16_t port = 8080;
    std::uint32_t thread_count = 0;  // 0: one per core
    std::string platform_name;
    ServerFiles tls_files = {};
    bool is_public = false;
    bool is_quiet = false;
    bool has_metrics = false;
    std::size_t memory_limit_bytes = 0;  // of all loops together; 0: half of the usable memory
};

class Site {
public:
    // What all sites of the program share; outlives them.
    struct Shared {
        const ServeCommand& command;
        const Encrypt& encrypt;
        http::MetricsBoard& board;
        std::size_t memory_bytes_max;           // of each site
        std::function<void()> on_print_failed;  // called on the thread of any site
    };
    Site(const Shared& shared, std::string loop_name, http::StaticFiles files);

    [[nodiscard]] http::Server& server() noexcept { return server_; }
    [[nodiscard]] Future<void> keep_metrics() { return shared_.board.keep(server_, loop_name_); }
    // False if the new files are invalid: the old certificates stay.
    bool reload(std::vector<std::byte> ticket_key);

private:
    const Shared& shared_;
    std::string loop_name_;
    std::unique_ptr<ServerEncryption> encryption_;
    http::Server server_;
    http::StaticFiles files_;
};

}  // namespace gyre::cli
