// SPDX-License-Identifier: Apache-2.0
// Work of gyre's side for a native function: its end settles a Future of the program, and an
// exception rejects it with an error of the program. One thread: that of the machine.
#pragma once

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/internal/tasks.hpp"

namespace gyre::vela::vm {

struct WorkFailure {
    std::string text;    // "open 'a.txt': No such file or directory"
    std::string reason;  // the same without what was done
};

inline WorkFailure failure_of(const std::exception& error) {
    WorkFailure failure{.text = error.what(), .reason = {}};
    if (failure.text.empty()) failure.text = "the operation failed";
    failure.reason = failure.text;
    const auto* by_system = dynamic_cast<const std::system_error*>(&error);
    if (by_system == nullptr) return failure;
    const std::string reason = by_system->code().message();
    if (failure.text.ends_with(": " + reason)) failure.reason = reason;
    return failure;
}

// `make_error` makes the error from the failure.
template <class MakeError, class Work>
gyre::Future<void> settle_by(Vm* vm, Deferred* future, MakeError make_error, Work work) {
    std::optional<WorkFailure> failure;
    try {
        const Word value = co_await work(*vm);
        vm->tasks->settle(*future, FutureState::fulfilled, value);
    } catch (const Cancelled&) {
        throw;
    } catch (const Thrown&) {
        throw;
    } catch (const std::exception& error) {
        failure = failure_of(error);
    }
    if (!failure) co_return;
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
