// SPDX-License-Identifier: Apache-2.0
// Calls, returns, errors and awaits.
#include <algorithm>
#include <cstring>

#include "lang/vela/run/internal/handlers.hpp"
#include "lang/vela/run/internal/polling.hpp"

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

namespace {
// Leaves the interpreter, or converts the result.
[[gnu::noinline]] const Insn* return_slowly(Vm& vm, const Slot* r, const Insn* ip) {
    Stack& stack = *vm.stack;
    const CallFrame& call = *stack.last--;
    const Slot value = r[ip->a];
    if (call.frame == nullptr) stack.top = call.registers;
    if (call.is_entry) {
        vm.result = value;
        vm.stopped.kind = StepKind::ends;
        return nullptr;
    }
    Slot* const caller = stack.last->registers;
    const Insn* const back = call.back;
    const Operand to = call.to;
    caller[register_of(to)] = converted(vm, value, call.function->result, rep_of(to));
    GYRE_VELA_NEXT(caller, back);
}
}  // namespace

// A plain function whose registers are in a Frame was entered from outside.
GYRE_VELA_HANDLER(return_value) {
    Stack& stack = *vm.stack;
    const CallFrame& call = *stack.last;
    if (call.is_entry || call.converts) [[unlikely]]
        return return_slowly(vm, r, ip);
    Slot* const caller = (&call - 1)->registers;
    stack.last = stack.last - 1;
    stack.top = r;
    caller[register_of(call.to)] = r[ip->a];
    GYRE_VELA_NEXT(caller, call.back);
}

namespace {
[[gnu::noinline]] const Insn* return_from_frame(Vm& vm, const CallFrame& call, Word value) {
    Stack& stack = *vm.stack;
    if (call.is_entry) {
        vm.stopped.kind = StepKind::ends;
        vm.stopped.value = value;
        return nullptr;
    }
    // The body below awaits it: it goes on at once.
    vm.running->chain.pop_back();
    vm.tasks->settle(*call.frame, FutureState::fulfilled, value);
    Frame& parent = *stack.last->frame;
    parent.is_resting = false;
    store(parent.registers(), parent.at->a, value);
    return go_on_at(vm, parent.registers(), after_await(parent.at));
}
}  // namespace

GYRE_VELA_HANDLER(return_async) {
    Stack& stack = *vm.stack;
    const CallFrame& call = *stack.last;
    const Word value = r[ip->a].word();
    stack.last = stack.last - 1;
    if (call.frame != nullptr) [[unlikely]]
        return return_from_frame(vm, call, value);
    Slot* const caller = (&call - 1)->registers;
    stack.top = r;
    store(caller, call.to, value);
    GYRE_VELA_NEXT(caller, call.back);
}

namespace {
// Gives the innermost body a Frame, and the bodies that await it: one of them has to wait.
void promote(Vm& vm) {
    CallFrame* const last = vm.stack->last;
    CallFrame* first = last;
    while (first->frame == nullptr) --first;
    for (CallFrame* call = first + 1; call <= last; ++call) {
        Frame& parent = *(call - 1)->frame;
        parent.at = call->back - call->call_size;
        parent.is_resting = true;
        Slot* const on_stack = call->registers;
        if (call == first + 1) vm.stack->top = on_stack;
        call->frame = vm.heap.make<Frame>(call->function);
        call->registers = call->frame->registers();
        std::memcpy(call->registers, on_stack, call->function->slot_count * sizeof(Slot));
        call->frame->state = FutureState::running;
        call->frame->is_observed = true;
        vm.running->chain.push_back(call->frame);
    }
}

// Leaves the interpreter at an await or a yield: the bodies of this nesting rest.
[[gnu::noinline]] const Insn* rest(Vm& vm, const Insn* ip, StepKind kind, Word value) {
    if (vm.stack->last->frame == nullptr) promote(vm);
    Frame& frame = *vm.stack->last->frame;
    frame.at = ip;
    frame.is_resting = true;
    while (!vm.stack->last->is_entry) --vm.stack->last;
    --vm.stack->last;
    vm.stopped.kind = kind;
    vm.stopped.value = value;
    return nullptr;
}

// A Future that has not succeeded yet: a body that was not started runs here.
[[gnu::noinline]] const Insn* await_slowly(Vm& vm, const Insn* ip, Word word) {
    word = as_future(vm, word);
    auto& future = *static_cast<Deferred*>(word.thing());
    if (vm.stack->last->frame == nullptr) promote(vm);
    const bool runs_here = future.state == FutureState::unstarted && future.is_frame &&
                           vm.running->chain.size() < vm.direct_depth_max &&
                           vm.stack->last + 1 < vm.stack->limit;
    if (!runs_here) return rest(vm, ip, StepKind::waits, word);
    Frame& self = *vm.stack->last->frame;
    self.at = ip;
    self.is_resting = true;
    auto& child = static_cast<Frame&>(future);
    child.state = FutureState::running;
    child.is_observed = true;
    vm.running->chain.push_back(&child);
    *++vm.stack->last = {child.function, child.registers(), &child, nullptr, 0, false, false, 0};
    if (--vm.fuel < 0) return at_safepoint(vm, child.registers(), child.at);
    return go_on_at(vm, child.registers(), child.at);
}
}  // namespace

