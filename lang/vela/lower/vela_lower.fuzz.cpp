// SPDX-License-Identifier: Apache-2.0
// Fuzz target: every program without errors can be lowered, verified and printed.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "gyre/base/assert.hpp"
#include "lang/vela/lower/lower.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    using namespace gyre::vela;
    // Every import names the same small file.
    class OneFile final : public SourceFiles {
    public:
        std::expected<std::string, std::string> read(const std::string& /*path*/) override {
            return "struct Imported { n: Number }\nprivate x = 1\nfn imported() -> Number { 1 }\n";
        }
    };
    OneFile files;
    const auto program =
        check("fuzz.vela", std::string(reinterpret_cast<const char*>(data), size_bytes), files);
    if (program->diagnostics.has_errors()) return 0;
    const auto lowered = lower(*program);
    const auto problems = verify(*lowered, program->types);
    for (const std::string& problem : problems) std::fprintf(stderr, "%s\n", problem.c_str());
    GYRE_ASSERT(problems.empty(), "what is right verifies when it is lowered");
    return print(*lowered).size() == SIZE_MAX ? -1 : 0;
}
