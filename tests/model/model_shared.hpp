// SPDX-License-Identifier: Apache-2.0
// A plain variable that several threads use in turn. Two accesses of which one is a write must be
// ordered by what the threads synchronise on, else the run fails as a data race. Its own destructor
// counts as a write. Not a step: where it lies in the schedule makes no difference to a race.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "memory.hpp"

namespace model {

class AccessLog {
public:
    AccessLog() { write("create"); }
    ~AccessLog() { write("destroy"); }
    AccessLog(const AccessLog&) = delete;
    AccessLog& operator=(const AccessLog&) = delete;

    void read() const;
    void write(const char* operation);

private:
    mutable std::array<std::uint32_t, threads_max> read_at_{};
    std::size_t writer_ = 0;
    std::uint32_t written_at_ = 0;
};

template <typename T>
class Shared {
public:
    Shared() = default;
    Shared(T value) : value_(std::move(value)) {}
    Shared(const Shared& other) : value_(other.get()) {}
    Shared& operator=(const Shared& other) {
        set(other.get());
        return *this;
    }

    const T& get() const {
        log_.read();
        return value_;
    }
    void set(T value) {
        log_.write("write");
        value_ = std::move(value);
    }

private:
    AccessLog log_;  // First, so that a bad access is reported before it happens.
    T value_{};
};

}  // namespace model
