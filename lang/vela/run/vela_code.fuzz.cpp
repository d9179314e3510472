// SPDX-License-Identifier: Apache-2.0
// Fuzz target: instructions of any bytes are looked at by the verifier, and those that it accepts run
// on the machine without a fault. Words in registers are made by the code itself, so instructions that
// take a thing of one kind are verified and not run; nor are those with pointers but for calls of the
// function by itself.
//
// Eight bytes are an instruction: its number, 1 if its fields are small, its fields. The words that
// follow a call or a range are read as they are.
#include <cstring>

#include "gyre/base/assert.hpp"
#include "lang/vela/run/internal/handlers.hpp"
#include "lang/vela/run/internal/insn_text.hpp"
#include "lang/vela/run/internal/verify_function.hpp"

namespace gyre::vela::vm {
namespace {

constexpr const char* program_text = R"(fn f(n: Number, x: Float, b: Bool) -> Number { return n }
fn main() -> void { print(f(1, 2.0, true)) }
)";

struct Stopped {};

// Ends endless loops: the machine asks for the time at its safepoints.
class StoppingHost final : public RunHost {
public:
    void print(std::string_view /*line*/) override {}
    void report(std::string_view /*line*/) override {}
    [[nodiscard]] Instant time() noexcept override { return Instant(); }
    [[nodiscard]] Instant real_time() override {
        constexpr int count_max = 4;
        if (++count_ > count_max) throw Stopped();
        return Instant();
    }

private:
    int count_ = 0;
};

bool is_run(InsnOp op) {
    using enum InsnOp;
    if (op >= unbox_number && op <= unbox_boolean) return false;
    if (op >= new_cell && op <= set_global) return false;
    if (op == less_string || op == less_equal_string) return false;
    const bool is_call = op >= call_0 && op <= call_3;
    return op < jump_unless_variant || op == range_begin || op == range_next || op == range_loop ||
           is_call || op == return_value || op == left_out;
}

constexpr Rep reps[] = {Rep::number, Rep::real, Rep::boolean, Rep::number,  Rep::number,
                        Rep::number, Rep::real, Rep::real,    Rep::boolean, Rep::boolean,
                        Rep::word,   Rep::word, Rep::word};
constexpr std::uint16_t reg_count = sizeof(reps);

Insn read_insn(const std::uint8_t* bytes) {
    Insn insn;
    insn.op = static_cast<InsnOp>(bytes[0]);
    std::memcpy(&insn.a, bytes + 2, 6);
    const bool is_listed_op = bytes[0] < insn_names.size() && is_listed(insn.op);
    if (bytes[1] == 1 && is_listed_op) {
        insn.a = operand_of(insn.a % reg_count, reps[insn.a % reg_count]);
        insn.b %= 4;
    } else if (bytes[1] == 1) {
        insn.a %= reg_count;
        insn.b %= reg_count;
        insn.c %= reg_count;
    }
    return insn;
}

void read_insns(Function& function, const std::uint8_t* data, std::size_t size_bytes) {
    constexpr std::size_t insn_count_max = 200;
    function.insns.clear();
    std::size_t left = 0;  // words that belong to the instruction before
    bool is_pointer = false;
    for (std::size_t at = 0; at + 8 <= size_bytes && function.insns.size() < insn_count_max;
         at += 8) {
        if (left > 0) {
            const Function* self = &function;
            Insn raw;
            std::memcpy(&raw, is_pointer ? reinterpret_cast<const std::uint8_t*>(&self) : data + at,
                        8);
            is_pointer = false;
            --left;
            function.insns.push_back(raw);
            continue;
        }
        const Insn insn = read_insn(data + at);
        function.insns.push_back(insn);
        if (static_cast<std::size_t>(insn.op) >= insn_names.size()) continue;
        left = extension_count(insn);
        is_pointer = insn.op >= InsnOp::call && insn.op <= InsnOp::call_3;
    }
}

const Lowered& lowered_program() {
    static SourceTable no_files;
    static const auto program = check("fuzz.vela", program_text, no_files);
    static const auto lowered = lower(*program);
    return *lowered;
}

const Code& code_of_f(const Lowered& lowered) {
    for (const Code& code : lowered.codes) {
        if (code.name == "f") return code;
    }
    GYRE_ASSERT(false, "the program has its function");
    return lowered.codes.front();
}

void run_once(Vm& machine, const Function& function) {
    const Word args[] = {Word::small(7), machine.heap.real(1.5), Word::boolean(true)};
    Frame* frame = machine.make_frame(function, args);
    try {
        const Step step = machine.run(*frame, {});
        GYRE_ASSERT(step.kind == StepKind::ends || step.kind == StepKind::fails,
                    "a plain function ends or fails");
    } catch (const Stopped&) {
    }
}

}  // namespace
}  // namespace gyre::vela::vm

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    using namespace gyre::vela;
    using namespace gyre::vela::vm;
    const Lowered& lowered = lowered_program();
    StoppingHost host;
    MachineOptions options;
    options.depth_max = 50;
    options.back_edges_max = 500;
    options.time_max = std::chrono::seconds(1);
    Vm machine(lowered, options, host, {});
    // It is this target's own copy of the program.
    auto& function = const_cast<Function&>(*machine.assembled().function_of(&code_of_f(lowered)));
    function.reps.assign(std::begin(reps), std::end(reps));
    function.word_begin = 10;
    read_insns(function, data, size_bytes);
    function.sources.assign(function.insns.size(), 0);
    function.slot_count = reg_count;
    function.entry = function.insns.data();
    if (!verify_function(function, KnownPointers(machine.assembled())).empty()) return 0;
    for (std::size_t at = 0; at < function.insns.size();
         at += 1 + extension_count(function.insns[at])) {
        if (!is_run(function.insns[at].op)) return 0;
    }
    run_once(machine, function);
    return 0;
}
