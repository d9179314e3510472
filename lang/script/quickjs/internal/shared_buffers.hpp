// SPDX-License-Identifier: Apache-2.0
// The memory of SharedArrayBuffers, which the runtimes of several threads use. Any thread.
#pragma once

#include <quickjs.h>

#include <cstddef>
#include <memory>

#include "lang/script/engine.hpp"

namespace gyre::script::quickjs::shared {

// What a runtime may take: outlives it.
struct Limit {
    JSContext* context = nullptr;
    std::size_t bytes = 0;  // of all such memory of the process; 0: 2 GiB
};

void set_functions(Limit& limit);
// null: no buffer has its memory there.
[[nodiscard]] std::shared_ptr<SharedMemory> find(void* data);
[[nodiscard]] JSValue make_buffer(JSContext* context, const std::shared_ptr<SharedMemory>& memory);

}  // namespace gyre::script::quickjs::shared
