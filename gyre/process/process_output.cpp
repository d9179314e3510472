// SPDX-License-Identifier: Apache-2.0
// run: a command to its exit, with its output.
#include "gyre/process/process.hpp"

#include <exception>

#include "gyre/task/combine/all.hpp"
#include "gyre/task/combine/shield.hpp"

namespace gyre::process {
namespace {

// A child may exit without reading all of its input: EPIPE is ignored.
Future<void> write_input(PipeWriter& to, const std::string& text) {
    const Result<void> written = co_await try_(to.write(bytes_of(text)));
    if (!written && written.error() != Error(std::errc::broken_pipe)) {
        co_await fail(written.error());
    }
    co_await to.aclose();
}

Future<std::string> read_output(PipeReader& from, std::size_t size_max_bytes) {
    if (!from.is_open()) co_return std::string();
    co_return co_await from.read_all(size_max_bytes);
}

Future<Output> exchange(Process& child, const std::string& input, std::size_t output_max_bytes) {
    auto transfers =
        all(write_input(child.input, input), read_output(child.output, output_max_bytes),
            read_output(child.error, output_max_bytes));
    auto [written, output, error] = co_await std::move(transfers);
    const ChildEnd end = co_await child.wait();
    co_return Output{end, std::move(output), std::move(error)};
}

Future<void> kill(Process& child) {
    (void)child.signal(SIGKILL);
    child.input = PipeWriter();
    child.output = PipeReader();
    child.error = PipeReader();
    (void)co_await child.wait();
}

Future<Output> run_and_feed(Command command, std::string input, std::size_t output_max_bytes) {
    command.input = StandardStream::pipe;
    command.output = StandardStream::pipe;
    if (command.error != StandardStream::to_output) command.error = StandardStream::pipe;
    const std::string program = command.program;
    Process child = co_await spawn(std::move(command));
    std::exception_ptr failure;
    try {
        co_return co_await exchange(child, input, output_max_bytes);
    } catch (const std::system_error& e) {
        const LimitError too_much("run '" + program + "'", "output_max_bytes", output_max_bytes);
        failure = e.code() == std::errc::value_too_large ? std::make_exception_ptr(too_much)
                                                         : std::current_exception();
    } catch (...) {
        failure = std::current_exception();
    }
    co_await shield(kill(child));
    std::rethrow_exception(failure);
}

}  // namespace

Future<Output> run(Command command, OutputOptions options) {
    return run_and_feed(std::move(command), std::string(options.input), options.output_max_bytes);
}

}  // namespace gyre::process
