// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes are a program or a CompileError: sections, effect table, ABI sections, schemas.
#include <cstddef>
#include <cstdint>

#include "gyre/base/assert.hpp"
#include "lang/wasm/fake_module.test.hpp"
#include "lang/wasm/internal/effect_table.hpp"

using namespace gyre::wasm;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const auto program = Program::read(
            std::make_shared<FakeModule>(std::string(reinterpret_cast<const char*>(data), size)));
        GYRE_ASSERT(program->functions().size() <= 5,
                    "a program has functions that it does not export");
        for (const auto& function : program->functions()) {
            GYRE_ASSERT(!function.to_text().empty(), "a function without a text");
        }
        for (std::size_t i = 0; i < program->ops().size(); ++i) {
            GYRE_ASSERT(program->entry(i).signature == program->ops()[i].signature,
                        "the ops are those of the table, in its order");
        }
    } catch (const CompileError& error) {
        GYRE_ASSERT(error.what()[0] != '\0', "an error without a message");
    }
    return 0;
}
