// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/run_outcome.hpp"

#include <array>

namespace gyre::effect {

const char* name_of(ErrorKind kind) noexcept {
    constexpr std::array names = {
        "unhandled_effect",
        "handler_failed",
        "invalid_answer",
        "guest_failed",
        "invalid_status",
        "op_mismatch",
        "invalid_request",
        "decode_failed",
        "encode_failed",
        "buffer_overflow",
        "unknown_export",
        "stale_task",
        "unobserved_task",
        "task_limit",
        "journal_mismatch",
        "time_limit",
        "memory_limit",
        "stack_limit",
        "trap",
        "panic",
    };
    return names[static_cast<std::size_t>(kind) % names.size()];
}

const char* name_of(RunEndKind kind) noexcept {
    constexpr std::array names = {"value", "failed", "cancelled"};
    return names[static_cast<std::size_t>(kind) % names.size()];
}

std::string what_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& exception) {
        return exception.what();
    } catch (...) {
        return "something that is no std::exception was thrown";
    }
}

RunError error_of(std::exception_ptr thrown, ErrorKind otherwise) {
    RunError error{.kind = otherwise, .message = what_of(thrown), .cause = thrown};
    try {
        std::rethrow_exception(thrown);
    } catch (const ProtocolError& protocol) {
        error.kind = protocol.kind();
    } catch (...) {
    }
    return error;
}

}  // namespace gyre::effect
