// SPDX-License-Identifier: Apache-2.0
#include "cli/watch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/usage.hpp"
#include "gyre/app/run.hpp"
#include "gyre/fs/watch.hpp"
#include "gyre/process/process.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::cli {
namespace {

using namespace std::chrono_literals;

// Editors write a file in several steps, and save several files: one new start for all.
constexpr Duration quiet_time = 100ms;
constexpr Duration stop_patience = 2s;
constexpr std::string_view source_endings[] = {".js",  ".mjs",  ".cjs",  ".ts", ".mts",
                                               ".cts", ".vela", ".wasm", ".wat"};

// Not in node_modules, nor in what is hidden.
bool is_source(std::string_view path, std::string_view folder) {
    std::string_view below = path.substr(std::min(path.size(), folder.size()));
    if (below.find("/node_modules/") != below.npos || below.find("/.") != below.npos) return false;
    return std::ranges::any_of(source_endings,
                               [path](std::string_view ending) { return path.ends_with(ending); });
}

// The words of this process, without --watch.
process::Command same_command() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    std::vector<std::string> words;
    bool is_dropped = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\0', at), text.size());
        std::string word = text.substr(at, end - at);
        at = end + 1;
        if (!is_dropped && word == "--watch") {
            is_dropped = true;
        } else {
            words.push_back(std::move(word));
        }
    }
    process::Command command;
    command.program = std::filesystem::read_symlink("/proc/self/exe").string();
    command.arguments.assign(words.begin() + 1, words.end());
    return command;
}

Future<void> tell_end(process::Process* child, const bool* is_stopping, std::string name) {
    const ChildEnd end = co_await child->wait();
    if (*is_stopping) co_return;
    std::fprintf(stderr, "gyre run: %s has ended (%s %d); waits for a change\n", name.c_str(),
                 end.signal != 0 ? "signal" : "exit status",
                 end.signal != 0 ? end.signal : end.code);
}

// The file that has changed, when nothing has changed for a while; nothing: the folder is gone.
Future<std::optional<std::string>> next_change(Stream<fs::FileChange>* changes,
                                               const std::string* folder) {
    for (;;) {
        const std::optional<fs::FileChange> change = co_await changes->next();
        if (!change || change->kind == fs::FileChange::Kind::ended) co_return std::nullopt;
        const bool is_lost = change->kind == fs::FileChange::Kind::lost;
        if (!is_lost && (change->is_folder || !is_source(change->path, *folder))) continue;
        bool is_quiet = false;
        while (!is_quiet) {
            try {
                static_cast<void>(co_await timeout(changes->next(), quiet_time));
            } catch (const TimeoutError&) {
                is_quiet = true;
            }
        }
        co_return change->path;
    }
}

Future<int> supervise(Scope* root, std::string file) {
    const std::filesystem::path path = std::filesystem::absolute(file);
    const std::string folder = path.parent_path().string();
    const process::Command command = same_command();
    Stream<fs::FileChange> changes = co_await fs::watch(folder, {.recursive = true});
    for (;;) {
        process::Process child = co_await process::spawn(command);
        bool is_stopping = false;
        auto told = root->spawn(tell_end(&child, &is_stopping, file));
        const std::optional<std::string> changed = co_await next_change(&changes, &folder);
        is_stopping = true;
        static_cast<void>(co_await child.stop({.patience = stop_patience}));
        co_await std::move(told);
        if (!changed) {
            std::fprintf(stderr, "gyre run: %s is gone: nothing is left to watch\n",
                         folder.c_str());
            co_return 1;
        }
        const std::string name =
            std::filesystem::path(*changed).lexically_relative(folder).string();
        std::fprintf(stderr, "gyre run: %s has changed: runs again\n", name.c_str());
    }
}

}  // namespace

ExitCode run_watched(const std::string& file) {
    if (file.empty() || file == "-") throw UsageError("--watch needs a FILE");
    if (!std::filesystem::exists(file)) throw UsageError(file + ": no such file");
    gyre::Program program(ProgramOptions{});
    const auto main = [&](Scope& root) { return supervise(&root, file); };
    constexpr int interrupted = 130;
    const auto result = gyre::run(program, main);
    return static_cast<ExitCode>(result.end() == RunEnd::cancelled ? interrupted
                                                                   : result.exit_code());
}

}  // namespace gyre::cli
