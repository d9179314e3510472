// SPDX-License-Identifier: Apache-2.0
// gyre serve: a folder over HTTP, on as many loops as there are cores. Prints a line for each
// request. Ctrl-C and SIGTERM finish the requests in flight; SIGHUP reloads the certificates.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <deque>
#include <exception>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cli/amount.hpp"
#include "cli/commands.hpp"
#include "cli/definitions.hpp"
#include "cli/output.hpp"
#include "cli/site.hpp"
#include "cli/usage.hpp"
#include "gyre/base/log.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/process.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/platform/thread.hpp"
#include "gyre/pool/pools.hpp"
#include "gyre/process/signals.hpp"
#include "gyre/task/core/run.hpp"
#include "gyre/task/thread/thread_channel.hpp"

namespace gyre::cli {
namespace {

constexpr std::uint32_t thread_count_max = 1024;
// The port of a killed server is free some milliseconds after its end.
constexpr Duration port_wait_max = std::chrono::milliseconds(200);
// Less would refuse most requests: a connection is charged with 4 KB and its buffers.
constexpr std::size_t memory_limit_bytes_min = std::size_t{1} << 20U;

UsageError cannot_serve(const std::string& folder, const std::system_error& error) {
    return UsageError("cannot serve '" + folder + "': " + error.code().message() +
                      ": name a folder that you can read");
}

UsageError cannot_listen(std::uint16_t port, const std::system_error& error) {
    const std::string name = "port " + std::to_string(port);
    if (error.code() == std::errc::address_in_use) {
        const int next = port < 65535 ? port + 1 : 0;
        return UsageError(name + " is in use: try --port " + std::to_string(next));
    }
    if (error.code() == std::errc::permission_denied) {
        return UsageError(name + " is not open to this user: try --port 8080");
    }
    return UsageError("cannot listen on " + name + ": " + error.code().message() +
                      ": try another --port");
}

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

    // Throws the failure of the start.
    ExitCode run_all() {
        auto platform = platform::make_platform(clock_, command_.platform_name);
        if (!platform) throw UsageError(platform.error().message);
        const auto result =
            run(**platform, [this](Scope& root) { return start_and_serve(root); }, run_options());
        stop_others();
        for (std::thread& thread : threads_) thread.join();
        tell_dropped();
        if (failure_ != nullptr) std::rethrow_exception(failure_);
        if (print_failed_.try_receive()) throw std::runtime_error(output_failure());
        return static_cast<ExitCode>(result.exit_code());
    }

private:
    // Another loop, on a thread of its own.
    struct Other {
        // A ticket key asks it to reload; a close asks it to stop.
        ThreadChannel<std::vector<std::byte>> news{2};
        std::string failure;  // of its start; read when others_begun_ is 0
    };

