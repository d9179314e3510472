// SPDX-License-Identifier: Apache-2.0
// The input is a program of handle operations: this library and the installed libuv must do the same
// (against.test.hpp says what is compared). Without an installed libuv each input passes unseen, and
// one line says so.
#include <cstdio>
#include <cstdlib>

#include "compat/uv/against.test.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using gyre::uv::test::Library;
    using gyre::uv::test::RandomProgram;
    static const auto own = Library::open(GYRE_UV_OWN);
    static const auto reference = Library::open(GYRE_UV_REFERENCE);
    if (own == nullptr) std::abort();
    if (reference == nullptr) {
        static const int said =
            std::printf("skipped: no libuv at %s (Debian: libuv1)\n", GYRE_UV_REFERENCE);
        return said > 0 ? 0 : 1;
    }
    const std::string ours = RandomProgram(*own, {data, size}).run();
    const std::string theirs = RandomProgram(*reference, {data, size}).run();
    if (ours != theirs) {
        std::fprintf(stderr, "the libraries differ\n--- libuv\n%s\n--- gyre\n%s\n", theirs.c_str(),
                     ours.c_str());
        std::abort();
    }
    return 0;
}
