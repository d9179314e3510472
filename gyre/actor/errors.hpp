// SPDX-License-Identifier: Apache-2.0
// What can go wrong with a message. `send` gives one of the codes below as an Error; an await
// throws the class, which has the same code, so that `try_` gives it as an Error too. Plain values.
#pragma once

#include <string>
#include <system_error>

namespace gyre::actor {

// Why a message was not taken.
inline constexpr std::errc mailbox_full = std::errc::no_buffer_space;
inline constexpr std::errc actor_ended = std::errc::owner_dead;
inline constexpr std::errc call_cycle = std::errc::resource_deadlock_would_occur;
inline constexpr std::errc not_serialisable = std::errc::not_supported;
inline constexpr std::errc node_lost = std::errc::connection_aborted;

class ActorError : public std::system_error {
public:
    ActorError(std::errc code, std::string text)
        : std::system_error(std::make_error_code(code)), text_(std::move(text)) {}
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

// The actor ended, or was restarted, before it answered.
class ActorEnded : public ActorError {
public:
    explicit ActorEnded(const std::string& name)
        : ActorError(actor_ended, "actor '" + name + "' ended before it answered") {}
};

// There was no room for the message, or it had to make room for another one.
class MailboxFull : public ActorError {
public:
    explicit MailboxFull(const std::string& name)
        : ActorError(mailbox_full, "the mailbox of actor '" + name + "' is full") {}
};

// The answer would have to come from an exclusive actor that waits for the asker.
class CallCycle : public ActorError {
public:
    explicit CallCycle(const std::string& path)
        : ActorError(call_cycle, "these actors would wait for each other: " + path) {}
};

// The connection was lost over which the actor is reached. Whether it lives is not known.
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
