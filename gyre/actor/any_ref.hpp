// SPDX-License-Identifier: Apache-2.0
// AnyRef: a reference to an actor whose type does not matter: to name it, to compare it, to end it.
// Cheap to copy, free to go to any thread, and good for ever: it may outlive the actor, its loop
// and the system.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "gyre/kernel/clock.hpp"

namespace gyre::actor {

class Cell;

// What an actor did so far. A plain value.
struct Counts {
    std::uint64_t handled = 0;
    std::uint64_t failed = 0;
    std::uint64_t dropped = 0;
    std::uint64_t restarts = 0;
    Duration busy{0};  // where the system measures it
};

class AnyRef {
public:
    AnyRef() noexcept = default;
    explicit AnyRef(Cell& cell) noexcept;
    // Takes over a share of the cell.
    struct Adopt {};
    AnyRef(Cell& cell, Adopt) noexcept : cell_(&cell) {}
    AnyRef(const AnyRef& other) noexcept;
    AnyRef(AnyRef&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
    AnyRef& operator=(AnyRef other) noexcept {
        std::swap(cell_, other.cell_);
        return *this;
    }
    ~AnyRef();

    [[nodiscard]] explicit operator bool() const noexcept { return cell_ != nullptr; }
    [[nodiscard]] std::uint64_t id() const noexcept;
    [[nodiscard]] std::string name() const;
    // Of one elsewhere it is not known here, and this says no: watch it, or await its end.
    [[nodiscard]] bool is_ended() const noexcept;
    // Messages that wait to be handled.
    [[nodiscard]] std::uint32_t mailbox_length() const noexcept;
    // On its own loop.
    [[nodiscard]] Counts counts() const noexcept;

    // From now on it takes no message; it handles those it has, then its children end, then it.
    void stop() const;
    // What it has not begun is a dead letter; what it has begun is cancelled.
    void stop_now() const;

    friend bool operator==(const AnyRef& one, const AnyRef& other) noexcept {
        return one.cell_ == other.cell_;
    }

    // For the machinery.
    [[nodiscard]] Cell* cell() const noexcept { return cell_; }

protected:
    Cell* cell_ = nullptr;
};

// What an actor that watches another one gets when that has ended: `void handle(Terminated)`.
struct Terminated {
    AnyRef actor;
    std::exception_ptr failure;  // null: it was asked to stop
};

}  // namespace gyre::actor
