// SPDX-License-Identifier: Apache-2.0
// Wire: the address of an actor in another process: its node and the name that it is exported
// under, or the number of a watch or link that an actor there registered. Ref sends over it. Any
// thread; it belongs to a Cell, and does not keep the connection alive.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "gyre/actor/any_ref.hpp"
#include "gyre/actor/detail/reply.hpp"
#include "gyre/actor/transport.hpp"

namespace gyre::actor {

class Node;
class Signal;

class Wire {
public:
    // To an actor that the peer has exported.
    Wire(std::weak_ptr<Node> node, std::string actor)
        : node_(std::move(node)), actor_(std::move(actor)) {}
    // To the actor that registered a watch or link at the peer.
    Wire(std::weak_ptr<Node> node, std::uint64_t registration)
        : node_(std::move(node)), registration_(registration) {}

    // A frame to this actor, with the trace of the running task.
    [[nodiscard]] Frame frame(Frame::Kind kind) const;
    Result<void> send(Frame frame) const;
    // Sends an ask. The function is called once: with the answer, or with null when none will come.
    void ask(Frame frame, std::function<void(const Frame* answer)> on_answer) const;
    void signal(const Signal& signal) const noexcept;
    // Settles `acknowledgement` when the actor `of`, reached over this, has ended. Returns the
    // number of the registration, for give_up_end: true when that came before the end.
    std::uint64_t await_end(const AnyRef& of, Acknowledgement& acknowledgement) const;
    [[nodiscard]] bool give_up_end(std::uint64_t registration) const;

private:
    const std::weak_ptr<Node> node_;
    const std::string actor_;
    const std::uint64_t registration_ = 0;
};

template <class M>
Result<void> send_by_wire(const Wire& wire, const M& message) {
    if constexpr (Serialisable<M>) {
        Frame frame = wire.frame(Frame::Kind::tell);
        frame.type = Serial<M>::name;
        Serial<M>::write(message, frame.bytes);
        return wire.send(std::move(frame));
    } else {
        return std::unexpected(Error(not_serialisable));
    }
}

// The length of a remote mailbox is unknown here: sends without waiting for room.
template <class M>
void post_by_wire(const Wire& wire, const M& message, Acknowledgement& acknowledgement) {
    const Result<void> sent = send_by_wire(wire, message);
    if (!sent) acknowledgement.outcome.set_error(sent.error());
    sent ? acknowledgement.resolve() : acknowledgement.deliver();
}

template <class T>
void settle_from(const Frame* frame, Reply<T>& answer) {
    if (frame == nullptr) {
        answer.outcome.set_exception(std::make_exception_ptr(NodeLost()));
    } else if (frame->kind == Frame::Kind::error) {
        answer.outcome.set_exception(
            std::make_exception_ptr(ActorError(actor_ended, frame->bytes)));
    } else if constexpr (std::is_void_v<T>) {
        answer.outcome.set_value();
    } else {
        Result<T> value = Serial<T>::read(frame->bytes);
        if (value) {
            answer.outcome.set_value(std::move(*value));
        } else {
            answer.outcome.set_error(value.error());
        }
    }
    answer.deliver();
}

template <class M, class T>
void ask_by_wire(const Wire& wire, const M& message, Reply<T>& answer) {
    if constexpr (Serialisable<M> && SerialisableAnswer<T>) {
        Frame frame = wire.frame(Frame::Kind::ask);
        frame.type = Serial<M>::name;
        Serial<M>::write(message, frame.bytes);
        wire.ask(std::move(frame), [&answer](const Frame* back) { settle_from<T>(back, answer); });
    } else {
        answer.outcome.set_error(Error(not_serialisable));
        answer.deliver();
    }
}

}  // namespace gyre::actor
