// SPDX-License-Identifier: Apache-2.0
// Awaits and yields: a body rests, or runs the one that it awaits.
#include <cstring>

#include "lang/vela/run/internal/handlers.hpp"
#include "lang/vela/run/internal/polling.hpp"

namespace gyre::vela::vm {

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
}  // namespace gyre::vela::vm
