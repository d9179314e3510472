// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/internal/session.hpp"

#include <array>
#include <exception>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/effect/run_outcome.hpp"
#include "lang/wasm/internal/effect_table.hpp"
#include "lang/wasm/internal/schema.hpp"

namespace gyre::wasm {

using effect::Arguments;
using effect::Continuation;
using effect::ErrorKind;
using effect::ProtocolError;
using effect::Step;
using effect::StepStatus;
using effect::TaskHost;
using effect::Value;

WasmGuest::WasmGuest(std::shared_ptr<const Program> program, GuestOptions options)
    : program_(std::move(program)), options_(std::move(options)) {
    GYRE_ASSERT(program_ != nullptr, "a guest needs a program");
}
WasmGuest::~WasmGuest() {
    GYRE_ASSERT(runs_.empty(), "a guest outlives its runs");
}

void WasmGuest::begin_run(effect::RunId run) {
    runs_.emplace(run, std::make_unique<Session>(*program_, options_, run));
}
void WasmGuest::end_run(effect::RunId run) noexcept {
    runs_.erase(run);
}

Step WasmGuest::start(std::string_view entry, Arguments arguments, TaskHost& tasks) {
    return runs_.at(tasks.run())->start(entry, std::move(arguments), tasks);
}
Step WasmGuest::resume(Continuation at, Value answer, TaskHost& tasks) {
    std::unique_ptr<Session::Strand> strand(reinterpret_cast<Session::Strand*>(at));
    Session& session = strand->session;
    return session.resume(std::move(strand), std::move(answer), tasks);
}
Step WasmGuest::end(Continuation at, Value value, TaskHost& tasks) {
    std::unique_ptr<Session::Strand> strand(reinterpret_cast<Session::Strand*>(at));
    Session& session = strand->session;
    return session.end(std::move(strand), std::move(value), tasks);
}
void WasmGuest::release(Continuation at) noexcept {
    delete reinterpret_cast<Session::Strand*>(at);
}
void WasmGuest::drop(effect::Held value) noexcept {
    const std::unique_ptr<Session::HeldRef> held(reinterpret_cast<Session::HeldRef*>(value));
    held->session.release(held->reference);
}

// Every call into the module is inside of this. After an exception the strand is gone, and its references
// with it; a trap may have left a message.
template <class Call>
Step WasmGuest::Session::guarded(TaskHost& tasks, Call call) {
    GYRE_ASSERT(tasks_ == nullptr, "a session is inside one call at a time");
    tasks_ = &tasks;
    const ScopeExit leave([this] { tasks_ = nullptr; });
    try {
        return call();
    } catch (const effect::GuestTrap&) {
        is_inside_ = false;
        rethrow_with_panic(std::current_exception());
    } catch (...) {
        is_inside_ = false;
        throw;
    }
    return {};
}

Step WasmGuest::Session::start(std::string_view entry, Arguments arguments, TaskHost& tasks) {
    return guarded(tasks, [&] {
        auto strand = std::make_unique<Strand>(*this);
        strand->function = program_.find(entry);
        if (strand->function == nullptr) {
            throw ProtocolError(ErrorKind::unknown_export,
                                "the module exports no function " + std::string(entry));
        }
        strand->arguments = std::move(arguments);
        const Progress progress = instance_->begin();
        return drive(std::move(strand), progress);
    });
}

Step WasmGuest::Session::resume(std::unique_ptr<Strand> strand, Value answer, TaskHost& tasks) {
    return guarded(tasks, [&] {
        Strand& at = *strand;
        Progress progress{};
        if (std::exchange(at.was_preempted, false)) {
            progress = instance_->go_on();
        } else if (at.request != 0) {
            progress = begin_answer(at, answer);
        } else {
            progress = begin_function(at);
        }
        return drive(std::move(strand), progress);
    });
}

Step WasmGuest::Session::end(std::unique_ptr<Strand> strand, Value value, TaskHost& tasks) {
    return guarded(tasks, [&]() -> Step {
        Strand& at = *strand;
        if (!functions_.has_end_raw) {  // The value as it is: nothing encodes it.
            strand.reset();
            Step step;
            step.value = std::move(value);
            return step;
        }
        const Schema* schema =
            at.task == 1 ? at.function->result.get() : program_.task_result(at.starter);
        const std::string& name = at.task == 1 ? at.function->name : at.starter;
        scratch_.clear();
        write_outcome(scratch_, at.op_index,
                      schema != nullptr ? schema->fingerprint() : at.result_fingerprint, schema,
                      value, "typed export " + name + " arg0");
        write_frame(at);
        const std::array arguments{cell_of(at.request), cell(static_cast<int>(at.buffer)),
                                   cell(static_cast<int>(at.frame_size))};
        at.phase = Phase::entry;
        const Progress progress = begin_call(functions_.end_raw, arguments);
        release(std::exchange(at.request, 0));
        return drive(std::move(strand), progress);
    });
}

WasmGuest::Session::Strand::~Strand() {
    if (was_preempted) {
        session.is_inside_ = false;
        session.instance_->abandon();
    }
    session.release(outcome);
    session.release(request);
    for (const Cell& one : starter_arguments) {
        if (one.kind == CellKind::ref) session.release(one.ref);
    }
    if (buffer_size > 0) session.free_buffers_.emplace_back(buffer, buffer_size);
}

Progress WasmGuest::Session::begin_call(Instance::Function function,
                                        std::span<const Cell> arguments) {
    const Progress progress = instance_->begin_call(function, arguments);
    is_inside_ = progress == Progress::preempted;
    return progress;
}

// While a call is preempted nothing else may touch the instance.
void WasmGuest::Session::release(Ref reference) noexcept {
    if (reference == 0) return;
    if (is_inside_) {
        released_.push_back(reference);
    } else {
        instance_->release(reference);
    }
}

// Goes on until the strand must leave the module.
Step WasmGuest::Session::drive(std::unique_ptr<Strand> strand, Progress progress) {
    for (;;) {
        is_inside_ = progress == Progress::preempted;
        if (is_inside_) {
            Step step;
            step.status = StepStatus::preempted;
            strand->was_preempted = true;
            step.continuation = reinterpret_cast<Continuation>(strand.release());
            return step;
        }
        while (!released_.empty()) {
            instance_->release(released_.back());
            released_.pop_back();
        }
        if (std::optional<Step> step = after_call(strand, progress)) return std::move(*step);
    }
}

std::optional<Step> WasmGuest::Session::after_call(std::unique_ptr<Strand>& strand,
                                                   Progress& progress) {
    Strand& at = *strand;
    switch (at.phase) {
        case Phase::instantiate:
            set_up();
            progress = begin_function(at);
            return std::nullopt;
        case Phase::entry:
            at.outcome = ref_of(instance_->result(0));
            progress = begin_encoding(at);
            return std::nullopt;
        case Phase::encode:
        case Phase::framed:
            return take_result(strand, progress, ref_of(instance_->result(0)));
        case Phase::serialized:
            return take_serialized(at);
        case Phase::direct:
            return take_direct(at);
    }
    return std::nullopt;
}

// The first call of a strand: the exported function, or the starter of a task.
Progress WasmGuest::Session::begin_function(Strand& strand) {
    if (strand.task != 1) {
        strand.phase = Phase::entry;
        reserve_buffer(strand, buffer_size_);
        const Progress progress = begin_call(need(strand.starter), strand.starter_arguments);
        for (const Cell& one : strand.starter_arguments) {
            if (one.kind == CellKind::ref) release(one.ref);
        }
        strand.starter_arguments.clear();
        return progress;
    }
    const ExportedFunction& function = *strand.function;
    if (function.kind == ExportedFunction::Kind::direct) return begin_direct(strand);
    if (program_.generation() == Generation::first) {
        if (!strand.arguments.empty()) {
            throw ProtocolError(
                ErrorKind::decode_failed,
                "an effectful function of the first generation takes no arguments: " +
                    function.name);
        }
        strand.phase = Phase::framed;
        reserve_buffer(strand, buffer_size_);
        const std::array arguments{cell(static_cast<int>(strand.buffer)),
                                   cell(static_cast<int>(strand.buffer_size))};
        return begin_call(need(function.target), arguments);
    }
    scratch_.clear();
    write_invocation(scratch_, function, strand.arguments);
    std::size_t out = 0;
    if (function.kind == ExportedFunction::Kind::serialized) {
        strand.phase = Phase::serialized;
        strand.buffer = 0;  // the places for functions without effects
        strand.buffer_size = 0;
        out = buffer_size_;
        write_frame(strand);
    } else {
        strand.phase = function.is_raw ? Phase::entry : Phase::framed;
        reserve_buffer(strand, buffer_size_);
        write_frame(strand);
        out = strand.buffer;
    }
    const std::size_t capacity = strand.buffer_size > 0 ? strand.buffer_size : buffer_size_;
    const std::array arguments{cell(static_cast<int>(strand.buffer)),
                               cell(static_cast<int>(strand.frame_size)),
                               cell(static_cast<int>(out)), cell(static_cast<int>(capacity))};
    return begin_call(need(function.target), arguments);
}

Progress WasmGuest::Session::begin_encoding(Strand& strand) {
    strand.phase = Phase::encode;
    const bool is_root = strand.task == 1;
    const std::array arguments{cell_of(strand.outcome), cell(static_cast<int>(strand.buffer)),
                               cell(static_cast<int>(strand.buffer_size)), cell(is_root ? 0 : 1),
                               cell(static_cast<int>(is_root ? strand.function->id : strand.task))};
    return begin_call(functions_.encode, arguments);
}

// The request belongs to the module after this: each is continued once.
Progress WasmGuest::Session::begin_answer(Strand& strand, const Value& answer) {
    scratch_.clear();
    if (program_.generation() == Generation::first) {
        write_bare_value(scratch_, answer);
    } else {
        const EffectOp& entry = program_.entry(strand.op_index);
        write_outcome(scratch_, strand.op_index, strand.result_fingerprint,
                      program_.types(strand.op_index).result.get(), answer, entry.answer_path);
    }
    write_frame(strand);
    const Cell request = cell_of(strand.request);
    const Cell at = cell(static_cast<int>(strand.buffer));
    const Cell size = cell(static_cast<int>(strand.frame_size));
    const Cell capacity = cell(static_cast<int>(strand.buffer_size));
    Progress progress{};
    const bool is_raw = strand.task != 1 || strand.function->is_raw;
    strand.phase = is_raw ? Phase::entry : Phase::framed;
    if (is_raw) {
        progress = begin_call(functions_.resume_raw, std::array{request, at, size});
    } else if (program_.generation() == Generation::first) {
        progress = begin_call(functions_.resume, std::array{request, at, size, capacity});
    } else {
        progress =
            begin_call(functions_.resume, std::array{request, at, size, capacity, cell(0),
                                                     cell(static_cast<int>(strand.function->id))});
    }
    release(std::exchange(strand.request, 0));
    return progress;
}

}  // namespace gyre::wasm
