// SPDX-License-Identifier: Apache-2.0
// Work of gyre's side for a native function: its end settles a Future of the program, and an
// exception rejects it with an error of the program. One thread: that of the machine.
#pragma once

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/internal/tasks.hpp"

namespace gyre::vela::vm {

// `make_error` makes the error from the text of the exception.
template <class MakeError, class Work>
gyre::Future<void> settle_by(Vm* vm, Deferred* future, MakeError make_error, Work work) {
    std::optional<std::string> failure;
    try {
        const Word value = co_await work(*vm);
        vm->tasks->settle(*future, FutureState::fulfilled, value);
    } catch (const Cancelled&) {
        throw;
    } catch (const Thrown&) {
        throw;
    } catch (const std::exception& error) {
        failure = error.what();
    }
    if (!failure) co_return;
    if (failure->empty()) *failure = "the operation failed";
    vm->tasks->settle(*future, FutureState::rejected, make_error(*vm, *failure));
}

// The lazy Future of such work. It keeps the arguments of the native function alive.
template <class MakeError, class Work>
Word start_work(Vm& vm, std::span<const Word> args, std::string_view name, MakeError make_error,
                Work work) {
    auto begin = [make_error = std::move(make_error), work = std::move(work)](
                     Vm& of, Deferred& future) mutable {
        return settle_by(&of, &future, std::move(make_error), std::move(work));
    };
    return vm.tasks->make_work(name, std::move(begin), args);
}

}  // namespace gyre::vela::vm
