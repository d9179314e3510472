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
#include "lang/wasm/internal/store.hpp"

namespace gyre::wasm {

using effect::Arguments;
using effect::Continuation;
using effect::ErrorKind;
using effect::ProtocolError;
using effect::Step;
using effect::StepStatus;
using effect::TaskHost;
using effect::Value;

WasmGuest::Session::Session(WasmGuest& guest, effect::RunId run) noexcept
    : guest_(guest), program_(*guest.program_), options_(guest.options_), run_(run) {}

WasmGuest::Session::~Session() {
    GYRE_ASSERT(store_ == nullptr || store_->active.session != this,
                "a session ends outside of its calls");
}

Step WasmGuest::Session::start(std::string_view entry, Arguments arguments, TaskHost& tasks) {
    join_store(entry);
    return enter(make_root(entry, std::move(arguments)), Entering::begin, {}, tasks);
}

Step WasmGuest::Session::resume(std::unique_ptr<Strand> strand, Value answer, TaskHost& tasks) {
    if (strand->is_in_call) {
        return enter(std::move(strand), Entering::go_on, std::move(answer), tasks);
    }
    if (const Entering waiting = std::exchange(strand->waiting, Entering::nothing);
        waiting != Entering::nothing) {
        Value value = std::move(strand->waiting_value);
        return enter(std::move(strand), waiting, std::move(value), tasks);
    }
    const Entering how = strand->request != 0 ? Entering::answer : Entering::begin;
    return enter(std::move(strand), how, std::move(answer), tasks);
}

Step WasmGuest::Session::end(std::unique_ptr<Strand> strand, Value value, TaskHost& tasks) {
    return enter(std::move(strand), Entering::end, std::move(value), tasks);
}

// Every call into the module is inside of this. After an exception the strand is gone, and its references
// with it; a trap may have left a message.
Step WasmGuest::Session::enter(std::unique_ptr<Strand> strand, Entering how, Value value,
                               TaskHost& tasks) {
    GYRE_ASSERT(store_->active.session == nullptr, "a store is inside one call at a time");
    if (store_->inside != nullptr && store_->inside != strand.get()) {
        if (store_->inside->asked != nullptr) {
            throw ProtocolError(ErrorKind::guest_failed, "the module waits inside of " +
                                                             store_->inside->asked->name() +
                                                             ": no other task may enter its store");
        }
        strand->waiting = how;
        strand->waiting_value = std::move(value);
        return preempted(std::move(strand));
    }
    Strand& at = *strand;
    Instance& instance = store_->instance();
    store_->active = {.tasks = &tasks, .session = this, .strand = &at};
    store_->inside = nullptr;
    instance.set_time_used(time_used_);
    const ScopeExit leave([this, &instance] {
        time_used_ = instance.time_used();
        store_->active = {};
        if (store_->inside == nullptr)
            store_->release_late();  // a call that went on may have trapped
    });
    try {
        Progress progress = Progress::done;
        switch (how) {
            case Entering::nothing:
            case Entering::begin:
                progress = store_->is_set_up() ? begin_function(at) : instance.begin();
                break;
            case Entering::go_on:
                at.is_in_call = false;
                at.asked = nullptr;
                at.import_answer = std::move(value);
                progress = instance.go_on();
                break;
            case Entering::answer:
                progress = begin_answer(at, value);
                break;
            case Entering::end:
                if (auto step = begin_end(strand, progress, std::move(value))) {
                    return std::move(*step);
                }
                break;
        }
        return drive(std::move(strand), progress);
    } catch (const effect::GuestTrap&) {
        guest_.forget_broken(*store_);
        store_->rethrow_with_panic(std::current_exception());
    } catch (...) {
        guest_.forget_broken(*store_);
        throw;
    }
}

Step WasmGuest::Session::preempted(std::unique_ptr<Strand> strand) {
    Step step;
    step.status = StepStatus::preempted;
    step.continuation = reinterpret_cast<Continuation>(strand.release());
    return step;
}

// The request of an import that a handler answers.
Step WasmGuest::Session::asking(std::unique_ptr<Strand> strand) {
    Step step;
    step.status = StepStatus::effect;
    step.op = strand->asked;
    step.kind = effect::ResumeKind::tail;
    step.arguments = std::move(strand->asked_arguments);
    step.continuation = reinterpret_cast<Continuation>(strand.release());
    return step;
}

// The value of a handler becomes that of the strand. A step: nothing of the module takes part.
std::optional<Step> WasmGuest::Session::begin_end(std::unique_ptr<Strand>& strand,
                                                  Progress& progress, Value value) {
    Strand& at = *strand;
    if (!store_->functions().has_end_raw) {
        strand.reset();
        Step step;
        step.value = std::move(value);
        return step;
    }
    reserve_lent_buffer(at);
    scratch_.clear();
    write_outcome(scratch_, at.op_index,
                  at.result != nullptr ? at.result->fingerprint() : at.result_fingerprint,
                  at.result, value, "typed export " + at.name + " arg0");
    write_frame(at);
    const std::array arguments{cell_of(at.request), cell(static_cast<int>(at.buffer)),
                               cell(static_cast<int>(at.frame_size))};
    at.phase = Phase::entry;
    progress = begin_call(at, store_->functions().end_raw, arguments);
    release(std::exchange(at.request, 0));
    return std::nullopt;
}

WasmGuest::Session::Strand::~Strand() {
    Store& store = *session.store_;
    if (is_in_call) {
        store.inside = nullptr;
        store.instance().abandon();
        store.release_late();
    }
    store.callbacks().end_task(callback_scopes);
    store.release(outcome);
    store.release(request);
    for (const Cell& one : starter_arguments) {
        if (one.kind == CellKind::ref) store.release(one.ref);
    }
    if (buffer_size > 0) store.free({.at = buffer, .size = buffer_size});
}

void WasmGuest::Session::release(Ref reference) noexcept {
    store_->release(reference);
}

// Until a call has ended nothing else may touch the instance.
Progress WasmGuest::Session::begin_call(Strand& strand, Instance::Function function,
                                        std::span<const Cell> arguments) {
    const Progress progress = store_->instance().begin_call(function, arguments);
    if (progress != Progress::done) store_->inside = &strand;
    return progress;
}
Progress WasmGuest::Session::begin_call(Strand& strand, const std::string& name,
                                        std::span<const Cell> arguments) {
    return begin_call(strand, store_->need(name), arguments);
}

// Goes on until the strand must leave the module.
Step WasmGuest::Session::drive(std::unique_ptr<Strand> strand, Progress progress) {
    for (;;) {
        if (progress != Progress::done) {
            strand->is_in_call = true;
            store_->inside = strand.get();
            return progress == Progress::waiting ? asking(std::move(strand))
                                                 : preempted(std::move(strand));
        }
        store_->inside = nullptr;
        store_->release_late();
        if (std::optional<Step> step = after_call(strand, progress)) return std::move(*step);
    }
}

std::optional<Step> WasmGuest::Session::after_call(std::unique_ptr<Strand>& strand,
                                                   Progress& progress) {
    Strand& at = *strand;
    switch (at.phase) {
        case Phase::instantiate:
            store_->set_up();
            progress = begin_function(at);
            return std::nullopt;
        case Phase::entry:
            at.outcome = ref_of(only_result());
            progress = begin_encoding(at);
            return std::nullopt;
        case Phase::encode:
        case Phase::framed:
            return take_result(strand, progress, ref_of(only_result()));
        case Phase::serialized:
            return take_serialized(at);
        case Phase::direct:
            return take_direct(at);
    }
    return std::nullopt;
}

// The first call of a strand: the exported function, a callback, or the starter of a task.
Progress WasmGuest::Session::begin_function(Strand& strand) {
    if (strand.kind == Strand::Kind::task) return begin_starter(strand);
    if (strand.kind == Strand::Kind::callback) return begin_callback(strand);
    const ExportedFunction& function = *strand.function;
    if (function.kind == ExportedFunction::Kind::direct) return begin_direct(strand);
    const bool is_pure = function.kind == ExportedFunction::Kind::serialized;
    const bool is_first = program_.generation() == Generation::first;
    if (is_first && !is_pure) {
        if (!strand.arguments.empty()) {
            throw ProtocolError(
                ErrorKind::decode_failed,
                "an effectful function of the first generation takes no arguments: " +
                    function.name);
        }
        strand.phase = Phase::framed;
        reserve_buffer(strand, store_->buffer_size());
        const std::array arguments{cell(static_cast<int>(strand.buffer)),
                                   cell(static_cast<int>(strand.buffer_size))};
        return begin_call(strand, function.target, arguments);
    }
    scratch_.clear();
    if (is_first) {
        write_bare_arguments(scratch_, strand.arguments);
    } else {
        write_invocation(scratch_, function, strand.arguments);
    }
    if (is_pure) {
        strand.phase = Phase::serialized;
    } else {
        strand.phase = function.is_raw ? Phase::entry : Phase::framed;
        reserve_buffer(strand, store_->buffer_size());
    }
    write_frame(strand);
    const std::size_t out = is_pure ? store_->buffer_size() : strand.buffer;
    const std::size_t capacity = is_pure ? store_->buffer_size() : strand.buffer_size;
    const std::array arguments{cell(static_cast<int>(strand.buffer)),
                               cell(static_cast<int>(strand.frame_size)),
                               cell(static_cast<int>(out)), cell(static_cast<int>(capacity))};
    return begin_call(strand, function.target, arguments);
}

// A callback that may perform effects is called by its raw export, another one with places for both frames.
Progress WasmGuest::Session::begin_callback(Strand& strand) {
    const Callback* callback = store_->callbacks().find(strand.callback);
    const CallbackType* type = program_.callback(strand.name);
    if (callback == nullptr || type == nullptr) {
        throw ProtocolError(ErrorKind::unknown_export,
                            "a retained callback is stale or has already completed");
    }
    scratch_.clear();
    write_callback_invocation(scratch_, strand.completion_id, *type, strand.arguments);
    const std::string raw = strand.name + "_effectful_raw";
    const bool is_raw = program_.has_raw_path() && store_->instance().find(raw).has_value();
    strand.phase = is_raw ? Phase::entry : Phase::serialized;
    if (is_raw) reserve_buffer(strand, store_->buffer_size());
    write_frame(strand);
    const std::size_t out = is_raw ? 0 : store_->buffer_size();
    const std::size_t capacity = is_raw ? 0 : store_->buffer_size();
    const std::array arguments{cell_of(callback->reference), cell(static_cast<int>(strand.buffer)),
                               cell(static_cast<int>(strand.frame_size)),
                               cell(static_cast<int>(out)), cell(static_cast<int>(capacity))};
    return begin_call(strand, is_raw ? raw : strand.name, arguments);
}

Progress WasmGuest::Session::begin_starter(Strand& strand) {
    strand.phase = Phase::entry;
    reserve_buffer(strand, store_->buffer_size());
    const Progress progress = begin_call(strand, strand.name, strand.starter_arguments);
    for (const Cell& one : strand.starter_arguments) {
        if (one.kind == CellKind::ref) release(one.ref);
    }
    strand.starter_arguments.clear();
    return progress;
}

Progress WasmGuest::Session::begin_encoding(Strand& strand) {
    if (!store_->functions().has_raw) {
        throw ProtocolError(ErrorKind::unknown_export, "the module has no export handle_outcome");
    }
    strand.phase = Phase::encode;
    const bool is_export = strand.kind == Strand::Kind::function;
    const std::array arguments{cell_of(strand.outcome), cell(static_cast<int>(strand.buffer)),
                               cell(static_cast<int>(strand.buffer_size)), cell(is_export ? 0 : 1),
                               cell(static_cast<int>(strand.completion_id))};
    return begin_call(strand, store_->functions().encode, arguments);
}

// The request belongs to the module after this: each is continued once.
Progress WasmGuest::Session::begin_answer(Strand& strand, const Value& answer) {
    reserve_lent_buffer(strand);
    scratch_.clear();
    if (program_.generation() == Generation::first) {
        write_bare_value(scratch_, answer, program_.entry(strand.op_index).answers_wide);
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
    const Store::Functions& functions = store_->functions();
    Progress progress{};
    strand.phase = strand.is_raw ? Phase::entry : Phase::framed;
    if (strand.is_raw) {
        progress = begin_call(strand, functions.resume_raw, std::array{request, at, size});
    } else if (program_.generation() == Generation::first) {
        progress = begin_call(strand, functions.resume, std::array{request, at, size, capacity});
    } else {
        progress = begin_call(strand, functions.resume,
                              std::array{request, at, size, capacity, cell(0),
                                         cell(static_cast<int>(strand.completion_id))});
    }
    release(std::exchange(strand.request, 0));
    return progress;
}

}  // namespace gyre::wasm
