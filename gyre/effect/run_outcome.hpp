// SPDX-License-Identifier: Apache-2.0
// RunOutcome<T>: how a run ended: with a value, failed with a RunError, or cancelled with a reason.
// Also here: the kinds of errors (docs/effect-errors.md explains each), and the exceptions.
//
//     RunOutcome<int> outcome = co_await run;
//     if (outcome.has_value()) use(outcome.value());
//     int value = std::move(outcome).take();            // or throws RunFailed or RunCancelled
//
// Thread: any; plain values.
// Lifetime: it owns its value, error or reason.
#pragma once

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "gyre/base/assert.hpp"
#include "gyre/base/failure.hpp"
#include "gyre/effect/value.hpp"
#include "gyre/task/core/cancel.hpp"
#include "gyre/task/core/outcome.hpp"

namespace gyre::effect {

enum class ErrorKind : std::uint8_t {
    unhandled_effect,  // no handler for the op
    handler_failed,    // the handler threw, or its future failed
    invalid_answer,    // resume, tail or end that the op's kind forbids
    guest_failed,      // the guest threw: a trap, or an exception of its own
    invalid_status,    // a step that is neither a value nor a request
    op_mismatch,       // a request that does not fit the guest's own table of ops
    invalid_request,   // a request without a continuation: it cannot be answered
    decode_failed,     // arguments or a value of another type than the op or the export says
    encode_failed,     // an answer of another type than the op says
    buffer_overflow,   // a payload above the limit
    unknown_export,    // the guest has no entry of that name
    stale_task,        // a capability that names no task, or was used before
    unobserved_task,   // an attached task failed and was not joined
    task_limit,        // more tasks in a run than allowed
    journal_mismatch,  // a replayed run made another request than the recorded one
    time_limit,        // the guest ran longer than allowed
    memory_limit,      // the guest wanted more memory than allowed
    stack_limit,       // the guest's calls were nested too deeply
    trap,              // the guest did what its engine forbids: see GuestTrap
    panic,             // the guest gave up, with a message of its own
};
[[nodiscard]] const char* name_of(ErrorKind kind) noexcept;

struct RunError {
    ErrorKind kind = ErrorKind::guest_failed;
    std::string message;
    std::exception_ptr cause;  // the exception, if there was one
};

// The message of an exception.
[[nodiscard]] std::string what_of(const std::exception_ptr& thrown);
// The error for an exception of a guest or a handler: the kind of a ProtocolError, else
// `otherwise`.
[[nodiscard]] RunError error_of(std::exception_ptr thrown, ErrorKind otherwise);

// A guest throws it to fail its run with an error of that kind.
class ProtocolError : public Failure {
public:
    ProtocolError(ErrorKind kind, const std::string& message) : Failure(message), kind_(kind) {}
    [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

private:
    ErrorKind kind_;
};

// A trap of a guest: what its engine refused, and where. The cause of an error of the kind trap,
// panic or stack_limit.
class GuestTrap : public ProtocolError {
public:
    struct Place {
        std::string code;          // `unreachable`, `integer divide by zero`
        std::string function;      // its name, or `function 12`
        std::uint64_t offset = 0;  // of the instruction, in the module
    };
    GuestTrap(ErrorKind kind, const std::string& message, Place place)
        : ProtocolError(kind, message), place_(std::move(place)) {}
    [[nodiscard]] const Place& place() const noexcept { return place_; }

private:
    Place place_;
};

class RunFailed : public Failure {
public:
    explicit RunFailed(RunError error) : Failure(error.message), error_(std::move(error)) {}
    [[nodiscard]] const RunError& error() const noexcept { return error_; }

private:
    RunError error_;
};

// Not a gyre::Cancelled: the run was cancelled, not the task that awaits it.
class RunCancelled : public Failure {
public:
    explicit RunCancelled(CancelReason reason)
        : Failure("the run was cancelled: " + reason.why), reason_(std::move(reason)) {}
    [[nodiscard]] const CancelReason& reason() const noexcept { return reason_; }

private:
    CancelReason reason_;
};

enum class RunEndKind : std::uint8_t { value, failed, cancelled };
[[nodiscard]] const char* name_of(RunEndKind kind) noexcept;

template <class T>
class [[nodiscard]] RunOutcome {
    using Stored = std::conditional_t<std::is_void_v<T>, Unit, T>;

public:
    explicit RunOutcome(Stored value) : end_(std::in_place_index<0>, std::move(value)) {}
    explicit RunOutcome(RunError error) : end_(std::in_place_index<1>, std::move(error)) {}
    explicit RunOutcome(CancelReason reason) : end_(std::in_place_index<2>, std::move(reason)) {}

    [[nodiscard]] RunEndKind kind() const noexcept { return static_cast<RunEndKind>(end_.index()); }
    [[nodiscard]] bool has_value() const noexcept { return kind() == RunEndKind::value; }

    // Only for the matching kind().
    [[nodiscard]] const Stored& value() const noexcept { return expect<0>(); }
    [[nodiscard]] const RunError& error() const noexcept { return expect<1>(); }
    [[nodiscard]] const CancelReason& reason() const noexcept { return expect<2>(); }

    // The value, or throws RunFailed or RunCancelled.
    T take() && {
        if (kind() == RunEndKind::failed) throw RunFailed(error());
        if (kind() == RunEndKind::cancelled) throw RunCancelled(reason());
        if constexpr (!std::is_void_v<T>) return std::move(*std::get_if<0>(&end_));
    }

private:
    template <std::size_t index>
    [[nodiscard]] const auto& expect() const noexcept {
        GYRE_ASSERT(end_.index() == index, "this run ended otherwise (%s): check kind() first",
                    name_of(kind()));
        return *std::get_if<index>(&end_);
    }

    std::variant<Stored, RunError, CancelReason> end_;
};

}  // namespace gyre::effect
