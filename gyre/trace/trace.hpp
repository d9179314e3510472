// SPDX-License-Identifier: Apache-2.0
// Trace: records the events of a program's loops, each loop in a ring of fixed size that keeps the
// newest events. Also here: chrome_json and write_chrome, which export it in Chrome's trace event
// format, for ui.perfetto.dev and chrome://tracing; TraceFile, which writes that to a file.
//
//     platform::SystemClock clock;
//     trace::Trace trace({.clock = &clock});
//     auto system = platform::make_platform(clock).value();
//     Executor executor;
//     Loop loop(*system, executor, {.observer = &trace.add_loop({.loop = "main"})});
//     loop.run();
//     std::puts(trace::chrome_json(trace).c_str());
//
//     FileTree& files = *system->environment()->file_tree();
//     auto file = trace::TraceFile::make(files, "trace.json", {.clock = &clock}).value();
//     Observer* observer = file->add_loop({.loop = "main"});   // for a loop made with it
//
// Thread: one thread adds the loops before they turn and reads the trace after their last turn.
// Each loop records on its own thread.
// Lifetime: outlives the loops. Recording allocates nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/observer.hpp"

namespace gyre {
class FileTree;
}

namespace gyre::trace {

class Ring;
class TimeScale;

// A loop, and the group of loops that it exchanges ops with. Op ids are unique in a world.
struct LoopName {
    std::string loop;
    std::string world = "gyre";
};

struct RingLimits {
    std::uint32_t event_count_max = 1u << 16u;  // rounded up to a power of two
    std::uint32_t machine_name_count_max = 1024;
    std::uint32_t task_name_count_max = 4096;
};

struct TraceOptions {
    // Calibrates the processor's time-stamp counter. Null for simulated time: then events have the
    // time of their turn, and equal seeds give equal traces, byte by byte.
    Clock* clock = nullptr;
    Instant simulated_start = {};  // the simulated time before the first turn
    RingLimits limits = {};        // of each loop
};

class Trace {
public:
    explicit Trace(const TraceOptions& options = {});
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    // For LoopOptions::observer of one loop.
    Observer& add_loop(LoopName name);

    // For gyre's exporters and tests, in the order of add_loop: the types are in
    // gyre/trace/internal.
    [[nodiscard]] const std::deque<Ring>& rings() const noexcept;
    [[nodiscard]] TimeScale time_scale() const noexcept;

private:
    struct State;
    const std::unique_ptr<State> state_;
};

// Receives the text in pieces, on the thread of the export.
class TraceSink {
public:
    virtual void write(std::string_view piece) = 0;

protected:
    ~TraceSink() = default;
};

// Collects the text in memory.
class TextSink final : public TraceSink {
public:
    void write(std::string_view piece) override { text += piece; }

    std::string text;
};

// A trace in Chrome's format:
//
//   a world   a process
//   a loop    a thread, with slices for waits and turns, and inside turns for the ticks of machines
//   a task    a thread with slices where it ran, each with the name of the task, and with what it
//             waited for before and after, and in which line
//   an op     a flow from its submission over each machine that it is routed to, to its completion,
//             with the task that submitted it
//   a mark    an instant event
//
// The flow of an op in flight ends in a slice `in flight` at the end of the trace. An op whose
// submission was overwritten has no flow. Times are microseconds from the first event, with
// nanoseconds after the point.
//
// Writes in pieces: a long trace need not be in memory twice.
void write_chrome(const Trace& trace, TraceSink& sink);
[[nodiscard]] std::string chrome_json(const Trace& trace);

// The environment variable with the path, for programs without an option for it.
inline constexpr const char* file_variable = "GYRE_TRACE";
[[nodiscard]] std::string path_from_environment();

// Records a trace and writes it to a file in Chrome's format. Without a path it records nothing,
// and its loops have no observer. Used by one thread, usually the main thread; it outlives the
// loops.
//
// The file is replaced as a whole. It is written to a temporary file in the same directory, which
// is then renamed; after an error the old file is unchanged.
class TraceFile {
public:
    // The FileTree, whose disk the file is on, outlives the TraceFile. The error is a message for
    // people: the file could not be written.
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