    [[nodiscard]] RunOptions run_options() {
        RunOptions options;
        options.loop.offload = &pools_;
        options.loop.measures_idle_time = command_.has_metrics;
        return options;
    }
    [[nodiscard]] Future<http::StaticFiles> open_folder() const {
        http::StaticOptions options;
        options.lists_folders = true;
        try {
            http::StaticFiles files =
                co_await http::StaticFiles::open(command_.folder, std::move(options));
            // It opens the path only; what is in the folder would be answered with 404.
            if (::access(command_.folder.c_str(), R_OK | X_OK) != 0) {
                throw std::system_error(errno, std::generic_category());
            }
            co_return files;
        } catch (const std::system_error& error) {
            throw cannot_serve(command_.folder, error);
        }
    }
    [[nodiscard]] Future<net::Listener> open_port() const {
        const Address at = command_.is_public ? Address::ipv4({0, 0, 0, 0}, command_.port)
                                              : Address::loopback(command_.port);
        const ListenOptions options{.share_port = thread_count_ > 1, .opens_port = true};
        try {
            co_return co_await net::listen_within(port_wait_max, at, options);
        } catch (const std::system_error& error) {
            throw cannot_listen(command_.port, error);
        }
    }
    // The failure is kept for run_all: it is the user's mistake, not that of a task.
    Future<int> start_and_serve(Scope& root) {
        try {
            co_await serve_first(root);
        } catch (const Cancelled&) {  // Stopped before it served anything.
        } catch (const std::exception&) {
            failure_ = std::current_exception();
        }
        root.cancel("the server has stopped");
        co_return 0;
    }
    // Runs on the main thread, which handles the signals of all loops.
    Future<void> serve_first(Scope& root) {
        http::StaticFiles files = co_await open_folder();
        Site site(shared_, "1", std::move(files));
        net::Listener listener = co_await open_port();
        at_ = listener.local_address().value();
        if (encrypt_ != nullptr) {
            const std::vector<int> numbers{SIGHUP};
            Stream<int> heard = co_await process::signals(numbers);
            root.spawn(
                [this, &site](Stream<int> told) { return reload_all(site, std::move(told)); },
                std::move(heard));
        }
        start_others();
        const std::string line = "serving " + command_.folder + " at " +
                                 (encrypt_ != nullptr ? "https" : "http") + "://" +
                                 at_.to_string() + "\n";
        if (print_line(line) == Printed::failed) throw std::runtime_error(output_failure());
        root.spawn([this, &site] { return stop_all_in_time(site); });
        if (command_.has_metrics) root.spawn([&site] { return site.keep_metrics(); });
        tell(co_await site.server().serve(std::move(listener)));
    }
    // Returns when all loops have read the certificates: the caller may replace the files then.
    void start_others() {
        for (std::uint32_t i = 1; i < thread_count_; ++i) others_.emplace_back();
        try {
            for (std::uint32_t i = 1; i < thread_count_; ++i) {
                threads_.emplace_back([this, i] { serve_other(i); });
            }
        } catch (const std::system_error& error) {
            throw cannot_start_loops(error.code().message());
        }
        others_begun_.wait();
        for (const Other& other : others_) {
            if (!other.failure.empty()) throw cannot_start_loops(other.failure);
        }
    }
    [[nodiscard]] UsageError cannot_start_loops(const std::string& why) const {
        return UsageError("cannot start " + std::to_string(thread_count_) + " loops: " + why +
                          ": try a smaller --threads");
    }
    // All loops finish their requests at the same time, not one after the other.
    Future<void> stop_all_in_time(Site& site) {
        try {
            static_cast<void>(co_await print_failed_.receive());
            on_print_failed();  // run_all looks for it.
        } catch (const Cancelled&) {
            stop_others();
            throw;
        }
        stop_others();
        site.server().stop();
    }
    // The other loops reload only if this one accepted the files.
    Future<void> reload_all(Site& site, Stream<int> told) {
        for (;;) {
            const std::optional<int> number = co_await told.next();
            if (!number) co_return;
            const std::vector<std::byte> ticket_key = make_ticket_key();
            if (!site.reload(ticket_key)) continue;
            // A full channel is fine: that loop has a reload pending, which reads the same files.
            for (Other& other : others_) {
                static_cast<void>(other.news.try_send(std::vector(ticket_key)));
            }
        }
    }
    void serve_other(std::uint32_t number) {
        Other& own = others_[number - 1];
        bool has_begun = false;
        auto platform = platform::make_platform(clock_, command_.platform_name);
        if (platform) {
            RunOptions options = run_options();
            options.handles_signals = false;
            const auto main = [&](Scope& root) -> Future<void> {
                try {
                    co_await serve_until_stop(root, number, has_begun);
                } catch (const std::exception& error) {
                    if (has_begun) throw;
                    own.failure = error.what();
                }
            };
            static_cast<void>(run(**platform, main, options));
        } else {
            own.failure = platform.error().message;
        }
        if (!has_begun) others_begun_.count_down();
    }
    Future<void> serve_until_stop(Scope& root, std::uint32_t number, bool& has_begun) {
        http::StaticFiles files = co_await open_folder();
        Site site(shared_, std::to_string(number + 1), std::move(files));
        net::Listener listener = co_await net::listen(at_, {.share_port = true});
        has_begun = true;
        others_begun_.count_down();
        root.spawn([&site, &news = others_[number - 1].news]() -> Future<void> {
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
        for (Other& other : others_) other.news.close();
    }
    static void tell(const http::ShutdownReport& report) {
        for (const std::string& request : report.cut) {
            print_error_line(
                "gyre serve: closed a request that exceeded the shutdown time: " + request + "\n");
        }
    }
    // The log's lines for which standard output had no room.
    static void tell_dropped() {
        const std::uint64_t count = dropped_line_count();
        if (count == 0) return;
        print_error_line("gyre serve: dropped " + std::to_string(count) +
                         " lines of the log: nobody read the output fast enough\n");
    }
    void on_print_failed() { static_cast<void>(print_failed_.try_send(true)); }
    // All loops together have the limit, so each has its part.
    [[nodiscard]] std::size_t memory_bytes_max() const {
        const std::uint64_t all = command_.memory_limit_bytes > 0
                                      ? command_.memory_limit_bytes
                                      : platform::usable_memory_bytes() / 2;
        return static_cast<std::size_t>(all / thread_count_);
    }

    const ServeCommand& command_;
    const std::uint32_t thread_count_;
    Encrypt encrypt_;
    platform::SystemClock clock_;
    pool::Pools pools_;
    http::MetricsBoard board_{&pools_};
    // A line that cannot be written ends the program; the first one is enough.
    ThreadChannel<bool> print_failed_{1};
    const Site::Shared shared_{command_, encrypt_, board_, memory_bytes_max(),
                               [this] { on_print_failed(); }};
    std::deque<Other> others_;
    Address at_;
    std::vector<std::thread> threads_;
    std::latch others_begun_{thread_count_ - 1};
    std::exception_ptr failure_;
};

ExitCode run_serve(const ServeCommand& command) {
    std::optional<Program> program;
    try {
        program.emplace(command);
    } catch (const std::exception& error) {  // The files of --tls.
        throw UsageError(error.what());
    }
    return program->run_all();
}

std::size_t memory_limit_of(const std::string& text) {
    const double bytes = amount(text, limit_sizes, "--memory-limit");
    if (bytes < static_cast<double>(memory_limit_bytes_min)) {
        throw UsageError("--memory-limit " + text + ": give at least 1M");
    }
    return static_cast<std::size_t>(bytes);
}

}  // namespace

void add_serve(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("serve", "Serve a folder over HTTP until Ctrl-C");
    auto options = std::make_shared<ServeCommand>();
    command->add_option("DIR", options->folder, "The folder; default: the current one")
        ->type_name("");
    count(*command->add_option("--port", options->port, "The port; 0: any free one; default: 8080"),
          "PORT", 0, 65535);
    count(*command->add_option("--threads", options->thread_count,
                               "Number of loops; default: one per core"),
          "N", 1, thread_count_max);
    choose(*command->add_option("--platform", options->platform_name,
                                "The platform; default: the best available"),
           {"epoll", "uring"});
    CLI::Option* tls =
        command
            ->add_option("--tls", options->tls_files.certificates,
                         "PEM files of a certificate and its key; repeat for other server names")
            ->allow_extra_args(false)
            ->type_name("CERT KEY");
    command
        ->add_option("--clients", options->tls_files.client_authority_file,
                     "Require client certificates of the authorities in this PEM file")
        ->type_name("FILE")
        ->needs(tls);
    command
        ->add_flag("--tls-compat", options->tls_files.allows_old_ciphers,
                   "Also accept ciphers without forward secrecy and with CBC, for old clients")
        ->needs(tls);
    auto memory_limit = std::make_shared<std::string>();
    command
        ->add_option("--memory-limit", *memory_limit,
                     "Memory for all connections; what exceeds it gets 503; default: half of what "
                     "the process may use")
        ->type_name("SIZE");
    command->add_flag("--metrics", options->has_metrics,
                      "Serve counters for Prometheus at /metrics");
    command->add_flag("--public", options->is_public,
                      "Listen on all interfaces, not only on loopback");
    command->add_flag("--quiet", options->is_quiet, "Do not print a line for each request");
    command->callback([options, memory_limit, &exit_code] {
        if (!memory_limit->empty()) options->memory_limit_bytes = memory_limit_of(*memory_limit);
        exit_code = run_serve(*options);
    });
}

}  // namespace gyre::cli
