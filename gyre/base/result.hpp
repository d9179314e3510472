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

#include <cstdint>
#include <expected>
#include <string>
#include <system_error>

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

template <class T>
using Result = std::expected<T, Error>;

// The op result for an error: `-ECANCELED` for instance.
[[nodiscard]] constexpr std::int32_t failure(std::errc code) noexcept {
    return Error(code).as_result();
}

}  // namespace gyre
