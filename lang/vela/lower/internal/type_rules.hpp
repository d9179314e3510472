// SPDX-License-Identifier: Apache-2.0
// TypeRules: checks the register types of an instruction. Lives for one instruction; uses the Types
// of the program.
#pragma once

#include "lang/vela/lower/detail/code.hpp"

namespace gyre::vela::internal {

class TypeRules {
public:
    TypeRules(const Code& code, const Instruction& instruction, Types& types)
        : code_(code), instruction_(instruction), types_(types), reads_(code.reads(instruction)) {}

    // The first type error; empty if there is none. The indices of the instruction must be in
    // range.
    std::string problem() {
        check();
        return problem_;
    }

private:
    void check();
    void numbers_and_texts();
    void shapes();
    void collections();
    void objects();
    void calls();
    void suspensions();

    // Like Types::fits, but a type parameter agrees with every type: the code does not record type
    // arguments of calls.
    bool agrees(const Type* from, const Type* to, int depth = 0);

    void fail(std::string text) {
        if (problem_.empty()) problem_ = std::move(text);
    }
    void count(std::size_t wanted);
    const RegisterInfo& info(Register reg) const { return code_.registers[reg]; }
    const Type* read(std::size_t i) const {
        return i < reads_.size() ? info(reads_[i]).type : types_.error();
    }
    const Type* to() const { return info(instruction_.to).type; }

    void need(const Type* from, const Type* wanted);
    // All operands have one type, the result another.
    void need_all(std::size_t wanted_count, const Type* wanted, const Type* result);
    void need_nominal(const Type* type, const TypeInfo* wanted);

    const Code& code_;
    const Instruction& instruction_;
    Types& types_;
    std::span<const Register> reads_;
    std::string problem_;
    int step_count_ = 0;
};

}  // namespace gyre::vela::internal
