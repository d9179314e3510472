// SPDX-License-Identifier: Apache-2.0
// as_future: a value whose type is a Future, as the machine awaits it. An object of a class that
// implements Future is polled by a body of the machine, once for each wake. One thread.
#pragma once

#include "lang/vela/run/internal/vm.hpp"

namespace gyre::vela::vm {

[[nodiscard]] Word future_of_object(Vm& vm, Word word);
[[nodiscard]] inline Word as_future(Vm& vm, Word word) {
    if (is_kind(word, Kind::future) || is_kind(word, Kind::task_handle)) return word;
    return future_of_object(vm, word);
}

}  // namespace gyre::vela::vm
