// SPDX-License-Identifier: Apache-2.0
// For the tests of programs: an environment variable with a value for one test, and the lines that
// are logged meanwhile. Used by the test's thread.
#pragma once

#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gyre/base/log.hpp"

namespace gyre {

class EnvironmentVariable {
public:
    EnvironmentVariable(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        ::setenv(name, value, 1);
    }
    ~EnvironmentVariable() {
        if (before_) {
            ::setenv(name_, before_->c_str(), 1);
        } else {
            ::unsetenv(name_);
        }
    }
    EnvironmentVariable(const EnvironmentVariable&) = delete;
    EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

private:
    const char* const name_;
    std::optional<std::string> before_;
};

// One at a time.
class LoggedLines {
public:
    LoggedLines() {
        lines().clear();
        set_log_sink([](LogLevel level, std::string_view line) {
            const std::lock_guard lock(mutex());
            lines().push_back(std::string(name_of(level)) + ": " + std::string(line));
        });
    }
    ~LoggedLines() { set_log_sink(nullptr); }
    LoggedLines(const LoggedLines&) = delete;
    LoggedLines& operator=(const LoggedLines&) = delete;

    [[nodiscard]] static std::vector<std::string>& lines() {
        static std::vector<std::string> value;
        return value;
    }

private:
    static std::mutex& mutex() {
        static std::mutex value;
        return value;
    }
};

}  // namespace gyre
