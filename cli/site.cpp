// SPDX-License-Identifier: Apache-2.0
#include "cli/site.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <exception>
#include <utility>

#include "cli/output.hpp"
#include "gyre/base/log.hpp"

namespace gyre::cli {
namespace {

http::UnixSeconds wall_time() {
    return static_cast<http::UnixSeconds>(std::time(nullptr));
}

// False if it cannot be written. A line that a full pipe does not take at once is dropped and counted.
bool print_request(const http::Served& served) {
    std::array<char, 2048> text{};  // A longer target is cut.
    constexpr std::size_t target_bytes_max = 1800;
    const int size = std::snprintf(
        text.data(), text.size(), "%s %.*s %.*s %d %llu %.1fms\n",
        http::date_text(wall_time()).c_str(),
        static_cast<int>(std::min<std::size_t>(served.method.size(), 32)), served.method.data(),
        static_cast<int>(std::min(served.target.size(), target_bytes_max)), served.target.data(),
        served.status, static_cast<unsigned long long>(served.sent_bytes),
        static_cast<double>(served.time.count()) / 1e6);
    if (size <= 0) return true;
    const auto length = std::min(static_cast<std::size_t>(size), text.size() - 1);
    return print_line({text.data(), length}) != Printed::failed;
}

}  // namespace

Site::Site(const Shared& shared, std::string loop_name, http::StaticFiles files)
    : shared_(shared),
      loop_name_(std::move(loop_name)),
      server_({.memory_bytes_max = shared.memory_bytes_max, .wall_time = &wall_time}),
      files_(std::move(files)) {
    const ServeCommand& command = shared_.command;
    if (command.has_metrics) server_.get("/metrics", shared_.board.handler(server_, loop_name_));
    server_.get("/*path", [this](http::Request& request, http::Response& response) {
        return files_.serve(request, response);
    });
    if (!command.is_quiet) {
        server_.on_served([this](const http::Served& served) {
            if (!print_request(served)) shared_.on_print_failed();
        });
    }
    if (shared_.encrypt != nullptr) encryption_ = shared_.encrypt(server_);
}

bool Site::reload(std::vector<std::byte> ticket_key) {
    try {
        encryption_->reload(std::move(ticket_key));
    } catch (const std::exception& error) {
        print_error_line(std::string("gyre serve: the old certificates stay in use: ") +
                         error.what() + "\n");
        return false;
    }
    static_cast<void>(print_line("certificates reloaded by loop " + loop_name_ + "\n"));
    return true;
}

}  // namespace gyre::cli
