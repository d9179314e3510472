// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value or an Error. An operating error is a Result; a programmer's error is an
// assertion.
//
//     Result<Fd> socket = sockets.stream(Address::Family::ipv4);
//     if (!socket) log(LogLevel::warn, "%s", socket.error().message().c_str());
//
// Thread: a value, free to move between threads.
// Lifetime: a value.
#pragma once

#include "gyre/base/detail/compiler.hpp"  // first: checks the compiler

#include <concepts>
#include <cstdint>
#include <expected>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace gyre {

// An operating error: one of the system's errno values, by its portable name.
class Error {
public:
    constexpr explicit Error(std::errc code) noexcept : code_(code) {}

    // From an op's result, which holds an error as its negated errno value.
    static constexpr Error of_result(std::int32_t result) noexcept {
        return Error(static_cast<std::errc>(-result));
    }

    [[nodiscard]] constexpr std::errc code() const noexcept { return code_; }
    [[nodiscard]] constexpr std::int32_t as_result() const noexcept {
        return -static_cast<std::int32_t>(code_);
    }
    [[nodiscard]] std::string message() const { return std::make_error_code(code_).message(); }

    friend constexpr bool operator==(Error, Error) noexcept = default;

private:
    std::errc code_;
};

// A std::expected that the compiler warns of when it is dropped.
template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
    using Base = std::expected<T, Error>;

public:
    using Base::Base;
    constexpr Result(Base base) noexcept(std::is_nothrow_move_constructible_v<Base>)
        : Base(std::move(base)) {}
};

// Those of std::expected are ambiguous for a class derived from it.
template <class T>
constexpr bool operator==(const Result<T>& left, const Result<T>& right) {
    using Base = std::expected<T, Error>;
    return static_cast<const Base&>(left) == static_cast<const Base&>(right);
}
template <class T>
constexpr bool operator==(const Result<T>& left, const std::unexpected<Error>& right) {
    return !left.has_value() && left.error() == right.error();
}
template <class T, class U>
    requires(!std::derived_from<U, std::expected<T, Error>>) &&
            requires(const T& value, const U& other) { value == other; }
constexpr bool operator==(const Result<T>& left, const U& right) {
    return left.has_value() && *left == right;
}

// Success or an Error, with the interface of std::expected<void, Error>. Its four bytes are always
// initialised: g++ 12 warns of copies of a std::expected<void, Error> that holds no error.
template <>
class [[nodiscard]] Result<void> {
public:
    using value_type = void;
    using error_type = Error;

    constexpr Result() noexcept = default;
    template <class E>
        requires std::constructible_from<Error, E>
    constexpr Result(std::unexpected<E> error) noexcept : error_(Error(std::move(error).error())) {}
    template <class E>
        requires std::constructible_from<Error, E>
    constexpr Result(const std::expected<void, E>& other) noexcept {
        if (!other) error_ = Error(other.error());
    }

    [[nodiscard]] constexpr bool has_value() const noexcept { return error_ == success; }
    constexpr explicit operator bool() const noexcept { return has_value(); }
    // Only if there is no value.
    [[nodiscard]] constexpr Error error() const noexcept { return error_; }
    constexpr void operator*() const noexcept {}
    // Throws std::bad_expected_access<Error> if there is an error.
    constexpr void value() const {
        if (!has_value()) throw std::bad_expected_access<Error>(error_);
    }

    friend constexpr bool operator==(const Result&, const Result&) noexcept = default;

private:
    static constexpr Error success{std::errc{}};
    Error error_ = success;
};

// The op result for an error: `-ECANCELED` for instance.
[[nodiscard]] constexpr std::int32_t failure(std::errc code) noexcept {
    return Error(code).as_result();
}

}  // namespace gyre
