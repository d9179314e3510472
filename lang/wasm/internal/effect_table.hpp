// SPDX-License-Identifier: Apache-2.0
// The effect table of a module: the ops that it may perform, in the binary section `__voyd_effect_table` of the
// versions 2 and 3. Any thread; plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/effect/effect_op.hpp"

namespace gyre::wasm {

struct EffectOp {
    std::uint64_t effect_hash = 0;
    std::string effect;  // `com.example.async`
    std::uint32_t op_id = 0;
    effect::ResumeKind kind = effect::ResumeKind::resume;
    std::uint32_t signature = 0;
    std::string label;  // `src::01_resume::Async.await`
    std::string name;   // `await`
    std::string operation_id;
    std::string answer_path;    // what errors call its answer
    bool answers_wide = false;  // a standard op whose answer is an i64
};

struct EffectTable {
    std::uint32_t version = 0;
    std::vector<EffectOp> ops;
};

inline constexpr std::uint32_t effect_op_count_max = 65'536;
// Of the names of all ops together: many ops may refer to one long name.
inline constexpr std::size_t effect_names_size_max_bytes = std::size_t{4} << 20u;

// Throws a CompileError.
[[nodiscard]] EffectTable read_effect_table(std::string_view section);

}  // namespace gyre::wasm
