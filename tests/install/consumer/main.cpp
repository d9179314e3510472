// SPDX-License-Identifier: Apache-2.0
// A stranger's program: prints the version it was compiled against. Linked with every module, so
// that a library missing from the installation fails here.
#include <cstdio>

#include "gyre/base/assert.hpp"
#include "gyre/base/version.hpp"

int main() {
    std::printf("%.*s\n", static_cast<int>(gyre::version_string.size()),
                gyre::version_string.data());
    return 0;
}
