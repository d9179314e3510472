// SPDX-License-Identifier: Apache-2.0
// run: a command from its start to its end, with what it wrote. Both outputs are read while it
// runs and what it is to read is written, so that no side waits for the other for ever.
//
//     process::Command uname{.program = "uname", .arguments = {"-s"}};
//     process::Output said = co_await process::run(uname);
//
// A command that writes more than the limit is killed, and the LimitError names the limit. Cancel
// class: the child is killed and its end awaited; what it did until then is done.
#pragma once

#include <cstddef>
#include <string>
#include <system_error>

#include "gyre/process/command.hpp"
#include "gyre/task/future.hpp"

namespace gyre::process {

struct Output {
    ChildEnd end;
    std::string output;
    std::string error;

    // Whether it ended by itself, with 0.
    [[nodiscard]] bool is_fine() const noexcept { return end.code == 0 && end.signal == 0; }
};

struct OutputOptions {
    std::string input = {};                                 // what it reads; then the end
    std::size_t output_max_bytes = std::size_t{16} << 20u;  // of each of both
};

// "run 'yes': more than output_max_bytes = 4096". Its code is std::errc::value_too_large.
class LimitError : public std::system_error {
public:
    LimitError(const std::string& program, std::size_t output_max_bytes);
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

// The command's streams are pipes, whatever it says, but for an error stream that goes `to_output`.
// Two functions, not a default: g++ 12 destroys that twice inside a co_await.
[[nodiscard]] Future<Output> run(Command command);
[[nodiscard]] Future<Output> run(Command command, OutputOptions options);

}  // namespace gyre::process
