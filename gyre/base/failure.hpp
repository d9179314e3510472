// SPDX-License-Identifier: Apache-2.0
// Failure: the base of gyre's errors that have no code of the system. SystemFailure: one that has a
// code, with a text of its own. LimitError: a limit was exceeded.
//
//     try {
//         send_report();
//     } catch (const LimitError& e) {          // "walk '/home': more than depth_max = 256"
//         raise(e.limit());
//     } catch (const std::system_error& e) {   // "open '/etc/none': No such file or directory"
//         retry_later(e.code());
//     } catch (const Failure& e) {             // "the channel is closed"
//         give_up(e.what());
//     }
//
// Thread: values.
// Lifetime: values.
//
// Every error of gyre is a std::system_error or a Failure. Its text says what was done, to what,
// and why it failed. Cancelled is neither: it is no error, and must not be caught as one.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace gyre {

class Failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class SystemFailure : public std::system_error {
public:
    SystemFailure(std::errc code, std::string text)
        : std::system_error(std::make_error_code(code)), text_(std::move(text)) {}
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

// Its code is std::errc::value_too_large.
class LimitError : public SystemFailure {
public:
    // `doing` is a verb and its object: "walk '/home'"; `limit` the name of the option.
    LimitError(const std::string& doing, const char* limit, std::uint64_t value)
        : SystemFailure(std::errc::value_too_large,
                        doing + ": more than " + limit + " = " + std::to_string(value)),
          limit_(limit),
          value_(value) {}
    [[nodiscard]] const char* limit() const noexcept { return limit_; }
    [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

private:
    const char* limit_;
    std::uint64_t value_;
};

}  // namespace gyre
