// SPDX-License-Identifier: Apache-2.0
// gyre fetch: one request. The body goes to standard output or a file (download.hpp); the head, the
// time of each part and, on a terminal, the progress go to standard error.
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/async_command.hpp"
#include "cli/commands.hpp"
#include "cli/definitions.hpp"
#include "cli/download.hpp"
#include "cli/https.hpp"
#include "cli/page.hpp"
#include "cli/usage.hpp"
#include "gyre/http/client.hpp"
#include "gyre/http/message.hpp"
#include "gyre/http/url.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/run.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre::cli {
namespace {

// Without leading and trailing spaces and tabs.
std::string_view trimmed(std::string_view text) noexcept {
    const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

struct FetchCommand {
    std::string url;
    std::string method = "GET";
    std::vector<std::string> fields;
    std::string body;
    std::string output;
    Trust trust;
    double timeout_s = 0;
    bool resumes = false;
    bool is_quiet = false;
};

double milliseconds(Duration time) {
    return static_cast<double>(time.count()) / 1e6;
}

class Fetch {
public:
    // Throws UsageError for what cannot be requested.
    explicit Fetch(const FetchCommand& command)
        : command_(command), request_(make_request()), connector_(make_trusted_connector()) {}

    Future<int> run_once() {
        // The whole is limited by --timeout alone.
        http::Client client({.timeouts = {.whole = std::chrono::hours(24 * 365)}},
                            std::move(connector_));
        const Task& task = co_await this_task();
        http::Incoming incoming = co_await client.open(std::move(request_));
        show_head(incoming);
        if (incoming.status() == 416 && earlier_) {
            check_whole(incoming);
            download_->finish();
            co_return 0;
        }
        const bool is_good = incoming.status() < 400;
        if (download_ && !is_good) throw refused(incoming.status());
        open_output(incoming);
        const bool shows_progress = !command_.is_quiet && download_ && ::isatty(2) == 1;
        for (;;) {
            const std::string_view piece = co_await incoming.read();
            if (piece.empty()) break;
            write(piece);
            come_bytes_ += piece.size();
            if (shows_progress) show_progress();
        }
        if (shows_progress) std::fputs("\n", stderr);
        if (download_) download_->finish();
        if (!command_.is_quiet) show_times(incoming.timing(), task.executor().now());
        co_return is_good ? 0 : 1;
    }

private:
    http::ClientRequest make_request() {
        http::ClientRequest request(command_.method, command_.url, command_.body);
        if (request.url.find("://") == std::string::npos) request.url = "http://" + request.url;
        if (const auto url = http::parse_url(request.url); !url) {
            throw UsageError("cannot fetch '" + command_.url +
                             "': " + std::string(url.error().what) +
                             ": give an address like http://example.org/path");
        }
        for (const std::string& field : command_.fields) {
            const std::size_t colon = field.find(':');
            if (colon == std::string::npos) {
                throw UsageError("--field '" + field + "' has no colon: write 'Name: value'");
            }
            request.fields.emplace_back(field.substr(0, colon),
                                        trimmed(std::string_view(field).substr(colon + 1)));
        }
        if (!command_.output.empty()) download_.emplace(command_.output, request.url);
        if (!command_.resumes) return request;
        earlier_ = download_->earlier();
        if (earlier_) {
            request.fields.emplace_back("Range",
                                        "bytes=" + std::to_string(earlier_->size_bytes) + "-");
            request.fields.emplace_back("If-Range", earlier_->validator);
            // Ranges count bytes of the unencoded file.
            request.fields.emplace_back("Accept-Encoding", "identity");
        }
        return request;
    }
    std::unique_ptr<http::Connector> make_trusted_connector() const {
        try {
            return make_connector(command_.trust);
        } catch (const std::exception& error) {  // A file of the trust.
            throw UsageError(error.what());
        }
    }
    void show_head(const http::Incoming& incoming) const {
        if (command_.is_quiet) return;
        const auto print = [](std::string_view text, const char* end) {
            std::fprintf(stderr, "%.*s%s", static_cast<int>(text.size()), text.data(), end);
        };
        std::fprintf(stderr, "%s\n%d ", incoming.url().text().c_str(), incoming.status());
        print(http::reason_of(incoming.status()), "\n");
        for (const http::Field& field : incoming.head().fields) {
            print(field.name, ": ");
            print(field.value, "\n");
        }
        std::fputs("\n", stderr);
    }
    // Appends if the server sent the range that was asked for; otherwise starts the file again.
    void open_output(const http::Incoming& incoming) {
        if (incoming.head().framing == http::Framing::length) {
            whole_bytes_ = incoming.head().content_length;
        }
        if (!download_) return;
        bool is_resumed = false;
        if (earlier_ && incoming.status() == 206) {
            const auto range = http::parse_content_range(incoming.field("content-range"));
            is_resumed = range && range->first == earlier_->size_bytes;
            if (!is_resumed) {
                throw std::runtime_error("the server sent another range than the one requested");
            }
            come_bytes_ = earlier_->size_bytes;
            whole_bytes_ += come_bytes_;
        }
        download_->open(validator_of(incoming), is_resumed);
    }
    // A weak ETag does not promise equal bytes.
    [[nodiscard]] static std::string_view validator_of(const http::Incoming& incoming) {
        const std::string_view etag = incoming.field("etag");
        if (etag.starts_with('"')) return etag;
        return incoming.field("last-modified");
    }
    // The server has no bytes behind those that are there: they are all, or of another file.
    void check_whole(const http::Incoming& incoming) const {
        const std::string whole = "bytes */" + std::to_string(earlier_->size_bytes);
        if (incoming.field("content-range") == whole) return;
        throw std::runtime_error(
            command_.output + ".part is not the beginning of what the server has now (" +
            std::string(incoming.field("content-range")) + "): fetch without --resume");
    }
    [[nodiscard]] std::runtime_error refused(int status) const {
        return std::runtime_error("the server answered " + std::to_string(status) + " " +
                                  std::string(http::reason_of(status)) + ": " + command_.output +
                                  " is left as it is");
    }
    void write(std::string_view piece) {
        if (download_) return download_->write(piece);
        if (std::fwrite(piece.data(), 1, piece.size(), stdout) == piece.size()) return;
        throw std::runtime_error("cannot write to standard output: " +
                                 std::string(std::strerror(errno)));
    }
    void show_progress() const {
        constexpr int width = 40;
        if (whole_bytes_ == 0) {
            std::fprintf(stderr, "\r%llu bytes", static_cast<unsigned long long>(come_bytes_));
            return;
        }
        const int done = static_cast<int>(come_bytes_ * width / whole_bytes_);
        const std::string bar = std::string(static_cast<std::size_t>(std::min(done, width)), '#');
        std::fprintf(stderr, "\r[%-40s] %3llu %%", bar.c_str(),
                     static_cast<unsigned long long>(come_bytes_ * 100 / whole_bytes_));
    }
    static void show_times(const http::Timing& timing, Instant ended) {
        std::fprintf(
            stderr,
            "name %.1f ms, connect %.1f ms, TLS %.1f ms, first byte %.1f ms, total %.1f ms\n",
            milliseconds(timing.named - timing.started),
            milliseconds(timing.connected - timing.named),
            milliseconds(timing.secured - timing.connected),
            milliseconds(timing.first_byte - timing.secured), milliseconds(ended - timing.started));
    }

    const FetchCommand& command_;
    std::optional<Download> download_;  // set with the request, as is the next
    std::optional<Download::Earlier> earlier_;
    http::ClientRequest request_;
    std::unique_ptr<http::Connector> connector_;
    std::uint64_t come_bytes_ = 0;   // received, with those
    std::uint64_t whole_bytes_ = 0;  // 0: unknown
};

ExitCode run_fetch(const FetchCommand& command) {
    Fetch fetch(command);
    platform::SystemClock clock;
    auto platform = platform::make_platform(clock);
    if (!platform) throw UsageError(platform.error().message);
    AsyncCommand request("gyre fetch");
    const auto work = [&]() -> Future<int> {
        if (command.timeout_s <= 0) co_return co_await fetch.run_once();
        const Duration limit(static_cast<Duration::rep>(command.timeout_s * 1e9));
        try {
            co_return co_await timeout(fetch.run_once(), limit);
        } catch (const TimeoutError&) {
            throw std::runtime_error("no response within " + in_words(limit) +
                                     ": try a longer --timeout");
        }
    };
    return request.end(run(**platform, [&] { return request.run(work()); }).exit_code());
}

}  // namespace

void add_fetch(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command =
        program.add_subcommand("fetch", "Make an HTTP request and print the response");
    auto options = std::make_shared<FetchCommand>();
    command->add_option("URL", options->url, "http[s]://host[:port]/path")
        ->required()
        ->type_name("");
    command->add_option("--method", options->method, "The method; default: GET")
        ->type_name("METHOD");
    command->add_option("--field", options->fields, "A field of the request: 'Name: value'")
        ->type_name("FIELD");
    command->add_option("--body", options->body, "The body of the request")->type_name("TEXT");
    CLI::Option* output = command
                              ->add_option("--output", options->output,
                                           "A file for the body, written when all of it has come")
                              ->type_name("FILE");
    command->add_flag("--resume", options->resumes, "Continue FILE.part of an interrupted download")
        ->needs(output);
    seconds(*command->add_option("--timeout", options->timeout_s,
                                 "Time for the whole request; default: none"));
    command
        ->add_option("--authority", options->trust.authority_file,
                     "Trusted authorities, in PEM; default: the system's")
        ->type_name("FILE");
    command
        ->add_option("--certificate", options->trust.certificate,
                     "PEM files of a client certificate and its key")
        ->type_name("CERT KEY");
    command->add_flag("!--insecure", options->trust.verifies,
                      "Do not verify the server's certificate");
    command->add_flag("--quiet", options->is_quiet, "Print the body only");
    command->callback([options, &exit_code] { exit_code = run_fetch(*options); });
}

}  // namespace gyre::cli
