// SPDX-License-Identifier: Apache-2.0
// The errors of a guest or handler that breaks the protocol of steps and answers. Out of line, to
// keep them out of the code of a step. Any thread; nothing is kept.
#pragma once

#include <cstddef>
#include <string>

#include "gyre/effect/scheduler.hpp"

namespace gyre::effect {

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_bare_request() {
    throw ProtocolError(ErrorKind::invalid_request, "a request without a continuation");
}
[[gnu::noinline]] inline void check_op(const Guest& guest, const OpInfo* op) {
    if (op != nullptr && guest.has_op(op)) return;
    throw ProtocolError(ErrorKind::op_mismatch, "a request for an op the guest does not have");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_wrong_kind(const Step& step) {
    throw ProtocolError(ErrorKind::op_mismatch, step.op->name() + " was requested as a " +
                                                    name_of(step.kind) + " op, and is a " +
                                                    name_of(step.op->kind) + " op");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_wrong_count(const Step& step) {
    throw ProtocolError(ErrorKind::decode_failed, step.op->name() + " has " +
                                                      std::to_string(step.op->param_count) +
                                                      " parameters, and was requested with " +
                                                      std::to_string(step.arguments.size()));
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_wrong_answer(const RunTask& task) {
    throw ProtocolError(ErrorKind::invalid_answer,
                        task.op->name() + " is a " + name_of(task.op->kind) +
                            " op, and was answered with " + name_of(task.answer_kind));
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_wrong_status(StepStatus status) {
    throw ProtocolError(ErrorKind::invalid_status,
                        "status " + std::to_string(static_cast<unsigned>(status)) +
                            " is neither a value nor a request");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_too_large(const SchedulerOptions& options,
                                                                   const char* what) {
    throw ProtocolError(ErrorKind::buffer_overflow,
                        std::string(what) + " is beyond payload_size_max_bytes (" +
                            std::to_string(options.payload_size_max_bytes) +
                            "), or nested deeper than payload_depth_max (" +
                            std::to_string(options.payload_depth_max) + ")");
}

}  // namespace gyre::effect
