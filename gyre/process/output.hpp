// SPDX-License-Identifier: Apache-2.0
// run: runs a command to its exit and collects its output. Writes its input and reads both outputs
// concurrently, so that no pipe can deadlock.
//
//     process::Command uname{.program = "uname", .arguments = {"-s"}};
//     const process::Output said = co_await process::run(uname);
//     if (said.is_fine()) std::puts(said.output.c_str());
//
// Thread: a loop's thread.
// Lifetime: the future owns the command and the child.
// Cancel: did part; the child is killed and reaped before the future ends.
//
// A command whose output exceeds the limit is killed, and LimitError is thrown.
#pragma once

#include <cstddef>
#include <string>
#include <system_error>

#include "gyre/process/process.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre::process {

struct Output {
    ChildEnd end;
    std::string output;
    std::string error;

    // Exit code 0, and no signal.
    [[nodiscard]] bool is_fine() const noexcept { return end.code == 0 && end.signal == 0; }
};

struct OutputOptions {
    std::string input = {};                                 // written to its standard input
    std::size_t output_max_bytes = std::size_t{16} << 20u;  // of each of the two outputs
};

// "run 'yes': more than output_max_bytes = 4096". Its code is std::errc::value_too_large.
class LimitError : public std::system_error {
public:
    LimitError(const std::string& program, std::size_t output_max_bytes);
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

// The three streams are pipes whatever the command says, except an error stream of `to_output`. Two
// functions, no default argument: g++ 12 destroys such a temporary twice inside a co_await.
[[nodiscard]] Future<Output> run(Command command);
[[nodiscard]] Future<Output> run(Command command, OutputOptions options);

}  // namespace gyre::process
