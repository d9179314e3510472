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

struct CallFrame {
    const Function* function;
    Slot* registers;   // of this call
    Frame* frame;      // of an async body, or null
    const Insn* back;  // where the caller goes on
    Operand to;        // the caller's register for the result
    bool is_entry;     // its end leaves the interpreter
};

// The calls that run, and the registers of the plain ones. Pages that are not used are not touched.
struct Stack {
    explicit Stack(std::size_t depth_max);
    void trace(Marker& marker) const;
    [[nodiscard]] bool has_room(const Function& function) const noexcept {
        return last + 1 < limit && top + function.register_count() <= end;
    }

    std::unique_ptr<Slot[]> slots;
    std::unique_ptr<CallFrame[]> calls;
    Slot* top;
    Slot* end;
    CallFrame* last;  // the innermost; before the first if there is none
    CallFrame* limit;
};

class Tasks;

// A method that a call has found before.
struct MethodEntry {
    const Shape* shape = nullptr;
    const FunctionInfo* wanted = nullptr;
    Target target;
};

class Vm final : private Linker {
public:
    Vm(const Lowered& of, const MachineOptions& with, RunHost& outside, NativeLibraries libraries);
    ~Vm();
    Vm(const Vm&) = delete;
    Vm& operator=(const Vm&) = delete;

    const Program& program;
    const Lowered& lowered;
    const MachineOptions options;
    RunHost& host;
    Heap heap;
    Tasks* tasks = nullptr;
    Random random;

    // Empty after success; else why the program cannot be assembled.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
    [[nodiscard]] const Assembled& assembled() const noexcept { return *assembled_; }

    // ---- running
    // A lazy Future, or an AsyncIterator, of an async function; a Frame for a plain one too.
    [[nodiscard]] Frame* make_frame(const Function& function, std::span<const Word> args);
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
    [[nodiscard]] Word copied(Word value);
    // A list as the Queue or Set that is wanted.
    [[nodiscard]] Word fitted(Word value, const TypeInfo* wanted);
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
    // Called every `back_edges_max` back edges and calls, and when the heap has grown. True if the
    // running body should be interrupted, so that other tasks run.
    [[nodiscard]] bool safepoint();
    void collect();
    void check_memory();

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
    VelaTask* running = nullptr;  // the innermost, if one starts another at once
    std::vector<Word> rooted;
    Word error_of_stack;  // the last error that was thrown, and its stack
    std::string stack_of_error;

private:
    friend class Rooted;
    Word text(const std::string& of) override;
    NativeCall native(const FunctionInfo& function) override;
    Step run_from(const Insn* next);
    void mark_roots(Marker& marker);

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
