// SPDX-License-Identifier: Apache-2.0
// Calls of functions, methods and closures.
#include <algorithm>

#include "lang/vela/run/internal/handlers.hpp"

namespace gyre::vela::vm {
namespace {

// Fills the registers of a call. The caller has checked that there is room.
// Most functions have few words: the empty statement keeps the compiler from calling memset.
inline void clear_words(Slot* at, const Slot* end) {
    for (; at < end; ++at) {
        at->bits = 0;
        asm volatile("");
    }
}
inline void set_arguments(Vm& vm, const Function& callee, Slot* to, const Slot* r,
                          const Operand* operands, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = converted(vm, r[register_of(operands[i])], rep_of(operands[i]), callee.reps[i]);
    }
    for (std::size_t i = count; i < callee.param_count; ++i) to[i].bits = 0;
    clear_words(to + callee.word_begin, to + callee.slot_count);
}

inline void push_call(Vm& vm, const Function& callee, const Insn* back, Operand to) {
    Stack& stack = *vm.stack;
    CallFrame& call = *++stack.last;
    call.function = &callee;
    call.registers = stack.top;
    call.frame = nullptr;
    call.back = back;
    call.to = to;
    call.is_entry = false;
    call.converts = rep_of(to) != callee.result;
    stack.top += callee.slot_count;
}

[[gnu::noinline]] Frame* framed(Vm& vm, const Function& callee, const Slot* r,
                                const Operand* operands, std::size_t count) {
    auto* frame = vm.heap.make<Frame>(&callee);
    for (std::size_t i = 0; i < count; ++i) {
        frame->registers()[i] =
            converted(vm, r[register_of(operands[i])], rep_of(operands[i]), callee.reps[i]);
    }
    return frame;
}

Word future_or_stream(Vm& vm, Frame* frame) {
    if (frame->function->code->kind == CodeKind::generator) return vm.heap.make<Stream>(frame);
    return frame;
}

const Insn* overflow_of_stack(Vm& vm, const Insn* ip) {
    return raise_new(vm, ip, "StackOverflowError", "Too many calls inside one another");
}

}  // namespace

GYRE_VELA_HANDLER(call) {
    const Function& callee = *extension<const Function*>(ip[1]);
    if (!vm.stack->has_room(callee)) [[unlikely]]
        return overflow_of_stack(vm, ip);
    Slot* const to = vm.stack->top;
    set_arguments(vm, callee, to, r, operands_of(ip), ip->b);
    push_call(vm, callee, behind(ip), ip->a);
    if (--vm.fuel < 0) [[unlikely]]
        return at_safepoint(vm, to, callee.entry);
    GYRE_VELA_NEXT(to, callee.entry);
}

// The operands and the result need no conversion.
#define GYRE_VELA_DIRECT_CALL(name, count)                                              \
    GYRE_VELA_HANDLER(name) {                                                           \
        const Function& callee = *extension<const Function*>(ip[1]);                    \
        Stack& stack = *vm.stack;                                                       \
        Slot* const to = stack.top;                                                     \
        Slot* const end = to + callee.slot_count;                                       \
        CallFrame* const call = stack.last + 1;                                         \
        if (call >= stack.limit || end > stack.end) [[unlikely]]                        \
            return overflow_of_stack(vm, ip);                                           \
        const Operand* const operands = operands_of(ip);                                \
        for (std::size_t i = 0; i != (count); ++i) to[i] = r[register_of(operands[i])]; \
        clear_words(to + callee.word_begin, end);                                       \
        call->function = &callee;                                                       \
        call->registers = to;                                                           \
        call->frame = nullptr;                                                          \
        call->back = ip + 2 + ((count) > 0 ? 1 : 0);                                    \
        call->to = ip->a;                                                               \
        call->is_entry = false;                                                         \
        call->converts = false;                                                         \
        stack.last = call;                                                              \
        stack.top = end;                                                                \
        if (--vm.fuel < 0) [[unlikely]]                                                 \
            return at_safepoint(vm, to, callee.entry);                                  \
        GYRE_VELA_NEXT(to, callee.entry);                                               \
    }
GYRE_VELA_DIRECT_CALL(call_0, 0)
GYRE_VELA_DIRECT_CALL(call_1, 1)
GYRE_VELA_DIRECT_CALL(call_2, 2)
GYRE_VELA_DIRECT_CALL(call_3, 3)
#undef GYRE_VELA_DIRECT_CALL

GYRE_VELA_HANDLER(call_async) {
    const Function& callee = *extension<const Function*>(ip[1]);
    Frame* frame = framed(vm, callee, r, operands_of(ip), ip->b);
    r[register_of(ip->a)].set(future_or_stream(vm, frame));
    GYRE_VELA_NEXT(r, behind(ip));
}

GYRE_VELA_HANDLER(call_await) {
    const Function& callee = *extension<const Function*>(ip[1]);
    if (!vm.stack->has_room(callee)) [[unlikely]]
        return overflow_of_stack(vm, ip);
    Slot* const to = vm.stack->top;
    set_arguments(vm, callee, to, r, operands_of(ip), ip->b);
    const Insn* const back = behind(ip);
    push_call(vm, callee, back, ip->a);
    vm.stack->last->call_size = static_cast<std::uint16_t>(back - ip);
    if (--vm.fuel < 0) [[unlikely]]
        return at_safepoint(vm, to, callee.entry);
    GYRE_VELA_NEXT(to, callee.entry);
}

