// SPDX-License-Identifier: Apache-2.0
// LoweredRun: one run of a lowered program; LoweredFrame: one call of a function in it. Live for
// one run.
#pragma once

#include <unordered_map>

#include "lang/vela/lower/detail/code.hpp"
#include "lang/vela/reference/natives.hpp"

namespace gyre::vela::internal {

// A variable shared by functions.
struct Cell : Thing {
    std::optional<Value> value;
};

// The remaining items of a loop.
struct ItemsLeft : Thing {
    Values items;
    std::size_t next = 0;
};

class LoweredRun;

struct LoweredFunction : Function {
    LoweredFunction(LoweredRun& of, const Code& called, Values with)
        : run(of), code(called), captured(std::move(with)) {}
    Value call(const Values& args) override;

    LoweredRun& run;
    const Code& code;
    Values captured;
    std::optional<Value> object;  // of a bound method
};

class LoweredFrame {
public:
    LoweredFrame(LoweredRun& run, const Code& code, const Values& args, const Values& captured);

    // Runs until it suspends; an uncaught error is returned as a step.
    Step go_on(const Resume& with);

private:
    const Value& get(Register reg) const;
    const Value& read(const Instruction& instruction, std::size_t i) const;
    Values read_all(const Instruction& instruction, std::size_t from = 0) const;
    void set(const Instruction& instruction, Value value);
    void rest(const State& state);
    std::optional<Step> step();
    void jump(std::uint32_t at) { at_ = at; }
    bool variables(const Instruction& instruction);
    bool operators(const Instruction& instruction);
    bool objects(const Instruction& instruction);
    bool calls(const Instruction& instruction);
    bool tasks(const Instruction& instruction);
    void values(const Instruction& instruction);

    LoweredRun& run_;
    const Code& code_;
    Values registers_;
    std::uint32_t at_ = 0;
    bool is_resting_ = false;
    Value caught_;
};

class LoweredRun {
public:
    LoweredRun(const Lowered& lowered, RuntimeOptions options);

    Outcome run();
    Value call(const Code& code, const Values& args, const Values& captured);
    Value call_method(const FunctionInfo& method, const Values& args);
    Value call_native_function(const FunctionInfo& function, const Values& args);
    Value create(const TypeInfo& type);
    Function* handler_of(Object& actor);

    const Lowered& lowered;
    Runtime runtime;
    std::unordered_map<const Symbol*, Value> globals;
    // The contents of an unwritten register, or of an omitted argument.
    Thing* unwritten;
    Thing* missing;

private:
    const Code* entry() const;

    std::string_view entry_;
    int depth_ = 0;
};

}  // namespace gyre::vela::internal
