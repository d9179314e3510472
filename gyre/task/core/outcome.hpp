// SPDX-License-Identifier: Apache-2.0
// Outcome<T>: the end of a future: a value, an Error or an exception, or none yet. It is set once.
// Poll<T>: the result of a poll: the value, or pending.
//
//     Outcome<int>& outcome = handle.outcome();
//     if (outcome.has_value()) use(outcome.take());
//
// Thread: one at a time.
// Lifetime: values.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/compiler.hpp"
#include "gyre/base/result.hpp"

namespace gyre {

struct Unit {};

template <class T>
class Outcome {
    using Value = std::conditional_t<
        std::is_void_v<T>, Unit,
        std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>>;

public:
    GYRE_ALWAYS_INLINE Outcome() noexcept {}
    GYRE_ALWAYS_INLINE ~Outcome() { reset(); }
    Outcome(const Outcome&) = delete;
    Outcome& operator=(const Outcome&) = delete;

    [[nodiscard]] bool is_settled() const noexcept { return kind_ != Kind::none; }
    [[nodiscard]] bool has_value() const noexcept { return kind_ == Kind::value; }
    // The failure, an Error as a std::system_error; null if it did not fail.
    [[nodiscard]] std::exception_ptr failure() const noexcept {
        if (kind_ == Kind::exception) return exception_;
        return kind_ == Kind::error ? exception_of_error() : nullptr;
    }
    [[nodiscard]] bool has_error() const noexcept { return kind_ == Kind::error; }
    [[nodiscard]] Error error() const noexcept {
        GYRE_ASSERT(has_error(), "this outcome has no Error: ask has_error() first");
        return error_;
    }

    template <class... Args>
    GYRE_ALWAYS_INLINE void set_value(Args&&... args) {
        expect_unsettled();
        if constexpr (std::is_reference_v<T>) {
            std::construct_at(&value_, std::addressof(args)...);
        } else {
            std::construct_at(&value_, std::forward<Args>(args)...);
        }
        kind_ = Kind::value;
    }
    void set_error(Error error) noexcept {
        expect_unsettled();
        std::construct_at(&error_, error);
        kind_ = Kind::error;
    }
    // May replace a value: a destructor of a local variable may throw after co_return.
    void set_exception(std::exception_ptr exception) noexcept {
        reset();
        std::construct_at(&exception_, std::move(exception));
        kind_ = Kind::exception;
    }

    // Gives the value, or throws the failure.
    GYRE_ALWAYS_INLINE T take() {
        throw_failure();
        if constexpr (std::is_reference_v<T>) {
            return static_cast<T>(*value_);
        } else if constexpr (!std::is_void_v<T>) {
            return std::move(value_);
        }
    }
    GYRE_ALWAYS_INLINE void throw_failure() const {
        if (kind_ != Kind::value) throw_it();
    }
    // The value, which stays there.
    [[nodiscard]] decltype(auto) value() const noexcept {
        GYRE_ASSERT(has_value(), "this outcome has no value: ask has_value() first");
        if constexpr (std::is_reference_v<T>) {
            return static_cast<T>(*value_);
        } else {
            return (value_);
        }
    }

    // The value or the Error. A std::system_error becomes an Error; other exceptions are thrown,
    // since they are not operating errors.
    Result<T> take_result() {
        if (kind_ == Kind::error) return std::unexpected(error_);
        if (kind_ == Kind::exception) {
            try {
                std::rethrow_exception(exception_);
            } catch (const std::system_error& e) {
                return std::unexpected(Error(static_cast<std::errc>(e.code().value())));
            }
        }
        if constexpr (std::is_void_v<T>) {
            return {};
        } else {
            return take();
        }
    }

private:
    enum class Kind : unsigned char { none, value, error, exception };

    [[nodiscard, gnu::cold, gnu::noinline]] std::exception_ptr exception_of_error() const noexcept {
        return std::make_exception_ptr(std::system_error(std::make_error_code(error_.code())));
    }
    [[noreturn, gnu::cold, gnu::noinline]] void throw_it() const {
        GYRE_ASSERT(is_settled(), "this outcome is not settled yet: await its task first");
        if (kind_ == Kind::exception) std::rethrow_exception(exception_);
        throw std::system_error(std::make_error_code(error_.code()));
    }
    GYRE_ALWAYS_INLINE void expect_unsettled() const noexcept {
        GYRE_ASSERT(kind_ == Kind::none, "an outcome is settled once");
    }
    GYRE_ALWAYS_INLINE void reset() noexcept {
        if (kind_ == Kind::value) std::destroy_at(&value_);
        if (kind_ == Kind::exception) drop_exception();
        kind_ = Kind::none;
    }
    [[gnu::cold, gnu::noinline]] void drop_exception() noexcept { std::destroy_at(&exception_); }

    union {
        Value value_;
        Error error_;
        std::exception_ptr exception_;
    };
    Kind kind_ = Kind::none;
};

// The result of a poll: the value, or pending.
struct Pending {};
inline constexpr Pending pending;

template <class T>
class [[nodiscard]] Poll {
    using Value = std::conditional_t<std::is_void_v<T>, Unit, T>;

public:
    Poll(Pending /*unit*/) noexcept {}
    Poll(Value value) : value_(std::move(value)) {}

    [[nodiscard]] bool is_ready() const noexcept { return value_.has_value(); }
    [[nodiscard]] bool is_pending() const noexcept { return !value_.has_value(); }
    // Only if is_ready().
    [[nodiscard]] Value& value() noexcept {
        GYRE_ASSERT(value_.has_value(), "this poll is pending: it has no value");
        return *value_;
    }

private:
    std::optional<Value> value_;
};

}  // namespace gyre
