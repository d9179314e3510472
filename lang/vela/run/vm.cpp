// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/run/internal/vm.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "lang/vela/run/internal/exchange.hpp"
#include "lang/vela/run/internal/handlers.hpp"
#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

constexpr std::size_t slots_per_call = 64;

std::string full_name(const FunctionInfo& function) {
    if (function.owner == nullptr) return std::string(function.name.text);
    const bool is_constructor = function.node->kind == DeclKind::constructor;
    return concat(function.owner->name.text, ".",
                  is_constructor ? std::string_view("constructor") : function.name.text);
}

}  // namespace

Stack::Stack(std::size_t depth_max)
    : slots(std::make_unique_for_overwrite<Slot[]>(depth_max * slots_per_call)),
      calls(std::make_unique_for_overwrite<CallFrame[]>(depth_max + 2)),
      top(slots.get()),
      end(slots.get() + depth_max * slots_per_call),
      last(calls.get()),
      limit(calls.get() + depth_max + 1) {
    // The first is no call: it stands before all.
    *last = CallFrame{};
}

void Stack::trace(Marker& marker) const {
    for (const CallFrame* call = calls.get() + 1; call <= last; ++call) {
        if (call->frame != nullptr) {
            marker.mark(call->frame);
            continue;
        }
        const Function& function = *call->function;
        for (std::size_t i = 0; i < function.register_count(); ++i) {
            if (function.reps[i] == Rep::word) marker.mark(call->registers[i].word());
        }
    }
}

Vm::Vm(const Lowered& of, const MachineOptions& with, RunHost& outside, NativeLibraries libraries,
       Exchange* others)
    : program(*of.program),
      lowered(of),
      options(with),
      host(outside),
      heap({.bytes_max = with.memory_bytes_max,
            .collects_always = with.collects_always,
            .owner = this},
           fuel),
      exchange(others),
      tells_steps(with.shows_steps || with.marks_steps),
      direct_depth_max(tells_steps ? 0 : with.depth_max),
      random(with.seed),
      stack(std::make_unique<Stack>(with.depth_max)),
      fuel(with.back_edges_max),
      libraries_(std::move(libraries)) {
    if (exchange != nullptr) exchange->vm = this;
    auto assembled = assemble(lowered, *this);
    if (!assembled) {
        problem_ = assembled.error();
        return;
    }
    assembled_ = std::move(*assembled);
    globals.resize(assembled_->global_symbols.size());
    const Builtins& types = program.types.builtins;
    some_ = variant_info(types.option, "Some");
    none_ = variant_info(types.option, "None");
    ok_ = variant_info(types.result, "Ok");
    err_ = variant_info(types.result, "Err");
    if (with.time_max > Duration::zero()) deadline_ = host.real_time() + with.time_max;
}

Vm::~Vm() = default;

std::string Vm::extend() {
    assembled_->may_grow = true;
    if (auto made = assemble_more(*assembled_, *this); !made) return made.error();
    globals.resize(assembled_->global_symbols.size());
    return {};
}

Word Vm::text(const std::string& of) {
    return constants_.emplace_back(heap.text(of));
}

NativeCall Vm::native(const FunctionInfo& function) {
    const auto known_one = natives_.find(&function);
    if (known_one != natives_.end()) return known_one->second;
    const std::string name = full_name(function);
    NativeCall found = nullptr;
    const NativeTable& core = core_natives();
    if (const auto at = core.find(name); at != core.end()) found = at->second;
    for (const NativeLibrary* library : libraries_) {
        if (found == nullptr) found = library->find(name);
    }
    // A constructor of the host that has nothing to do.
    const bool is_constructor = function.node->kind == DeclKind::constructor;
    if (found == nullptr && is_constructor) {
        found = [](Vm&, std::span<const Word>) { return Word::nothing(); };
    }
    natives_[&function] = found;
    return found;
}

Word Vm::call_native(const FunctionInfo& function, std::span<const Word> args) {
    const NativeCall found = native(function);
    if (found == nullptr) fail("Error", concat(full_name(function), " is not available here"));
    return found(*this, args);
}

Frame* Vm::make_frame(const Function& function, std::span<const Word> args) {
    auto* frame = heap.make<Frame>(&function);
    set_arguments(*frame, args);
    return frame;
}

void Vm::begin_again(Frame& frame, std::span<const Word> args) {
    frame.at = frame.function->entry;
    frame.result = {};
    std::fill_n(frame.registers(), frame.function->slot_count, Slot{});
    set_arguments(frame, args);
}

void Vm::set_arguments(Frame& frame, std::span<const Word> args) {
    const Function& function = *frame.function;
    Slot* const to = frame.registers();
    for (std::size_t i = 0; i < args.size() && i < function.param_count; ++i) {
        if (function.reps[i] == Rep::word || args[i].is_missing()) {
            to[i].set(args[i]);
        } else {
            store_bare(to[i], function.reps[i], args[i]);
        }
    }
}

