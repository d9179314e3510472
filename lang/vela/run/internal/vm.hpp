// SPDX-License-Identifier: Apache-2.0
// Vm: the machine that runs one Vela program on one loop: its heap, its globals, its stack, and the
// interpreter. The tasks of the program are driven by tasks of gyre (tasks.hpp).
//
// The interpreter runs a Frame until it awaits something that is not settled, yields, ends or fails.
// Plain calls are on `stack`; a body that is awaited by the body below it runs on the same stack, and
// no task of gyre is involved. Native functions that call back into the program nest the interpreter.
//
// One thread: that of its executor.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gyre/base/random.hpp"
#include "lang/vela/run/internal/assembler.hpp"
#include "lang/vela/run/internal/heap.hpp"
#include "lang/vela/run/internal/thing_async.hpp"
#include "lang/vela/run/run.hpp"

namespace gyre::vela::vm {

// An error that leaves a native function. Native functions and `call` throw it; handlers of
// instructions turn it into a jump.
struct Thrown {
    Word error;
};

// The program must end: over a limit, or by `process.exit`.
struct Ended {};

// An async body that was called and awaited at once has no Frame either, until it has to wait: such
// calls are the innermost ones of an interpreter.
struct CallFrame {
    const Function* function;
    Slot* registers;          // of this call
    Frame* frame;             // of an async body that has one, or null
    const Insn* back;         // where the caller goes on
    Operand to;               // the caller's register for the result
    bool is_entry;            // its end leaves the interpreter
    bool converts;            // the caller has the result in another representation
    std::uint16_t call_size;  // of an awaited call: the length of the caller's instruction
};

// The calls that run, and the registers of the plain ones. Pages that are not used are not touched.
struct Stack {
    explicit Stack(std::size_t depth_max);
    void trace(Marker& marker) const;
    [[nodiscard]] bool has_room(const Function& function) const noexcept {
        return last + 1 < limit && top + function.slot_count <= end;
    }

    std::unique_ptr<Slot[]> slots;
    std::unique_ptr<CallFrame[]> calls;
    Slot* top;
    Slot* end;
    CallFrame* last;  // the innermost; before the first if there is none
    CallFrame* limit;
    const Insn* interrupted_at = nullptr;  // where the innermost goes on, if it was interrupted
};

class Exchange;
class Tasks;

// A method that a call has found before.
struct MethodEntry {
    const Shape* shape = nullptr;
    const FunctionInfo* wanted = nullptr;
    Target target;
};

class Vm final : private Linker, private HeapOwner {
public:
    Vm(const Lowered& of, const MachineOptions& with, RunHost& outside, NativeLibraries libraries,
       Exchange* others = nullptr);
    ~Vm();
    Vm(const Vm&) = delete;
    Vm& operator=(const Vm&) = delete;

    const Program& program;
    const Lowered& lowered;
    const MachineOptions options;
    RunHost& host;
    Heap heap;
    Tasks* tasks = nullptr;
    Exchange* const exchange;  // null if the program has one machine
    // Every await passes through Tasks, which tells of it: no body runs another one directly.
    const bool tells_steps;
    const std::size_t direct_depth_max;  // of bodies that do
    Random random;

    // Empty after success; else why the program cannot be assembled.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
    [[nodiscard]] const Assembled& assembled() const noexcept { return *assembled_; }

    // Takes up what was added to the lowered program. Empty after success, else why it cannot.
    [[nodiscard]] std::string extend();

    // ---- running
    // A lazy Future, or an AsyncIterator, of an async function; a Frame for a plain one too.
    [[nodiscard]] Frame* make_frame(const Function& function, std::span<const Word> args);
    // A call that has ended, once more: nobody else has its Future.
    void begin_again(Frame& frame, std::span<const Word> args);
    Step run(Frame& frame, const Resume& with);
    // Goes on where the task was interrupted, and takes its calls back.
    Step go_on_interrupted(VelaTask& task);
    // Gives the calls that were interrupted to the task, so that others can run.
    void leave_interrupted(VelaTask& task);
    // From a native function: calls a function value and returns its result.
    Word call(Word function, std::span<const Word> args);
    Word call_native(const FunctionInfo& function, std::span<const Word> args);
    [[nodiscard]] Word bound_method(Word object, std::string_view name);
    [[nodiscard]] Target find_method(Word object, const FunctionInfo& wanted);
    // The methods found last, by class and name.
    static constexpr std::size_t method_count = 256;
    std::array<MethodEntry, method_count> methods{};
    [[nodiscard]] static std::size_t place_of_method(const Shape& shape,
                                                     const FunctionInfo& wanted) noexcept {
        const auto mixed = reinterpret_cast<std::uintptr_t>(&shape) ^
                           reinterpret_cast<std::uintptr_t>(&wanted) >> 3U;
        return mixed >> 4U & (method_count - 1);
    }

    // ---- values
    [[nodiscard]] const VariantInfo* variant_info(const TypeInfo* type,
                                                  std::string_view name) const;
    [[nodiscard]] Word variant(const VariantInfo* info, std::span<const Word> payload = {});
    [[nodiscard]] Word some(Word value) { return variant(some_, {&value, 1}); }
    [[nodiscard]] Word none() { return variant(none_); }
    [[nodiscard]] Word ok(Word value) { return variant(ok_, {&value, 1}); }
    [[nodiscard]] Word err(Word value) { return variant(err_, {&value, 1}); }
    [[nodiscard]] bool has_value(Word option) const;  // Some or Ok
    [[nodiscard]] Word create(const TypeInfo& type);
    // The value that a field of the standard surface begins with.
    [[nodiscard]] Word empty_value(const Type* type);
    [[nodiscard]] Word native_field(const FieldInfo& field, Word object);
    [[nodiscard]] std::int64_t length_of(Word sequence);
    [[nodiscard]] Word copied(Word value);
    // A list as the Queue or Set that is wanted.
    [[nodiscard]] Word fitted(Word value, const TypeInfo* wanted);
    // Throws for a NaN, which equals nothing: its entry of a Map or Set could not be found again.
    void check_key(Word key);
    [[nodiscard]] std::vector<Word> items_of(Word sequence);
    [[nodiscard]] const TypeInfo* type_of(Word value) const;
    [[nodiscard]] const TypeInfo* standard_type(std::string_view name) const;
    [[nodiscard]] std::size_t field_index(const Instance& object, std::string_view name) const;
    void set_field(Instance& object, std::string_view name, Word value);
    [[nodiscard]] Word field(Instance& object, std::string_view name);

