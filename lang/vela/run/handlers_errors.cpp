// SPDX-License-Identifier: Apache-2.0
// Errors: the search for their handler, and safepoints, where a body is interrupted.
#include "lang/vela/run/internal/handlers.hpp"

namespace gyre::vela::vm {

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
    const bool is_input =
        vm.input != nullptr && vm.running != nullptr && vm.input->task == vm.running;
    if (is_input && (vm.is_cut_off || vm.host.is_interrupted())) {
        return raise_new(vm, ip, "CancelledError", "interrupted");
    }
    if (is_interrupted) {
        vm.stopped.kind = StepKind::interrupted;
        vm.stack->interrupted_at = ip;
        return nullptr;
    }
    GYRE_VELA_NEXT(r, ip);
}

}  // namespace gyre::vela::vm