Step Vm::run_from(const Insn* next) {
    while (next != nullptr) {
        next = handlers[static_cast<std::size_t>(next->op)](*this, registers, next);
    }
    --nesting;
    return stopped;
}

Step Vm::run(Frame& frame, const Resume& with) {
    // Beside its registers, an interpreter that is nested needs the stack of the thread.
    constexpr std::size_t nesting_max = 400;
    if (stack->last + 1 >= stack->limit || nesting >= nesting_max) {
        return {StepKind::fails, error("StackOverflowError", "Too many calls inside one another")};
    }
    *++stack->last = {frame.function, frame.registers(), &frame, nullptr, 0, true, false, 0};
    ++nesting;
    const Insn* at = frame.at;
    registers = frame.registers();
    const bool is_new = !frame.is_resting;
    frame.is_resting = false;
    if (is_new) return run_from(at);
    if (with.kind == ResumeKind::error) {
        caught = with.value;
        return run_from(raise(*this, registers, at));
    }
    const bool is_yield = at->op == InsnOp::yield;
    store(registers, at->a, is_yield ? Word::boolean(with.kind == ResumeKind::close) : with.value);
    return run_from(after_await(at));
}

Step Vm::go_on_interrupted(VelaTask& task) {
    spare_stack_ = std::exchange(stack, std::move(task.interrupted));
    ++nesting;
    registers = stack->last->registers;
    return run_from(stack->interrupted_at);
}

void Vm::leave_interrupted(VelaTask& task) {
    if (spare_stack_ == nullptr) spare_stack_ = std::make_unique<Stack>(options.depth_max);
    task.interrupted = std::exchange(stack, std::move(spare_stack_));
}

// On the stack, as a call of the program has its registers.
Word Vm::call_plain(Closure& closure, std::span<const Word> args) {
    const Function& callee = *closure.function;
    constexpr std::size_t nesting_max = 400;
    if (!stack->has_room(callee) || nesting >= nesting_max) {
        throw Thrown{error("StackOverflowError", "Too many calls inside one another")};
    }
    Slot* const to = stack->top;
    std::memset(static_cast<void*>(to), 0, callee.slot_count * sizeof(Slot));
    const std::size_t bound = closure.is_bound ? 1 : 0;
    if (closure.is_bound) to[0] = closure.captures()[0];
    const std::size_t given = std::min<std::size_t>(args.size(), callee.param_count - bound);
    for (std::size_t i = 0; i < given; ++i) {
        if (callee.reps[i + bound] == Rep::word || args[i].is_missing()) {
            to[i + bound].set(args[i]);
        } else {
            store_bare(to[i + bound], callee.reps[i + bound], args[i]);
        }
    }
    for (std::size_t i = 0; !closure.is_bound && i < closure.count; ++i) {
        to[callee.captures[i]] = closure.captures()[i];
    }
    *++stack->last = {&callee, to, nullptr, nullptr, 0, true, false, 0};
    stack->top += callee.slot_count;
    ++nesting;
    registers = to;
    Rooted roots(*this);
    roots.add(Word(&closure));
    const Step step = run_from(callee.entry);
    if (step.kind == StepKind::fails) throw Thrown{step.value};
    GYRE_ASSERT(step.kind == StepKind::ends, "a plain function waits");
    return boxed(*this, result, callee.result);
}

Word Vm::call(Word function, std::span<const Word> args) {
    auto& closure = as<Closure>(function, Kind::closure);
    if (closure.function != nullptr && closure.function->code->kind == CodeKind::plain) {
        return call_plain(closure, args);
    }
    std::vector<Word> all;
    const bool has_self = closure.is_bound || (closure.function == nullptr && closure.count > 0);
    if (has_self) all.push_back(closure.captures()[0].word());
    all.insert(all.end(), args.begin(), args.end());
    if (closure.function == nullptr) return call_native(*closure.native, all);
    const Function& callee = *closure.function;
    all.resize(std::min<std::size_t>(all.size(), callee.param_count));
    Frame* frame = make_frame(callee, all);
    if (!closure.is_bound) {
        for (std::size_t i = 0; i < closure.count; ++i) {
            frame->registers()[callee.captures[i]] = closure.captures()[i];
        }
    }
    if (callee.code->kind == CodeKind::generator) return heap.make<Stream>(frame);
    return frame;
}