    // ---- errors
    [[nodiscard]] Word error(std::string_view type, std::string message);
    [[noreturn]] void fail(std::string_view type, std::string message);
    [[nodiscard]] bool is_error(Word value) const;      // an Error or what extends it
    [[nodiscard]] bool is_cancelled(Word value) const;  // a CancelledError
    // The calls and awaits that run now, innermost first.
    [[nodiscard]] std::string stack_text(const Insn* at) const;
    // "\n    at main (app.vela:3:5)"
    [[nodiscard]] static std::string place_text(const Function& function, const Insn* at);

    // ---- safepoints
    // Called every `back_edges_max` back edges and calls, and when the heap has grown; that alone interrupts nothing. True if the
    // running body should be interrupted, so that other tasks run.
    [[nodiscard]] bool safepoint();
    void collect();
    void check_memory();
    // How many things are left after a collection.
    [[nodiscard]] std::size_t count_reachable();
    [[nodiscard]] bool is_over_memory() const noexcept;
    // Before a native function makes something large: ends the program if that is far over its limit.
    void need_room(std::uint64_t count, std::size_t size_bytes);
    // Throws an Error of the program for more than text_bytes_max.
    void check_text_size(std::size_t size_bytes);

    // ---- state of the interpreter, for its handlers
    std::unique_ptr<Stack> stack;
    std::int64_t fuel = 0;
    std::vector<Word> globals;
    Word caught;
    Step stopped;
    Slot result{};
    Slot* registers = nullptr;    // between two handlers, where these make no tail calls
    std::size_t nesting = 0;      // of the interpreter
    bool may_interrupt = false;   // only the body of the running task is on the thread's stack
    TaskHandle* input = nullptr;  // of run_interactive: the task that an interruption ends
    bool is_cut_off = false;      // that task is thrown out of the loop or recursion it is in
    VelaTask* running = nullptr;  // the innermost, if one starts another at once
    std::vector<Word> rooted;
    Word error_of_stack;  // the last error that was thrown, and its stack
    std::string stack_of_error;

private:
    friend class Rooted;
    Word text(const std::string& of) override;
    NativeCall native(const FunctionInfo& function) override;
    [[nodiscard]] bool joins_calls_and_awaits() const noexcept override { return !tells_steps; }
    Step run_from(const Insn* next);
    static void set_arguments(Frame& frame, std::span<const Word> args);
    Word call_plain(Closure& closure, std::span<const Word> args);
    void mark_roots(Marker& marker);
    void collect_heap();
    void on_far_over() override;
    [[noreturn]] void end_over_memory();

    const NativeLibraries libraries_;
    std::unique_ptr<Assembled> assembled_;
    std::string problem_;
    std::vector<Word> constants_;
    std::unordered_map<const VariantInfo*, Word> bare_variants_;
    std::unordered_map<const FunctionInfo*, NativeCall> natives_;
    std::unique_ptr<Stack> spare_stack_;
    Instant deadline_ = Instant::never();
    const VariantInfo* some_ = nullptr;
    const VariantInfo* none_ = nullptr;
    const VariantInfo* ok_ = nullptr;
    const VariantInfo* err_ = nullptr;
    const TypeInfo* promise_type_ = nullptr;  // once a Promise was made
};

// The items of a sequence, to be read before anything can change it: those of a list in place, else
// a copy.
class ItemsView {
public:
    ItemsView(Vm& vm, Word sequence) {
        if (is_list(sequence)) {
            all_ = static_cast<List*>(sequence.thing())->all();
        } else {
            copy_ = vm.items_of(sequence);
            all_ = copy_;
        }
    }
    ItemsView(const ItemsView&) = delete;
    ItemsView& operator=(const ItemsView&) = delete;
    [[nodiscard]] std::span<const Word> all() const noexcept { return all_; }

private:
    std::vector<Word> copy_;
    std::span<const Word> all_;
};

// Counts what a native function holds outside of the heap while it calls back into the program.
class HeldOutside {
public:
    HeldOutside(Vm& vm, std::uint64_t count, std::size_t size_bytes);
    ~HeldOutside() { vm_.heap.release_outside(bytes_); }
    HeldOutside(const HeldOutside&) = delete;
    HeldOutside& operator=(const HeldOutside&) = delete;

private:
    Vm& vm_;
    const std::size_t bytes_;
};

// Keeps words alive while a native function calls back into the program.
class Rooted {
public:
    explicit Rooted(Vm& vm) noexcept : vm_(vm), before_(vm.rooted.size()) {}
    ~Rooted() { vm_.rooted.resize(before_); }
    Rooted(const Rooted&) = delete;
    Rooted& operator=(const Rooted&) = delete;
    Word add(Word word) {
        vm_.rooted.push_back(word);
        return word;
    }
    void add(std::span<const Word> words) {
        vm_.rooted.insert(vm_.rooted.end(), words.begin(), words.end());
    }

private:
    Vm& vm_;
    std::size_t before_;
};

}  // namespace gyre::vela::vm
