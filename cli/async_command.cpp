// SPDX-License-Identifier: Apache-2.0
#include "cli/async_command.hpp"

#include <cstdio>
#include <utility>

#include "gyre/task/core/cancel.hpp"

namespace gyre::cli {

Future<int> AsyncCommand::run(Future<int> work) {
    try {
        co_return co_await std::move(work);
    } catch (const Cancelled& cancelled) {
        std::fprintf(stderr, "%s: stopped by %s\n", name_, cancelled.reason().why.c_str());
        co_return static_cast<int>(ExitCode::cancelled);
    } catch (const std::exception&) {
        failure_ = std::current_exception();
    }
    co_return static_cast<int>(ExitCode::failed);
}

ExitCode AsyncCommand::end(int exit_code) const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    return static_cast<ExitCode>(exit_code);
}

}  // namespace gyre::cli
