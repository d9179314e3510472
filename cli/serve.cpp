// SPDX-License-Identifier: Apache-2.0
// gyre serve: a folder over HTTP, on as many loops as there are cores. Prints a line for each
// request. Ctrl-C finishes the requests in flight; SIGHUP reloads the certificates.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <deque>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/https.hpp"
#include "gyre/http/metrics.hpp"
#include "gyre/http/server.hpp"
#include "gyre/http/static_files.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/process.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/platform/thread.hpp"
#include "gyre/pool/pools.hpp"
#include "gyre/process/signals.hpp"
#include "gyre/task/core/run.hpp"
#include "gyre/task/sync/event.hpp"
#include "gyre/task/thread/thread_channel.hpp"

namespace gyre::cli {
namespace {

struct ServeCommand {
    std::string folder = ".";
    std::uint16_t port = 8080;
    std::uint32_t thread_count = 0;
    std::string platform_name;
    ServerFiles tls_files = {};
    bool is_public = false;
    bool is_quiet = false;
    bool has_metrics = false;
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

// The server of one loop; made on the loop's thread.
class Site {
public:
    Site(const ServeCommand& command, const Encrypt& encrypt, http::MetricsBoard& board,
         std::string loop_name, http::StaticFiles files)
        : loop_name_(std::move(loop_name)),
          board_(board),
          server_({.wall_time = &wall_time}),
          files_(std::move(files)) {
        if (command.has_metrics) server_.get("/metrics", board_.handler(server_, loop_name_));
        server_.get("/*path", [this](http::Request& request, http::Response& response) {
            return files_.serve(request, response);
        });
        if (!command.is_quiet) server_.on_served(&print_line);
        if (encrypt != nullptr) encryption_ = encrypt(server_);
    }
    [[nodiscard]] http::Server& server() noexcept { return server_; }
    [[nodiscard]] Future<void> keep_metrics() { return board_.keep(server_, loop_name_); }
    // False if the new files are invalid: the old certificates stay.
    bool reload(std::vector<std::byte> ticket_key) {
        try {
            encryption_->reload(std::move(ticket_key));
        } catch (const std::exception& error) {
            std::fprintf(stderr, "gyre serve: the old certificates stay in use: %s\n",
                         error.what());
            return false;
        }
        std::printf("certificates reloaded by loop %s\n", loop_name_.c_str());
        return true;
    }

private:
    std::string loop_name_;
    http::MetricsBoard& board_;
    std::unique_ptr<ServerEncryption> encryption_;
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
        if (!command.tls_files.certificates.empty()) encrypt_ = make_encryption(command.tls_files);
    }

