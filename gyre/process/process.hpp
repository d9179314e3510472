// SPDX-License-Identifier: Apache-2.0
// Process: a running child process, started from a Command, with the pipes to it. Move-only. Also
// here: run, which runs a command to its exit and collects its output.
//
//     const process::Output said = co_await process::run(process::Command("uname", "-s"));
//     if (said.is_fine()) std::puts(said.output.c_str());
//
//     process::Command sort("sort", "--reverse");
//     sort.input = StandardStream::pipe;
//     sort.output = StandardStream::pipe;
//     process::Process child = co_await process::spawn(sort);
//     co_await child.input.write(bytes_of("b\na\n"));
//     co_await child.input.aclose();
//     const std::string sorted = co_await child.output.read_all(1 << 20);
//     const ChildEnd end = co_await child.wait();
//
// Thread: the thread of the loop where it was spawned.
// Lifetime: outlives the futures of its members. A Process that is destroyed while the child runs
// kills it; a task of the root scope, which is not cancelled, then reaps it, so no zombie is left.
// Cancel: each member names its cancel class.
//
// A child that writes more than a pipe holds blocks until it is read: read before `wait`.
#pragma once

#include <chrono>
#include <concepts>
#include <csignal>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "gyre/base/bytes.hpp"
#include "gyre/base/failure.hpp"
#include "gyre/io/children.hpp"
#include "gyre/task/core/detail/open_descriptor.hpp"
#include "gyre/task/core/executor.hpp"

namespace gyre::process {

using gyre::ChildEnd;
using gyre::StandardStream;

// The program to run, its arguments, environment and streams. A plain value. It has constructors,
// and is not set by names in braces, which g++ 12 destroys twice inside a co_await.
struct Command {
    Command() = default;
    template <class... Arguments>
        requires(std::constructible_from<std::string, Arguments> && ...)
    explicit Command(std::string of_program, Arguments&&... its_arguments)
        : program(std::move(of_program)),
          arguments{std::string(std::forward<Arguments>(its_arguments))...} {}

    // Searched in the PATH of this process if it has no slash. A relative path is resolved from
    // `folder`.
    std::string program;
    std::vector<std::string> arguments;
    // Names and values, added to this process's environment if inherits_environment is set.
    std::vector<std::pair<std::string, std::string>> environment;
    bool inherits_environment = true;
    std::string folder;  // the working directory; empty: the one of this process
    StandardStream input = StandardStream::inherited;
    StandardStream output = StandardStream::inherited;
    StandardStream error = StandardStream::inherited;  // `to_output`: the same as its output
    // The child leads a process group of its own, and signals go to the whole group.
    bool has_own_group = false;
};

// The reading end of a pipe that a child writes. Move-only; the destructor closes it. One read at a
// time.
class PipeReader {
public:
    PipeReader() noexcept = default;  // closed
    explicit PipeReader(OpenDescriptor descriptor) noexcept : descriptor_(std::move(descriptor)) {}
    [[nodiscard]] bool is_open() const noexcept { return descriptor_.is_open(); }

    // At least one byte; 0 at the end, when every writing end is closed. Cancel class: did nothing,
    // no byte is lost.
    [[nodiscard]] Future<std::size_t> read(Bytes into) const;
    // All bytes until the end. Fails with `value_too_large` beyond the limit. Cancel class: did
    // part; the bytes read so far are lost.
    [[nodiscard]] Future<std::string> read_all(std::size_t size_max_bytes) const;
    // The child's writes then fail with EPIPE. Cancel class: did all.
    [[nodiscard]] Future<void> aclose();

private:
    OpenDescriptor descriptor_;
};

// The writing end of a pipe that a child reads. Move-only; the destructor closes it. One write at a
// time.
class PipeWriter {
public:
    PipeWriter() noexcept = default;  // closed
    explicit PipeWriter(OpenDescriptor descriptor) noexcept : descriptor_(std::move(descriptor)) {}
    [[nodiscard]] bool is_open() const noexcept { return descriptor_.is_open(); }

    // Waits until the pipe has taken all bytes. Fails with `broken_pipe` if the reading end is
    // closed. Cancel class: did part.
    [[nodiscard]] Future<void> write(ConstBytes from) const;
    // The child then reads the end of the stream. Cancel class: did all.
    [[nodiscard]] Future<void> aclose();

private:
    OpenDescriptor descriptor_;
};

// "spawn 'nowhere': No such file or directory".
class SpawnError : public std::system_error {
public:
    SpawnError(const std::string& program, Error error);
};

struct StopOptions {
    int signal = SIGTERM;  // sent first; SIGKILL follows after `patience`
    Duration patience = std::chrono::seconds(5);
};

class Process {
public:
    Process(Executor& executor, const SpawnedChild& spawned, bool has_own_group) noexcept;
    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;
    ~Process() { drop(); }

    [[nodiscard]] int pid() const noexcept { return pid_; }
    // The exit status, after `wait` or `stop` has returned.
    [[nodiscard]] std::optional<ChildEnd> end() const noexcept { return end_; }

    // Waits for the exit and reaps the child. May be called again, and by several tasks; each call
    // returns the same. Cancel class: did nothing.
    [[nodiscard]] Future<ChildEnd> wait();
    // Sends options.signal, waits for the exit, and kills the child after `patience`. If the child
    // has its own group, the rest of the group is killed too. Cancel class: did part; the signal is
    // sent, the child may still run.
    [[nodiscard]] Future<ChildEnd> stop(StopOptions options = {});
    // Signals the process, or its own group. The Error `no_such_process` after it was reaped.
    [[nodiscard]] Result<void> signal(int number) const;

    // Open if the command says `pipe`.
    PipeWriter input;
    PipeReader output;
    PipeReader error;

private:
    [[nodiscard]] Future<void> exited() const;
    [[nodiscard]] Future<ChildEnd> reap();
    void drop() noexcept;
    static Future<void> reap_dropped(Process dropped);

    Executor* executor_;
    Children* children_;
    int pid_;  // 0: moved from
    bool has_own_group_;
    OpenDescriptor pidfd_;  // readable after the exit
    std::optional<ChildEnd> end_;
};

// Throws a SpawnError if the program cannot be run. Cancel class: did nothing before the call has
// started; after that it returns the child.
[[nodiscard]] Future<Process> spawn(Command command);

struct Output {
    ChildEnd end;
    std::string output;
    std::string error;

    // Exit code 0, and no signal.
    [[nodiscard]] bool is_fine() const noexcept { return end.code == 0 && end.signal == 0; }
};

struct OutputOptions {
    std::string_view input = "";                            // copied; written to its standard input
    std::size_t output_max_bytes = std::size_t{16} << 20u;  // of each of the two outputs
};

// Runs a command to its exit and collects its output. Writes its input and reads both outputs
// concurrently, so that no pipe can deadlock. A command whose output exceeds the limit is killed,
// and LimitError is thrown ("run 'yes': more than output_max_bytes = 4096"). The future owns the command and the child. Cancel class: did part; the
// child is killed and reaped before the future ends.
//
// The three streams are pipes whatever the command says, except an error stream of `to_output`.
[[nodiscard]] Future<Output> run(Command command, OutputOptions options = {});

}  // namespace gyre::process
