// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/internal/effect_table.hpp"

#include "lang/wasm/engine.hpp"

namespace gyre::wasm {
namespace {

// The first generation tells no types: those of its standard library are known.
bool answers_wide(const EffectOp& op) noexcept {
    if (op.effect == "voyd.std.random") return op.name == "next_i64";
    return op.effect == "voyd.std.time" &&
           (op.name == "monotonic_now_millis" || op.name == "system_now_millis");
}

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
    if (at + 4 > bytes.size()) throw CompileError("the effect table ends inside an entry");
    std::uint32_t word = 0;
    for (std::size_t i = 4; i-- > 0;) {
        word = word << 8u | static_cast<unsigned char>(bytes[at + i]);
    }
    return word;
}

std::string name_at(std::string_view names, std::uint32_t offset) {
    const std::size_t end =
        offset < names.size() ? names.find('\0', offset) : std::string_view::npos;
    if (end == std::string_view::npos) {
        throw CompileError("a name of the effect table is outside of it");
    }
    return std::string(names.substr(offset, end - offset));
}

EffectOp read_op(std::string_view entry, std::string_view names, bool has_operation_id) {
    EffectOp op;
    op.effect_hash = std::uint64_t{word_at(entry, 4)} << 32u | word_at(entry, 0);
    op.effect = name_at(names, word_at(entry, 8));
    op.op_id = word_at(entry, 12);
    const std::uint32_t kind = word_at(entry, 16);
    if (kind > 1) {
        throw CompileError("the effect table has a resume kind " + std::to_string(kind));
    }
    op.kind = kind == 1 ? effect::ResumeKind::tail : effect::ResumeKind::resume;
    op.signature = word_at(entry, 20);
    op.label = name_at(names, word_at(entry, 24));
    if (has_operation_id) op.operation_id = name_at(names, word_at(entry, 28));
    op.name = op.label.substr(op.label.rfind('.') + 1);  // the whole label where it has no dot
    op.answer_path = "typed export effect " + op.label + " arg0";
    op.answers_wide = answers_wide(op);
    return op;
}

}  // namespace

EffectTable read_effect_table(std::string_view section) {
    EffectTable table;
    table.version = word_at(section, 0);
    if (table.version != 2 && table.version != 3) {
        throw CompileError("Unsupported effect table version " + std::to_string(table.version));
    }
    const std::uint32_t count = word_at(section, 4);
    const std::size_t entry_size = table.version == 3 ? 32 : 28;
    if (count > effect_op_count_max) {
        throw CompileError("the effect table has more than effect_op_count_max ops");
    }
    const std::size_t names_begin = 8 + count * entry_size;
    if (names_begin > section.size()) throw CompileError("the effect table ends inside an entry");
    const std::string_view names = section.substr(names_begin);
    std::size_t names_size = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string_view entry = section.substr(8 + i * entry_size, entry_size);
        table.ops.push_back(read_op(entry, names, table.version == 3));
        const EffectOp& op = table.ops.back();
        names_size += op.effect.size() + op.label.size() + op.operation_id.size();
        if (names_size > effect_names_size_max_bytes) {
            throw CompileError(
                "the names of the effect table have more than effect_names_size_max_bytes");
        }
    }
    return table;
}

}  // namespace gyre::wasm
