// SPDX-License-Identifier: Apache-2.0
// Returns of functions, and of the bodies that another one awaits.
#include "lang/vela/run/internal/handlers.hpp"

namespace gyre::vela::vm {

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

}  // namespace gyre::vela::vm
