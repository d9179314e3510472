// SPDX-License-Identifier: Apache-2.0
// Outcome<T>: what became of a future: nothing yet, a value, an Error, or an exception. It is
// settled once. A plain value of one thread.
#pragma once

#include <exception>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/result.hpp"
#include "gyre/task/hot.hpp"

namespace gyre {

struct Unit {};

template <class T>
class Outcome {
    using Value = std::conditional_t<
        std::is_void_v<T>, Unit,
        std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>>;

public:
    GYRE_HOT Outcome() noexcept {}
    GYRE_HOT ~Outcome() { reset(); }
    Outcome(const Outcome&) = delete;
    Outcome& operator=(const Outcome&) = delete;

    [[nodiscard]] bool is_settled() const noexcept { return kind_ != Kind::none; }
    [[nodiscard]] bool has_value() const noexcept { return kind_ == Kind::value; }
    // What it failed with, an Error as a std::system_error; null where it has not.
    [[nodiscard]] std::exception_ptr failure() const noexcept {
        if (kind_ == Kind::exception) return exception_;
        return kind_ == Kind::error ? exception_of_error() : nullptr;
    }
    [[nodiscard]] bool has_error() const noexcept { return kind_ == Kind::error; }
    [[nodiscard]] Error error() const noexcept { return error_; }

    template <class... Args>
    GYRE_HOT void set_value(Args&&... args) {
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
    // Takes the place of a value whose successor failed: a frame may fail while it is left.
    void set_exception(std::exception_ptr exception) noexcept {
        reset();
        std::construct_at(&exception_, std::move(exception));
        kind_ = Kind::exception;
    }

    // The value, or throws what it failed with.
    GYRE_HOT T take() {
        throw_failure();
        if constexpr (std::is_reference_v<T>) {
            return static_cast<T>(*value_);
        } else if constexpr (!std::is_void_v<T>) {
            return std::move(value_);
        }
    }
    GYRE_HOT void throw_failure() const {
        if (kind_ != Kind::value) throw_it();
    }
    // Where there is one; it stays there.
    [[nodiscard]] decltype(auto) value() const noexcept {
        if constexpr (std::is_reference_v<T>) {
            return static_cast<T>(*value_);
        } else {
            return (value_);
        }
    }

    // The value or the Error. An exception that says an Error (std::system_error) becomes one;
    // another one is thrown: it is no operating error.
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
        if (kind_ == Kind::exception) std::rethrow_exception(exception_);
        throw std::system_error(std::make_error_code(error_.code()));
    }
    GYRE_HOT void expect_unsettled() const noexcept {
        GYRE_ASSERT(kind_ == Kind::none, "an outcome is settled once");
    }
    GYRE_HOT void reset() noexcept {
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

}  // namespace gyre
