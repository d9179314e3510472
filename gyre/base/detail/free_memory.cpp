// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/detail/free_memory.hpp"

#include <cstdlib>
#if defined(__GLIBC__)
#    include <malloc.h>
#endif

namespace gyre {

void give_back_free_memory() noexcept {
#if defined(__GLIBC__)
    ::malloc_trim(0);
#endif
}

}  // namespace gyre