Word Vm::bound_method(Word object, std::string_view name) {
    Slot self{};
    self.set(object);
    const std::span<const Slot> captures(&self, 1);
    for (const TypeInfo* at = type_of(object); at != nullptr;
         at = at->base == nullptr ? nullptr : known(at->base)->info) {
        for (const FunctionInfo* method : at->methods) {
            if (method->name.text != name) continue;
            const auto code = lowered.functions.find(method);
            Closure* bound =
                code == lowered.functions.end()
                    ? heap.make<Closure>(method, captures)
                    : heap.make<Closure>(assembled_->function_of(code->second), captures);
            bound->is_bound = true;
            return bound;
        }
    }
    fail("Error", concat("no method ", name));
}

bool Vm::safepoint() {
    // A collection alone interrupts nothing: the order of tasks does not depend on the size of things.
    const std::int64_t left = heap.take_kept_fuel();
    fuel = left > 0 ? left : options.back_edges_max;
    if (heap.wants_collection()) collect();
    if (deadline_ != Instant::never() && host.real_time() >= deadline_) {
        host.report("gyre run: the program ran longer than --time-limit allows");
        tasks->end(4);
        throw Ended();
    }
    return left == 0 && nesting == 1 && may_interrupt;
}

void Vm::collect_heap() {
    const auto forget_unmarked = [this] {
        if (exchange != nullptr) exchange->forget_unmarked();
    };
    heap.collect([this](Marker& marker) { mark_roots(marker); }, forget_unmarked);
}

void Vm::collect() {
    collect_heap();
    check_memory();
}

std::size_t Vm::count_reachable() {
    collect_heap();
    heap.sweep_all();
    return heap.thing_count();
}

bool Vm::is_over_memory() const noexcept {
    if (exchange == nullptr) return heap.is_full();
    // The limit is that of the program.
    Machines& all = exchange->machines;
    all.held_bytes[exchange->number()].store(heap.used_bytes());
    std::size_t held = 0;
    for (const auto& one : all.held_bytes) held += one.load();
    return held > options.memory_bytes_max;
}

void Vm::check_memory() {
    if (is_over_memory()) end_over_memory();
}

// Outside of the interpreter, as where a timer fires, the next safepoint finds it.
void Vm::on_far_over() {
    if (nesting > 0) end_over_memory();
}

void Vm::need_room(std::uint64_t count, std::size_t size_bytes) {
    const std::uint64_t fitting = std::uint64_t{SIZE_MAX} / 4 / size_bytes;
    if (count > fitting || heap.is_far_over(static_cast<std::size_t>(count) * size_bytes)) {
        end_over_memory();
    }
}

void Vm::check_text_size(std::size_t size_bytes) {
    if (size_bytes > text_bytes_max) fail("Error", "A String has at most 256 MB");
}

HeldOutside::HeldOutside(Vm& vm, std::uint64_t count, std::size_t size_bytes)
    : vm_(vm), bytes_(static_cast<std::size_t>(count) * size_bytes) {
    vm.need_room(count, size_bytes);
    vm.heap.hold_outside(bytes_);
}

void Vm::end_over_memory() {
    host.report(concat("gyre run: the program holds more than --memory-limit allows (",
                       std::to_string(options.memory_bytes_max >> 20U), " MB)"));
    tasks->end(4);
    throw Ended();
}

void Vm::mark_roots(Marker& marker) {
    stack->trace(marker);
    marker.mark(globals);
    marker.mark(constants_);
    marker.mark(rooted);
    marker.mark(caught);
    marker.mark(error_of_stack);
    marker.mark(stopped.value);
    for (const auto& [info, word] : bare_variants_) marker.mark(word);
    if (tasks != nullptr) tasks->trace(marker);
}

std::string Vm::place_text(const Function& function, const Insn* at) {
    const Code& code = *function.code;
    const std::uint32_t source = function.sources[static_cast<std::size_t>(at - function.begin())];
    const Position where = code.module->source->position(code.instructions[source].place.begin);
    return concat("\n    at ", code.name, " (", code.module->path, ":", std::to_string(where.line),
                  ":", std::to_string(where.column), ")");
}

std::string Vm::stack_text(const Insn* at) const {
    std::string text;
    const CallFrame* call = stack->last;
    for (; call > stack->calls.get() && at != nullptr; --call) {
        text += place_text(*call->function, at);
        if (call->is_entry) break;
        at = call->frame != nullptr ? (call - 1)->frame->at : call->back - 1;
    }
    // The bodies that await the innermost one, which are not on the stack.
    if (running == nullptr || call <= stack->calls.get()) return text;
    const auto& chain = running->chain;
    for (auto outer = std::find(chain.begin(), chain.end(), call->frame); outer != chain.begin();) {
        const Deferred* waiting = *--outer;
        if (!waiting->is_frame) continue;
        const auto& frame = static_cast<const Frame&>(*waiting);
        text += place_text(*frame.function, frame.at);
    }
    return text;
}

}  // namespace gyre::vela::vm
