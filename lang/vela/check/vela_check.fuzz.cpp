// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes can be checked: no crash, no hang, a bounded number of errors.
#include <cstddef>
#include <cstdint>
#include <string>

#include "gyre/base/assert.hpp"
#include "lang/vela/check/internal/repeated_check.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

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
    static internal::RepeatedCheck checks;
    const Program& program = checks.check(
        "fuzz.vela", std::string(reinterpret_cast<const char*>(data), size_bytes), files);
    const auto sorted = program.diagnostics.sorted();
    std::size_t error_count = 0;
    for (const Diagnostic& diagnostic : sorted) {
        error_count += diagnostic.severity == Severity::error ? 1 : 0;
    }
    GYRE_ASSERT(error_count <= Diagnostics::error_count_max, "errors are bounded");
    GYRE_ASSERT((error_count > 0) == program.diagnostics.has_errors(), "what is reported is told");
    const std::string text = report(sorted) + report_json(sorted);
    return text.size() == SIZE_MAX ? -1 : 0;
}