    ExitCode run_all() {
        auto platform = platform::make_platform(clock_, command_.platform_name);
        if (!platform) {
            std::fprintf(stderr, "gyre serve: %s\n", platform.error().message.c_str());
            return ExitCode::usage;
        }
        RunOptions options = run_options();
        const auto result =
            run(**platform, [this](Scope& root) { return serve_first(root); }, options);
        stop_others();
        for (std::thread& thread : threads_) thread.join();
        return static_cast<ExitCode>(result.exit_code());
    }

private:
    [[nodiscard]] RunOptions run_options() {
        RunOptions options;
        options.loop.offload = &pools_;
        options.loop.measures_idle_time = command_.has_metrics;
        return options;
    }
    [[nodiscard]] Future<http::StaticFiles> open_folder() const {
        http::StaticOptions options;
        options.lists_folders = true;
        return http::StaticFiles::open(command_.folder, std::move(options));
    }
    // Runs on the main thread, which handles the signals of all loops.
    Future<int> serve_first(Scope& root) {
        http::StaticFiles files = co_await open_folder();
        Site site(command_, encrypt_, board_, "1", std::move(files));
        const Address at = command_.is_public ? Address::ipv4({0, 0, 0, 0}, command_.port)
                                              : Address::loopback(command_.port);
        net::Listener listener = co_await net::listen(at, {.share_port = thread_count_ > 1});
        at_ = listener.local_address().value();
        std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // So that a redirected log can be followed.
        if (encrypt_ != nullptr) {
            const std::vector<int> numbers{SIGHUP};
            Stream<int> heard = co_await process::signals(numbers);
            root.spawn(
                [this, &site](Stream<int> told) { return reload_all(site, std::move(told)); },
                std::move(heard));
        }
        for (std::uint32_t i = 1; i < thread_count_; ++i) others_.emplace_back(2);
        for (std::uint32_t i = 1; i < thread_count_; ++i) {
            threads_.emplace_back([this, i] { serve_other(i); });
        }
        // "serving" is printed when all loops have read the certificates: the caller may replace
        // the files then.
        others_begun_.wait();
        std::printf("serving %s at %s://%s\n", command_.folder.c_str(),
                    encrypt_ != nullptr ? "https" : "http", at_.to_string().c_str());
        root.spawn([this]() -> Future<void> {
            Event never;
            try {
                co_await never.wait();
            } catch (const Cancelled&) {
                stop_others();
                throw;
            }
        });
        if (command_.has_metrics) root.spawn([&site] { return site.keep_metrics(); });
        const http::ShutdownReport report = co_await site.server().serve(std::move(listener));
        tell(report);
        co_return 0;
    }
    // The other loops reload only if this one accepted the files.
    Future<void> reload_all(Site& site, Stream<int> told) {
        for (;;) {
            const std::optional<int> number = co_await told.next();
            if (!number) co_return;
            const std::vector<std::byte> ticket_key = make_ticket_key();
            if (!site.reload(ticket_key)) continue;
            // A full channel is fine: that loop has a reload pending, which reads the same files.
            for (auto& other : others_) static_cast<void>(other.try_send(std::vector(ticket_key)));
        }
    }
    void serve_other(std::uint32_t number) {
        bool has_begun = false;
        if (auto platform = platform::make_platform(clock_, command_.platform_name)) {
            RunOptions options = run_options();
            options.handles_signals = false;
            static_cast<void>(run(
                **platform, [&](Scope& root) { return serve_until_stop(root, number, has_begun); },
                options));
        }
        if (!has_begun) others_begun_.count_down();
    }
    Future<void> serve_until_stop(Scope& root, std::uint32_t number, bool& has_begun) {
        http::StaticFiles files = co_await open_folder();
        Site site(command_, encrypt_, board_, std::to_string(number + 1), std::move(files));
        net::Listener listener = co_await net::listen(at_, {.share_port = true});
        has_begun = true;
        others_begun_.count_down();
        root.spawn([&site, &news = others_[number - 1]]() -> Future<void> {
            for (;;) {
                std::optional<std::vector<std::byte>> ticket_key = co_await news.receive();
                if (!ticket_key) break;
                site.reload(std::move(*ticket_key));
            }
            site.server().stop();
        });
        std::optional<TaskHandle<void>> metrics;
        if (command_.has_metrics)
            metrics.emplace(root.spawn([&site] { return site.keep_metrics(); }));
        tell(co_await site.server().serve(std::move(listener)));
        if (metrics) metrics->cancel("the server has stopped");
    }
    void stop_others() {
        for (auto& other : others_) other.close();
    }
    static void tell(const http::ShutdownReport& report) {
        for (const std::string& request : report.cut) {
            std::fprintf(stderr,
                         "gyre serve: closed a request that exceeded the shutdown time: %s\n",
                         request.c_str());
        }
    }

    const ServeCommand& command_;
    const std::uint32_t thread_count_;
    Encrypt encrypt_;
    platform::SystemClock clock_;
    pool::Pools pools_;
    http::MetricsBoard board_{&pools_};
    // One channel for each other thread: a ticket key asks it to reload; a close asks it to stop.
    std::deque<ThreadChannel<std::vector<std::byte>>> others_;
    Address at_;
    std::vector<std::thread> threads_;
    std::latch others_begun_{thread_count_ - 1};
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
    command->add_option("DIR", options->folder, "The folder; default: the current one");
    command->add_option("--port", options->port, "The port; 0: any free one; default: 8080");
    command->add_option("--threads", options->thread_count,
                        "Number of loops; default: one per core");
    command->add_option("--platform", options->platform_name, "uring or epoll");
    CLI::Option* tls =
        command
            ->add_option("--tls", options->tls_files.certificates,
                         "PEM files of a certificate and its key; repeat for other server names")
            ->allow_extra_args(false)
            ->type_name("CERT KEY");
    command
        ->add_option("--clients", options->tls_files.client_authority_file,
                     "Require client certificates of the authorities in this PEM file")
        ->needs(tls);
    command->add_flag("--metrics", options->has_metrics,
                      "Serve counters for Prometheus at /metrics");
    command->add_flag("--public", options->is_public,
                      "Listen on all interfaces, not only on loopback");
    command->add_flag("--quiet", options->is_quiet, "Do not print a line for each request");
    command->callback([options, &exit_code] { exit_code = run_serve(*options); });
}

}  // namespace gyre::cli
