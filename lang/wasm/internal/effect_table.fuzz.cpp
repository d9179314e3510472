// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes are an effect table within its limits, whose names are those of the input, or a CompileError.
#include "lang/wasm/internal/effect_table.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "lang/wasm/engine.hpp"

using namespace gyre::wasm;

namespace {

void check(const EffectTable& table, std::string_view section) {
    GYRE_ASSERT(table.version == 2 || table.version == 3, "a table of an unknown version");
    GYRE_ASSERT(table.ops.size() <= effect_op_count_max, "more ops than the limit");
    GYRE_ASSERT(8 + 28 * table.ops.size() <= section.size(), "more ops than the section holds");
    std::size_t names_size = 0;
    for (const EffectOp& op : table.ops) {
        names_size += op.effect.size() + op.label.size() + op.operation_id.size();
        GYRE_ASSERT(section.find(op.effect) != std::string_view::npos, "a name from elsewhere");
        GYRE_ASSERT(section.find(op.label) != std::string_view::npos, "a label from elsewhere");
        GYRE_ASSERT(op.label.ends_with(op.name), "the name of an op is the end of its label");
        GYRE_ASSERT(op.name.find('.') == std::string::npos, "a name with a dot");
        GYRE_ASSERT(table.version == 3 || op.operation_id.empty(), "version 2 has no such ids");
    }
    GYRE_ASSERT(names_size <= effect_names_size_max_bytes, "longer names than the limit");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view section(reinterpret_cast<const char*>(data), size);
    try {
        check(read_effect_table(section), section);
    } catch (const CompileError& error) {
        GYRE_ASSERT(error.what()[0] != '\0', "an error without a message");
    }
    return 0;
}
