// SPDX-License-Identifier: Apache-2.0
// gyre serve: a folder over HTTP, on as many loops as there are cores. A line a request; Ctrl-C
// finishes what is in flight.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.hpp"
#include "cli/https.hpp"
#include "gyre/http/server.hpp"
#include "gyre/http/static_files.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/cores.hpp"
#include "gyre/platform/fork_watch.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/platform/thread.hpp"
#include "gyre/pool/pools.hpp"
#include "gyre/task/event.hpp"
#include "gyre/task/run.hpp"
#include "gyre/task/thread_channel.hpp"

namespace gyre::cli {
namespace {

struct ServeCommand {
    std::string folder = ".";
    std::uint16_t port = 8080;
    std::uint32_t thread_count = 0;
    std::string platform_name;
    std::vector<std::string> tls_files = {};  // certificate and key
    bool is_public = false;
    bool is_quiet = false;
};

http::UnixSeconds wall_time() {
    return static_cast<http::UnixSeconds>(std::time(nullptr));
}

void print_line(const http::Served& served) {
    // One call, so that lines of several threads do not mix.
    std::printf("%s %.*s %.*s %d %llu %.1fms\n", http::date_text(wall_time()).c_str(),
                static_cast<int>(served.method.size()), served.method.data(),
                static_cast<int>(served.target.size()), served.target.data(), served.status,
                static_cast<unsigned long long>(served.sent_bytes),
                static_cast<double>(served.time.count()) / 1e6);
}

// What one loop serves; made on its thread.
class Site {
public:
    Site(const ServeCommand& command, const Encrypt& encrypt)
        : server_({.wall_time = &wall_time}), files_(command.folder, {.lists_folders = true}) {
        server_.get("/*path", [this](http::Request& request, http::Response& response) {
            return files_.serve(request, response);
        });
        if (!command.is_quiet) server_.on_served(&print_line);
        if (encrypt != nullptr) encryption_ = encrypt(server_);
    }
    [[nodiscard]] http::Server& server() noexcept { return server_; }

private:
    std::shared_ptr<void> encryption_;
    http::Server server_;
    http::StaticFiles files_;
};

class Program {
public:
    explicit Program(const ServeCommand& command)
        : command_(command),
          thread_count_(command.thread_count > 0 ? command.thread_count : platform::usable_cores()),
          pools_(pool::with_environment({.name_thread = platform::name_this_thread,
                                         .clock = &clock_,
                                         .process_id = platform::process_generation})) {
        if (!command.tls_files.empty()) {
            encrypt_ = make_encryption(command.tls_files[0], command.tls_files[1]);
        }
    }

    ExitCode run_all() {
        auto platform = platform::make_platform(clock_, command_.platform_name);
        if (!platform) {
            std::fprintf(stderr, "gyre serve: %s\n", platform.error().message.c_str());
            return ExitCode::usage;
        }
        RunOptions options;
        options.loop.offload = &pools_;
        const auto result =
            run(**platform, [this](Scope& root) { return serve_first(root); }, options);
        stop_.close();
        for (std::thread& thread : threads_) thread.join();
        return static_cast<ExitCode>(result.exit_code());
    }

private:
    // On the main thread: its signals stop all.
    Future<int> serve_first(Scope& root) {
        Site site(command_, encrypt_);
        const Address at = command_.is_public ? Address::ipv4({0, 0, 0, 0}, command_.port)
                                              : Address::loopback(command_.port);
        net::Listener listener = co_await net::listen(at, {.share_port = thread_count_ > 1});
        at_ = listener.local_address().value();
        std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // A log in a file is read while it grows.
        std::printf("serving %s at %s://%s\n", command_.folder.c_str(),
                    encrypt_ != nullptr ? "https" : "http", at_.to_string().c_str());
        for (std::uint32_t i = 1; i < thread_count_; ++i) {
            threads_.emplace_back([this] { serve_other(); });
        }
        root.spawn([this]() -> Future<void> {
            Event never;
            try {
                co_await never.wait();
            } catch (const Cancelled&) {
                stop_.close();
                throw;
            }
        });
        const http::ShutdownReport report = co_await site.server().serve(std::move(listener));
        tell(report);
        co_return 0;
    }
    void serve_other() {
        auto platform = platform::make_platform(clock_, command_.platform_name);
        if (!platform) return;
        RunOptions options;
        options.handles_signals = false;
        options.loop.offload = &pools_;
        static_cast<void>(
            run(**platform, [this](Scope& root) { return serve_until_stop(root); }, options));
    }
    Future<void> serve_until_stop(Scope& root) {
        Site site(command_, encrypt_);
        net::Listener listener = co_await net::listen(at_, {.share_port = true});
        root.spawn([this, &site]() -> Future<void> {
            static_cast<void>(co_await stop_.receive());
            site.server().stop();
        });
        tell(co_await site.server().serve(std::move(listener)));
    }
    static void tell(const http::ShutdownReport& report) {
        for (const std::string& request : report.cut) {
            std::fprintf(stderr, "gyre serve: cut after its time: %s\n", request.c_str());
        }
    }

    const ServeCommand& command_;
    const std::uint32_t thread_count_;
    Encrypt encrypt_;
    platform::SystemClock clock_;
    pool::Pools pools_;
    ThreadChannel<int> stop_{2};
    Address at_;
    std::vector<std::thread> threads_;
};

ExitCode run_serve(const ServeCommand& command) {
    try {
        return Program(command).run_all();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gyre serve: %s\n", error.what());
        return ExitCode::usage;
    }
}

}  // namespace

void add_serve(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("serve", "Serve a folder over HTTP until Ctrl-C");
    auto options = std::make_shared<ServeCommand>();
    command->add_option("DIR", options->folder, "The folder; default: this one");
    command->add_option("--port", options->port, "0: the system chooses; default: 8080");
    command->add_option("--threads", options->thread_count, "Loops; default: one a core");
    command->add_option("--platform", options->platform_name, "uring or epoll");
    command->add_option("--tls", options->tls_files, "PEM files: a certificate, and its key")
        ->expected(2)
        ->type_name("CERT KEY");
    command->add_flag("--public", options->is_public, "For others too, not only this machine");
    command->add_flag("--quiet", options->is_quiet, "No line for each request");
    command->callback([options, &exit_code] { exit_code = run_serve(*options); });
}

}  // namespace gyre::cli
