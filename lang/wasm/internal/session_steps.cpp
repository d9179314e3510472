// SPDX-License-Identifier: Apache-2.0
// What a call into a module has returned, as a step for the scheduler.
#include <array>
#include <utility>

#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/effect/run_outcome.hpp"
#include "lang/wasm/internal/effect_table.hpp"
#include "lang/wasm/internal/schema.hpp"
#include "lang/wasm/internal/session.hpp"
#include "lang/wasm/internal/store.hpp"

namespace gyre::wasm {

using effect::Continuation;
using effect::ErrorKind;
using effect::ProtocolError;
using effect::Step;
using effect::StepStatus;
using effect::Value;

namespace {

constexpr std::int32_t status_value = 0;
constexpr std::int32_t status_effect = 1;
// The ops of tasks inside a run.
constexpr std::uint32_t task_wait = 0;
constexpr std::uint32_t task_yield = 1;
constexpr std::uint32_t task_failure_message = 2;

// What a function of the first generation returns.
Value bare_value(std::string_view frame, effect::MessagePackLimits limits) {
    auto value = effect::decode_msgpack(frame, limits);
    if (!value) throw ProtocolError(ErrorKind::decode_failed, "value: " + value.error().message);
    return std::move(*value);
}

effect::Capability capability_of(const effect::Arguments& arguments) {
    if (arguments.size() != 1 || !arguments[0].is(Value::Kind::integer)) {
        throw ProtocolError(ErrorKind::decode_failed, "a task is named by one number");
    }
    return static_cast<effect::Capability>(arguments[0].integer());
}

}  // namespace

// A module may export a function of the protocol's name that returns something else.
Ref WasmGuest::Session::ref_of(const Cell& result) {
    if (result.kind != CellKind::ref) {
        throw ProtocolError(ErrorKind::unknown_export,
                            "an export of the protocol returns no reference");
    }
    return result.ref;
}

Cell WasmGuest::Session::only_result() {
    Instance& instance = store_->instance();
    const std::size_t count = instance.result_count();
    if (count == 1) return instance.result(0);
    for (std::size_t i = 0; i < count; ++i) {
        if (const Cell result = instance.result(i); result.kind == CellKind::ref) {
            release(result.ref);
        }
    }
    throw ProtocolError(
        ErrorKind::unknown_export,
        "an export of the protocol returns " + std::to_string(count) + " values instead of one");
}

Ref WasmGuest::Session::call_for_ref(Instance::Function function, Ref argument) {
    return ref_of(store_->instance().call(function, std::array{cell_of(argument)}));
}
std::int32_t WasmGuest::Session::call_for_number(Instance::Function function, Ref argument) {
    const Cell result = store_->instance().call(function, std::array{cell_of(argument)});
    if (result.kind == CellKind::ref) release(result.ref);
    if (result.kind != CellKind::i32) {
        throw ProtocolError(ErrorKind::unknown_export,
                            "an export of the protocol returns no number");
    }
    return result.i32;
}

std::optional<Step> WasmGuest::Session::take_result(std::unique_ptr<Strand>& strand,
                                                    Progress& progress, Ref result) {
    Strand& at = *strand;
    const ScopeExit leave([this, result] { release(result); });  // also after a trap of these calls
    const std::int32_t status = call_for_number(store_->functions().status, result);
    const std::int32_t length = call_for_number(store_->functions().length, result);
    if (status == status_effect)
        at.request = call_for_ref(store_->functions().continuation, result);
    if (status != status_value && status != status_effect) {
        throw ProtocolError(ErrorKind::invalid_status,
                            "effect_status is " + std::to_string(status));
    }
    const bool fits = length > 0 && static_cast<std::size_t>(length) <= at.buffer_size;
    if (!fits) {
        // Only an outcome that is there can be encoded once more.
        const bool may_grow =
            length == -1 && at.outcome != 0 && at.buffer_size < options_.buffer_max_bytes;
        if (!may_grow) {
            throw ProtocolError(
                ErrorKind::buffer_overflow,
                "a frame of the module does not fit into buffer_max_bytes (length " +
                    std::to_string(length) + ")");
        }
        release(std::exchange(at.request, 0));
        reserve_buffer(at, 4 * at.buffer_size);
        progress = begin_encoding(at);
        return std::nullopt;
    }
    const std::string_view frame = store_->memory_at(at.buffer, static_cast<std::size_t>(length));
    if (options_.on_frame) options_.on_frame(FrameDirection::out_of_guest, frame);
    if (status == status_value) return take_value(at, frame);
    release(std::exchange(at.outcome, 0));
    return take_request(strand, progress, frame);
}

std::optional<Step> WasmGuest::Session::take_request(std::unique_ptr<Strand>& strand,
                                                     Progress& progress, std::string_view frame) {
    Strand& at = *strand;
    const effect::MessagePackLimits limits = frame_limits(options_.buffer_max_bytes);
    EffectRequest request = program_.generation() == Generation::first
                                ? read_bare_request(program_, frame, limits)
                                : read_request(program_, frame, limits);
    if (at.request == 0) {
        throw ProtocolError(ErrorKind::invalid_request, "a request without a continuation");
    }
    at.op_index = request.op_index;
    at.result_fingerprint = request.result_fingerprint;
    Step step;
    const EffectOp& entry = program_.entry(request.op_index);
    if (!program_.is_task_op(request.op_index)) {
        step.status = StepStatus::effect;
        step.op = &guest_.ops_[request.op_index];
        step.kind = step.op->kind;
        step.arguments = std::move(request.arguments);
    } else if (entry.op_id == task_wait) {
        step.status = StepStatus::wait;
        step.capability = capability_of(request.arguments);
    } else if (entry.op_id == task_yield) {
        step.status = StepStatus::yield;
    } else if (entry.op_id == task_failure_message) {
        progress = begin_answer(
            at, store_->active.tasks->failure_message(capability_of(request.arguments)));
        return std::nullopt;
    } else {
        throw ProtocolError(ErrorKind::op_mismatch, "an unknown op of tasks: " + entry.label);
    }
    lend_buffer(at);
    step.continuation = reinterpret_cast<Continuation>(strand.release());
    return step;
}

// A task keeps its outcome: the module itself takes it when the task is joined.
Step WasmGuest::Session::take_value(Strand& strand, std::string_view frame) {
    const effect::MessagePackLimits limits = frame_limits(options_.buffer_max_bytes);
    Step step;
    if (program_.generation() == Generation::first) {
        step.value = bare_value(frame, limits);
    } else {
        const bool is_export = strand.kind == Strand::Kind::function;
        const FrameTag tag =
            is_export ? FrameTag::export_completion : FrameTag::callback_completion;
        step.value =
            read_completion(frame, tag, strand.completion_id, strand.result, strand.name, limits);
        if (strand.kind == Strand::Kind::task) {
            step.held = reinterpret_cast<effect::Held>(
                new HeldRef{*this, std::exchange(strand.outcome, 0)});
        }
    }
    return step;
}

Step WasmGuest::Session::take_serialized(Strand& strand) {
    const Cell result = only_result();
    if (result.kind == CellKind::ref) release(result.ref);
    const std::int32_t written = result.kind == CellKind::i32 ? result.i32 : -1;
    const bool is_callback = strand.kind == Strand::Kind::callback;
    constexpr std::int32_t nothing_written = -2;
    if (is_callback && written == nothing_written &&
        store_->instance().find(strand.name + "_returns_void")) {
        return {};
    }
    const std::size_t size = store_->buffer_size();
    if (written < 0 || static_cast<std::size_t>(written) > size) {
        throw ProtocolError(ErrorKind::buffer_overflow,
                            "serialized export " + strand.name +
                                " result does not fit into buffer_size_bytes (" +
                                std::to_string(size) + ")");
    }
    const std::string_view frame = store_->memory_at(size, static_cast<std::size_t>(written));
    if (options_.on_frame) options_.on_frame(FrameDirection::out_of_guest, frame);
    const FrameTag tag = is_callback ? FrameTag::callback_completion : FrameTag::export_completion;
    const effect::MessagePackLimits limits = frame_limits(options_.buffer_max_bytes);
    Step step;
    step.value =
        program_.generation() == Generation::first
            ? bare_value(frame, limits)
            : read_completion(frame, tag, strand.completion_id, strand.result, strand.name, limits);
    return step;
}

namespace {

Cell cell_for(CellKind kind, const Value& value, const std::string& function) {
    Cell made;
    made.kind = kind;
    const bool is_integer = value.is(Value::Kind::integer);
    const bool is_number = is_integer || value.is(Value::Kind::real);
    const double real = is_integer                    ? static_cast<double>(value.integer())
                        : value.is(Value::Kind::real) ? value.real()
                                                      : 0;
    if (kind == CellKind::i32 && is_integer && value.integer() >= INT32_MIN &&
        value.integer() <= UINT32_MAX) {
        made.i32 = static_cast<std::int32_t>(value.integer());
    } else if (kind == CellKind::i32 && value.is(Value::Kind::boolean)) {
        made.i32 = value.boolean() ? 1 : 0;
    } else if (kind == CellKind::i64 && is_integer) {
        made.i64 = value.integer();
    } else if (kind == CellKind::f32 && is_number) {
        made.f32 = static_cast<float>(real);
    } else if (kind == CellKind::f64 && is_number) {
        made.f64 = real;
    } else {
        throw ProtocolError(ErrorKind::decode_failed,
                            function + " cannot be called with " + value.to_text());
    }
    return made;
}

Value value_of(const Cell& from, const std::string& function) {
    switch (from.kind) {
        case CellKind::i32:
            return from.i32;
        case CellKind::i64:
            return from.i64;
        case CellKind::f32:
            return static_cast<double>(from.f32);
        case CellKind::f64:
            return from.f64;
        default:
            break;
    }
    throw ProtocolError(ErrorKind::encode_failed,
                        function + " returns a reference, which stays in its instance");
}

}  // namespace

// As for a function that is called with a frame, which is not sent.
void WasmGuest::Session::check_direct(const Strand& strand) {
    scratch_.clear();
    write_invocation(scratch_, *strand.function, strand.arguments);
}

Progress WasmGuest::Session::begin_direct(Strand& strand) {
    const ExportedFunction& function = *strand.function;
    if (function.has_types) check_direct(strand);
    if (function.param_kinds.size() != strand.arguments.size()) {
        throw ProtocolError(ErrorKind::decode_failed, function.to_text() + " was called with " +
                                                          std::to_string(strand.arguments.size()) +
                                                          " arguments");
    }
    std::vector<Cell> arguments;
    for (std::size_t i = 0; i < function.param_kinds.size(); ++i) {
        arguments.push_back(
            cell_for(function.param_kinds[i], strand.arguments[i], function.to_text()));
    }
    strand.phase = Phase::direct;
    return begin_call(strand, function.target, arguments);
}

Step WasmGuest::Session::take_direct(const Strand& strand) {
    const ExportedFunction& function = *strand.function;
    std::vector<Cell> results;
    for (std::size_t i = 0; i < store_->instance().result_count(); ++i) {
        results.push_back(store_->instance().result(i));
        if (results.back().kind == CellKind::ref) release(results.back().ref);
    }
    Value::List values;
    for (const Cell& result : results) values.push_back(value_of(result, function.to_text()));
    Step step;
    const bool is_boolean = strand.result != nullptr && strand.result->is(Schema::Kind::boolean);
    if (values.size() == 1) {
        const bool is_truth = is_boolean && values[0].is(Value::Kind::integer);
        step.value = is_truth ? Value(values[0].integer() != 0) : std::move(values[0]);
    } else if (!values.empty()) {
        step.value = Value(std::move(values));
    }
    return step;
}

}  // namespace gyre::wasm
