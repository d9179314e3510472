// SPDX-License-Identifier: Apache-2.0
// bind: a member of a host object as a native function of a script, for tables of Native.
#pragma once

#include "lang/script/engine.hpp"

namespace gyre::script {

// The boundary between the engine's call and the member.
template <class Host, void (Host::*member)(NativeCall&)>
void bind(void* host, NativeCall& call) {
    (static_cast<Host*>(host)->*member)(call);
}

}  // namespace gyre::script
