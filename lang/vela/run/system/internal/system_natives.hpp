// SPDX-License-Identifier: Apache-2.0
// The functions of system:fs, system:process, system:net, system:effects and system:sim, by name. One thread.
#pragma once

#include "lang/vela/run/internal/native_library.hpp"

namespace gyre::vela::vm {

void add_file_natives(NativeTable& table);
void add_socket_natives(NativeTable& table);
void add_effect_natives(NativeTable& table);
void add_sim_natives(NativeTable& table);
// Of a Listener: its port.
[[nodiscard]] Word socket_field(Vm& vm, const FieldInfo& field, Word object);

}  // namespace gyre::vela::vm
