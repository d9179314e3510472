// SPDX-License-Identifier: Apache-2.0
// The memory of array buffers, within a limit: a script that asks for more gets a RangeError. Any
// thread.
#pragma once

#include <v8-array-buffer.h>

#include <cstddef>
#include <memory>

namespace gyre::script::v8 {

// 0: no limit.
[[nodiscard]] std::shared_ptr<::v8::ArrayBuffer::Allocator> make_buffers(std::size_t limit_bytes);

}  // namespace gyre::script::v8
