// SPDX-License-Identifier: Apache-2.0
// AnyRef: a reference to an actor of any class: to name it, compare it, watch it or stop it. Also
// here: the errors of messages. `send` returns one of the codes as an Error; an await throws the
// class, which has the same code, so `try_` returns it as an Error too.
//
//     AnyRef worker = system.spawn<Resizer>();
//     log(LogLevel::info, "stopping %s", worker.name().c_str());
//     worker.stop();
//
// Thread: any, apart from `counts`.
// Lifetime: a reference-counted value: it may outlive the actor, the actor's loop and the system.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre::actor {

class Cell;

// An actor's counters.
struct Counts {
    std::uint64_t handled = 0;
    std::uint64_t failed = 0;
    std::uint64_t dropped = 0;
    std::uint64_t restarts = 0;
    Duration busy{0};  // stays 0 without SystemOptions::measures_busy_time
};

class AnyRef {
public:
    AnyRef() noexcept = default;
    explicit AnyRef(Cell& cell) noexcept;
    // Takes over a reference that was counted already.
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
    // Always false for an actor of another process: watch it, or await Ref::ended.
    [[nodiscard]] bool is_ended() const noexcept;
    // Messages that wait to be handled.
    [[nodiscard]] std::uint32_t mailbox_length() const noexcept;
    // Only on the thread of the actor's loop.
    [[nodiscard]] Counts counts() const noexcept;

    // The actor takes no more messages. It handles the messages in its mailbox, then its children
    // end, then the actor ends.
    void stop() const;
    // Drops the messages in the mailbox as dead letters and cancels running handlers.
    void stop_now() const;

    friend bool operator==(const AnyRef& one, const AnyRef& other) noexcept {
        return one.cell_ == other.cell_;
    }

    // For gyre/actor itself.
    [[nodiscard]] Cell* cell() const noexcept { return cell_; }

protected:
    Cell* cell_ = nullptr;
};

// The message that a watching actor gets when the watched actor has ended:
// `void handle(Terminated)`.
struct Terminated {
    AnyRef actor;
    std::exception_ptr failure;  // null: it was asked to stop
};

// Why a message was not accepted.
inline constexpr std::errc mailbox_full = std::errc::no_buffer_space;
inline constexpr std::errc actor_ended = std::errc::owner_dead;
inline constexpr std::errc call_cycle = std::errc::resource_deadlock_would_occur;
inline constexpr std::errc not_serialisable = std::errc::not_supported;
inline constexpr std::errc node_lost = std::errc::connection_aborted;

class ActorError : public SystemFailure {
public:
    using SystemFailure::SystemFailure;
};

// The actor ended, or was restarted, before it answered.
class ActorEnded : public ActorError {
public:
    explicit ActorEnded(const std::string& name)
        : ActorError(actor_ended, "actor '" + name + "' ended before it answered") {}
};

// The mailbox had no room for the message, or dropped it to make room (WhenFull::drop_oldest).
class MailboxFull : public ActorError {
public:
    explicit MailboxFull(const std::string& name)
        : ActorError(mailbox_full, "the mailbox of actor '" + name + "' is full") {}
};

// The ask would deadlock: the exclusive actor that is asked waits for the asking one.
class CallCycle : public ActorError {
public:
    explicit CallCycle(const std::string& path)
        : ActorError(call_cycle, "these actors would wait for each other: " + path) {}
};

// The connection to the actor's node was lost. Whether the actor still lives is unknown.
class NodeLost : public ActorError {
public:
    NodeLost() : ActorError(node_lost, "the connection to the actor was lost") {}
};

// Another actor has the name.
class NameTaken : public ActorError {
public:
    explicit NameTaken(const std::string& name)
        : ActorError(std::errc::file_exists, "an actor named '" + name + "' is there already") {}
};

}  // namespace gyre::actor
