// SPDX-License-Identifier: Apache-2.0
// Watch and rebuild: runs a command when files of a folder change, once for each burst of changes.
// `rebuild FOLDER COMMAND…` goes on until Ctrl-C; without arguments it shows itself.
//
//     $ rebuild
//     3 changes: built
//     1 changes: built

#include <gyre/gyre.hpp>

#include <cstdio>
#include <string>

using namespace gyre;
using namespace std::chrono_literals;

// The number of changes until nothing changed for a while; 0 when the watch has ended.
Future<int> burst(Stream<fs::FileChange>& changes) {
    int count = 0;
    if (!co_await changes.next()) co_return 0;
    for (count = 1;; ++count) {
        const auto more = co_await try_(timeout(changes.next(), 300ms));
        if (!more || !*more) co_return count;  // quiet, or the end: the stream goes on
    }
}

Future<void> rebuild(std::string folder, process::Command command, int round_count,
                     Event* watches = nullptr) {
    auto changes = co_await fs::watch(folder, {.recursive = true});
    if (watches != nullptr) watches->set();
    for (int round = 0; round < round_count; ++round) {
        const int count = co_await burst(changes);
        if (count == 0) co_return;
        const process::Output output = co_await process::run(command);
        std::printf("%d changes: %s", count, output.output.c_str());
    }
}

// Changes three files at once, and later one.
Future<void> show(std::string folder, Event& watches) {
    co_await watches.wait();
    for (const char* name : {"a", "b", "c"}) co_await fs::make_folder(fs::join(folder, name));
    co_await sleep(1s);
    co_await fs::make_folder(fs::join(folder, "d"));
}

Future<void> app(std::string folder, process::Command command) {
    if (!folder.empty()) co_return co_await rebuild(folder, command, 1'000'000);
    fs::TemporaryFolder own = co_await fs::temporary_folder();
    Event watches;
    co_await all(rebuild(own.path(), process::Command("echo", "built"), 2, &watches),
                 show(own.path(), watches));
    co_await own.aclose();
}

int main(int count, char** arguments) {
    process::Command command(count > 2 ? arguments[2] : "true");
    for (int i = 3; i < count; ++i) command.arguments.emplace_back(arguments[i]);
    const std::string folder = count > 1 ? arguments[1] : "";
    return gyre::run([&] { return app(folder, command); });
}