GYRE_VELA_HANDLER(await) {
    const Word word = r[ip->b].word();
    const Thing* const thing = word.thing();
    const bool is_future =
        thing != nullptr && (thing->kind == Kind::future || thing->kind == Kind::task_handle);
    if (!is_future || static_cast<const Deferred*>(thing)->state != FutureState::fulfilled) {
        return await_slowly(vm, ip, word);
    }
    auto& future = *static_cast<Deferred*>(word.thing());
    future.is_observed = true;
    store(r, ip->a, future.result);
    GYRE_VELA_GO_ON;
}

GYRE_VELA_HANDLER(yield) {
    return rest(vm, ip, StepKind::yields, r[ip->b].word());
}
GYRE_VELA_HANDLER(caught) {
    r[ip->a].set(vm.caught);
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(throw_value) {
    vm.caught = r[ip->a].word();
    return raise(vm, r, ip);
}
GYRE_VELA_HANDLER(left_out) {
    return raise_new(vm, ip, "Error", "this was left out");
}

const Insn* raise(Vm& vm, Slot* /*r*/, const Insn* ip) {
    Stack& stack = *vm.stack;
    // An error that goes on at an await keeps the stack of its beginning.
    if (vm.options.shows_stack && vm.error_of_stack != vm.caught) {
        vm.error_of_stack = vm.caught;
        vm.stack_of_error = vm.stack_text(ip);
    }
    for (;;) {
        const CallFrame call = *stack.last;
        const Function& function = *call.function;
        const std::uint32_t source =
            function.sources[static_cast<std::size_t>(ip - function.begin())];
        const std::uint32_t handler = function.code->instructions[source].handler;
        if (handler != no_handler) {
            const Insn* target =
                function.begin() + function.starts[function.code->handlers[handler]];
            GYRE_VELA_NEXT(call.registers, target);
        }
        --stack.last;
        if (call.frame == nullptr) stack.top = call.registers;
        if (call.is_entry) {
            vm.stopped.kind = StepKind::fails;
            vm.stopped.value = vm.caught;
            return nullptr;
        }
        if (call.frame != nullptr) {
            vm.running->chain.pop_back();
            vm.tasks->settle(*call.frame, FutureState::rejected, vm.caught);
            Frame& parent = *stack.last->frame;
            parent.is_resting = false;
            ip = parent.at;
        } else {
            // The last word of the call: it has the source of the call.
            ip = call.back - 1;
        }
    }
}

const Insn* raise_new(Vm& vm, const Insn* ip, const char* type, const char* message) {
    vm.caught = vm.error(type, message);
    return raise(vm, nullptr, ip);
}

const Insn* at_safepoint(Vm& vm, Slot* r, const Insn* ip) {
    // A collection must not miss what the next instruction has not been given yet: all of it is in
    // registers.
    const bool is_interrupted = vm.safepoint();
    const bool is_input = vm.input != nullptr && vm.input == vm.running;
    if (is_input && (vm.is_cut_off || vm.host.is_interrupted())) {
        return raise_new(vm, ip, "CancelledError", "interrupted");
    }
    if (is_interrupted) {
        vm.stopped.kind = StepKind::interrupted;
        vm.running->interrupted_at = ip;
        return nullptr;
    }
    GYRE_VELA_NEXT(r, ip);
}

}  // namespace gyre::vela::vm
