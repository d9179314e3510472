// SPDX-License-Identifier: Apache-2.0
// TraceFile: records a trace and writes it to a file in Chrome's format. Without a path it records
// nothing, and its loops have no observer.
//
//     platform::SystemClock clock;
//     auto system = platform::make_platform(clock).value();
//     FileTree& files = *system->environment()->file_tree();
//     auto file = trace::TraceFile::make(files, "trace.json", {.clock = &clock}).value();
//     Executor executor;
//     Loop loop(*system, executor, {.observer = file->add_loop({.loop = "main"})});
//
// Thread: one, usually the main thread. Each loop records on its own thread.
// Lifetime: outlives the loops; the FileTree, whose disk the file is on, outlives the TraceFile.
// Errors: the file is replaced as a whole. It is written to a temporary file in the same directory,
// which is then renamed; after an error the old file is unchanged.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>

#include "gyre/trace/trace.hpp"

namespace gyre {
class FileTree;
}

namespace gyre::trace {

// The environment variable with the path, for programs without an option for it.
inline constexpr const char* file_variable = "GYRE_TRACE";
[[nodiscard]] std::string path_from_environment();

class TraceFile {
public:
    // The error is a message for people: the file could not be written.
    [[nodiscard]] static std::expected<std::unique_ptr<TraceFile>, std::string> make(
        FileTree& files, std::string path, TraceOptions options = {});

    // Calls finish, and logs its error.
    ~TraceFile();
    TraceFile(const TraceFile&) = delete;
    TraceFile& operator=(const TraceFile&) = delete;

    // For LoopOptions::observer of one loop; null when nothing is recorded.
    [[nodiscard]] Observer* add_loop(LoopName name);

    // Writes the file, after the last turn of every loop. A second call does nothing. The error is
    // a message for people.
    [[nodiscard]] std::expected<void, std::string> finish();

private:
    TraceFile(FileTree& files, std::string path, TraceOptions options);

    FileTree& files_;
    const std::string path_;
    std::optional<Trace> trace_;  // none without a path
    bool is_finished_ = false;
};

}  // namespace gyre::trace
