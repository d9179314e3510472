// SPDX-License-Identifier: Apache-2.0
// The files of the host library (lang/script/library/*.js), compiled in, in their order. Any
// thread.
#pragma once

#include <span>

#include "lang/script/engine.hpp"

namespace gyre::script {

[[nodiscard]] std::span<const LibraryFile> library_files() noexcept;

}  // namespace gyre::script
