// SPDX-License-Identifier: Apache-2.0
// Cancelled, CancelReason: a cancel is a request to a task. It is delivered as the exception
// Cancelled, in the await that the task is in or at its next one.
//
//     std::exception_ptr cancelled;
//     try {
//         co_await sleep(1h);
//     } catch (const Cancelled&) {
//         cancelled = std::current_exception();  // C++ allows no co_await in a handler
//     }
//     if (cancelled) {
//         co_await save();                       // may await as usual
//         std::rethrow_exception(cancelled);
//     }
//
// Thread: values.
// Lifetime: the text of a reason is in the value.
//
// Each request is delivered once: code that runs after it in the same task, such as clean-up, may
// await as usual, and a later request is delivered again. Inside `shield` a request waits for the
// end.
#pragma once

#include <exception>
#include <new>
#include <source_location>
#include <string>

#include "gyre/base/assert.hpp"

namespace gyre {

// Why, by whom and where a cancel was requested.
struct CancelReason {
    std::string why = "cancelled";
    std::string who;  // the asking task or part of the runtime; empty: outside of tasks
    std::source_location where = std::source_location::current();

    CancelReason() = default;
    // Implicit, so that a call reads `cancel("no longer wanted")`. Without memory for the text, it
    // is "cancelled".
    CancelReason(const char* text,
                 std::source_location at = std::source_location::current()) noexcept
        : why(text_or_default(text)), where(at) {}
    CancelReason(std::string text, std::source_location at = std::source_location::current())
        : why(std::move(text)), where(at) {}

private:
    static std::string text_or_default(const char* text) noexcept {
        GYRE_ASSERT(text != nullptr, "a CancelReason got no text: leave it out for the default");
        try {
            return text;
        } catch (const std::bad_alloc&) {
            return "cancelled";  // needs no allocation
        }
    }
};

// Thrown by a cancelled await. Do not swallow it: the task would go on as if it had not been
// cancelled.
class Cancelled : public std::exception {
public:
    explicit Cancelled(CancelReason reason);
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
    [[nodiscard]] const CancelReason& reason() const noexcept { return reason_; }

private:
    CancelReason reason_;
    std::string text_;
};

// Null if there is no memory for one.
[[nodiscard]] std::exception_ptr make_cancelled(CancelReason reason) noexcept;

// Whether the exception is a Cancelled; false for null.
[[nodiscard]] bool is_cancelled(const std::exception_ptr& failure) noexcept;

}  // namespace gyre
