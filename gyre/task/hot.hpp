// SPDX-License-Identifier: Apache-2.0
// GYRE_HOT: for the few small functions that every await goes through. A coroutine is a large
// function, and a compiler grows reluctant to inline into it just where it pays most.
#pragma once

#define GYRE_HOT [[gnu::always_inline]] inline
