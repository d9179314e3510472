// SPDX-License-Identifier: Apache-2.0
// TraceFile: a trace that a program leaves behind as a file in Chrome's format. Without a path it
// records nothing, and its loops have no observer. It belongs to main, and outlives the loops; the
// FileTree, which says on whose disk the file is, outlives it.
//
// The file appears whole or not at all: it is written beside its place under a name of its own and
// then renamed, so that what was there before stays until the new one is complete.
//
//     gyre::platform::SystemFileTree files;
//     auto trace = gyre::trace::TraceFile::make(files, "trace.json", {.clock = &clock});
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

// The variable that names the file, for programs without an option for it.
inline constexpr const char* file_variable = "GYRE_TRACE";
[[nodiscard]] std::string path_from_environment();

class TraceFile {
public:
    // With a message for people where that file could not be written.
    [[nodiscard]] static std::expected<std::unique_ptr<TraceFile>, std::string> make(
        FileTree& files, std::string path, TraceOptions options = {});

    // Finishes, and logs what went wrong.
    ~TraceFile();
    TraceFile(const TraceFile&) = delete;
    TraceFile& operator=(const TraceFile&) = delete;

    // The observer of one more loop, null where nothing is recorded.
    [[nodiscard]] Observer* add_loop(LoopName name);

    // Writes the file, once; no loop may turn any more. With a message where that failed.
    [[nodiscard]] std::expected<void, std::string> finish();

private:
    TraceFile(FileTree& files, std::string path, TraceOptions options);

    FileTree& files_;
    const std::string path_;
    std::optional<Trace> trace_;  // none where there is no path
    bool is_finished_ = false;
};

}  // namespace gyre::trace
