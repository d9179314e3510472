// SPDX-License-Identifier: Apache-2.0
#include "cli/site.hpp"

#include <cstdio>
#include <ctime>
#include <exception>
#include <utility>

namespace gyre::cli {
namespace {

http::UnixSeconds wall_time() {
    return static_cast<http::UnixSeconds>(std::time(nullptr));
}

// False if it cannot be written.
bool print_line(const http::Served& served) {
    // One call, so that lines of several threads do not mix.
    const int size =
        std::printf("%s %.*s %.*s %d %llu %.1fms\n", http::date_text(wall_time()).c_str(),
                    static_cast<int>(served.method.size()), served.method.data(),
                    static_cast<int>(served.target.size()), served.target.data(), served.status,
                    static_cast<unsigned long long>(served.sent_bytes),
                    static_cast<double>(served.time.count()) / 1e6);
    return size >= 0;
}

}  // namespace

Site::Site(const Shared& shared, std::string loop_name, http::StaticFiles files)
    : shared_(shared),
      loop_name_(std::move(loop_name)),
      server_({.wall_time = &wall_time}),
      files_(std::move(files)) {
    const ServeCommand& command = shared_.command;
    if (command.has_metrics) server_.get("/metrics", shared_.board.handler(server_, loop_name_));
    server_.get("/*path", [this](http::Request& request, http::Response& response) {
        return files_.serve(request, response);
    });
    if (!command.is_quiet) {
        server_.on_served([this](const http::Served& served) {
            if (!print_line(served)) shared_.on_print_failed();
        });
    }
    if (shared_.encrypt != nullptr) encryption_ = shared_.encrypt(server_);
}

bool Site::reload(std::vector<std::byte> ticket_key) {
    try {
        encryption_->reload(std::move(ticket_key));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gyre serve: the old certificates stay in use: %s\n", error.what());
        return false;
    }
    std::printf("certificates reloaded by loop %s\n", loop_name_.c_str());
    return true;
}

}  // namespace gyre::cli
