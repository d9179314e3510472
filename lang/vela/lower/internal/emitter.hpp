// SPDX-License-Identifier: Apache-2.0
// Emitter: writes the instructions of one Code. Jumps go to labels, which are bound later.
// Unreachable instructions are not written. Lives while its function is lowered.
#pragma once

#include <initializer_list>

#include "lang/vela/lower/detail/code.hpp"

namespace gyre::vela::internal {

class Emitter {
public:
    using Label = std::uint32_t;

    explicit Emitter(Code& code) : code_(code) {}
    Emitter(const Emitter&) = delete;
    Emitter& operator=(const Emitter&) = delete;

    Register make_register(const Type* type, std::string_view name = {}, bool is_cell = false);

    // The reference is valid until the next emit; the caller fills in the rest of the instruction.
    Instruction& emit(Op op, Register to, std::span<const Register> reads);
    Instruction& emit(Op op, Register to, std::initializer_list<Register> reads) {
        return emit(op, to, std::span(reads.begin(), reads.size()));
    }
    void constant(Register to, Constant value);
    void move(Register to, Register from);

    Label make_label();
    void place(Label label);
    void jump(Label label);
    void branch(Register condition, Label yes, Label no);
    void choose(Register number, std::span<const Label> labels);
    void next_item(Register to, Register iterator, Label end);

    // Later instructions go to `label` if they throw. Returns the previous handler.
    std::uint32_t open_handler(Label label);
    void close_handler(std::uint32_t before) { handler_ = before; }

    [[nodiscard]] bool is_dead() const { return is_dead_; }
    [[nodiscard]] bool is_used(Label label) const { return labels_[label].is_used; }
    void set_place(Span place) { place_ = place; }
    // Marks that dead writes are possible.
    void note_cleanup() { has_cleanups_ = true; }

    // Resolves labels, removes dead code, and makes the states.
    void finish();

private:
    struct LabelPlace {
        std::uint32_t at = 0;
        bool is_used = false;
    };

    void use(Label label);
    template <class Change>
    void change_targets(const Change& change);
    void resolve_labels();
    void shorten_jumps();
    void remove_unread_writes();
    void keep(const std::vector<bool>& is_kept);
    void make_states();

    Code& code_;
    std::vector<LabelPlace> labels_;
    std::uint32_t handler_ = no_handler;
    bool is_dead_ = false;
    bool has_cleanups_ = false;
    Span place_;
    Instruction dropped_;
};

}  // namespace gyre::vela::internal