namespace {

// The native function of a method, or of a closure; false if it threw.
[[gnu::noinline]] bool call_native_target(Vm& vm, Slot* r, const Insn* ip,
                                          const FunctionInfo* native, std::size_t skip, Word self) {
    std::vector<Word> args;
    if (!self.is_missing()) args.push_back(self);
    const Operand* operands = operands_of(ip);
    for (std::size_t i = skip; i < ip->b; ++i) args.push_back(word_of(vm, r, operands[i]));
    try {
        store(r, ip->a, vm.call_native(*native, args));
        return true;
    } catch (const Thrown& thrown) {
        vm.caught = thrown.error;
        return false;
    }
}

[[gnu::noinline]] Target find_target(Vm& vm, Slot* r, const Insn* ip) {
    const auto& wanted = *extension<const FunctionInfo*>(ip[1]);
    const Word object = word_of(vm, r, operands_of(ip)[0]);
    const Target target = vm.find_method(object, wanted);
    if (is_kind(object, Kind::instance)) {
        const Shape* shape = static_cast<Instance*>(object.thing())->shape;
        vm.methods[Vm::place_of_method(*shape, wanted)] = {shape, &wanted, target};
    }
    return target;
}
inline Target target_of(Vm& vm, Slot* r, const Insn* ip) {
    const Operand self = operands_of(ip)[0];
    const Word object = r[register_of(self)].word();
    if (rep_of(self) == Rep::word && is_kind(object, Kind::instance)) [[likely]] {
        const auto* wanted = extension<const FunctionInfo*>(ip[1]);
        const Shape* shape = static_cast<Instance*>(object.thing())->shape;
        const MethodEntry& known = vm.methods[Vm::place_of_method(*shape, *wanted)];
        if (known.shape == shape && known.wanted == wanted) [[likely]]
            return known.target;
    }
    return find_target(vm, r, ip);
}

}  // namespace

GYRE_VELA_HANDLER(call_method) {
    const Target target = target_of(vm, r, ip);
    if (target.function == nullptr) {
        if (!call_native_target(vm, r, ip, target.native, 0, {})) return raise(vm, r, ip);
        GYRE_VELA_NEXT(r, behind(ip));
    }
    const Function& callee = *target.function;
    if (callee.code->kind != CodeKind::plain) {
        Frame* frame = framed(vm, callee, r, operands_of(ip), ip->b);
        r[register_of(ip->a)].set(future_or_stream(vm, frame));
        GYRE_VELA_NEXT(r, behind(ip));
    }
    if (!vm.stack->has_room(callee)) [[unlikely]]
        return overflow_of_stack(vm, ip);
    Slot* const to = vm.stack->top;
    set_arguments(vm, callee, to, r, operands_of(ip), ip->b);
    push_call(vm, callee, behind(ip), ip->a);
    if (--vm.fuel < 0) [[unlikely]]
        return at_safepoint(vm, to, callee.entry);
    GYRE_VELA_NEXT(to, callee.entry);
}

namespace {
// A bound method takes its object first.
inline std::size_t set_bound(const Closure& closure, Slot* to) {
    return closure.is_bound ? (to[0] = const_cast<Closure&>(closure).captures()[0], 1U) : 0U;
}
inline void set_captures(Closure& closure, const Function& callee, Slot* to) {
    if (closure.is_bound) return;
    for (std::size_t i = 0; i < closure.count; ++i) to[callee.captures[i]] = closure.captures()[i];
}
}  // namespace

GYRE_VELA_HANDLER(call_value) {
    auto& closure = as<Closure>(r[register_of(operands_of(ip)[0])].word(), Kind::closure);
    if (closure.function == nullptr) {
        const Word self = closure.count > 0 ? closure.captures()[0].word() : Word();
        if (!call_native_target(vm, r, ip, closure.native, 1, self)) return raise(vm, r, ip);
        GYRE_VELA_NEXT(r, behind(ip));
    }
    const Function& callee = *closure.function;
    const std::size_t bound = closure.is_bound ? 1 : 0;
    if (callee.code->kind != CodeKind::plain) {
        Frame* frame = vm.heap.make<Frame>(&callee);
        Slot* to = frame->registers();
        const std::size_t given = std::min<std::size_t>(ip->b - 1U, callee.param_count - bound);
        for (std::size_t i = 0; i < given; ++i) {
            const Operand operand = operands_of(ip)[i + 1];
            to[i + bound] =
                converted(vm, r[register_of(operand)], rep_of(operand), callee.reps[i + bound]);
        }
        set_bound(closure, to);
        set_captures(closure, callee, to);
        r[register_of(ip->a)].set(future_or_stream(vm, frame));
        GYRE_VELA_NEXT(r, behind(ip));
    }
    if (!vm.stack->has_room(callee)) [[unlikely]]
        return overflow_of_stack(vm, ip);
    Slot* const to = vm.stack->top;
    clear_words(to + std::min(callee.word_begin, callee.param_count), to + callee.slot_count);
    const std::size_t given = std::min<std::size_t>(ip->b - 1U, callee.param_count - bound);
    for (std::size_t i = 0; i < given; ++i) {
        const Operand operand = operands_of(ip)[i + 1];
        to[i + bound] =
            converted(vm, r[register_of(operand)], rep_of(operand), callee.reps[i + bound]);
    }
    for (std::size_t i = given + bound; i < callee.param_count; ++i) to[i].bits = 0;
    set_bound(closure, to);
    set_captures(closure, callee, to);
    push_call(vm, callee, behind(ip), ip->a);
    if (--vm.fuel < 0) [[unlikely]]
        return at_safepoint(vm, to, callee.entry);
    GYRE_VELA_NEXT(to, callee.entry);
}

}  // namespace gyre::vela::vm
