// SPDX-License-Identifier: Apache-2.0
// The seam for actors elsewhere: a reference that leads out of the process, over a Transport, as
// frames of bytes. How a message becomes bytes is said by a specialisation of Serial; a message
// without one can be sent within the process only, and `send` says so (not_serialisable).
//
//     template <> struct gyre::actor::Serial<Add> {
//         static constexpr const char* name = "Add";
//         static void write(const Add& message, std::string& bytes);
//         static Result<Add> read(std::string_view bytes);
//     };
//
// Any thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "gyre/actor/answer.hpp"
#include "gyre/actor/errors.hpp"
#include "gyre/actor/frame.hpp"
#include "gyre/actor/station.hpp"
#include "gyre/base/result.hpp"

namespace gyre::actor {

template <class M>
struct Serial;
template <class M>
concept Serialisable = requires(const M& message, std::string& bytes) {
    { Serial<M>::name } -> std::convertible_to<std::string_view>;
    Serial<M>::write(message, bytes);
    { Serial<M>::read(std::string_view(bytes)) } -> std::same_as<Result<M>>;
};
template <class M>
concept SerialisableAnswer = std::is_void_v<M> || Serialisable<M>;

// What a reference to an actor elsewhere leads to. It does not hold the connection; any thread.
class Wire {
public:
    // To an actor that the other end has exported.
    Wire(std::weak_ptr<Station> station, std::string actor)
        : station_(std::move(station)), actor_(std::move(actor)) {}
    // To who began a tie at the other end.
    Wire(std::weak_ptr<Station> station, std::uint64_t tie)
        : station_(std::move(station)), tie_(tie) {}

    // Null where it has gone.
    [[nodiscard]] std::shared_ptr<Station> station() const noexcept { return station_.lock(); }
    [[nodiscard]] Frame frame(Frame::Kind kind) const;
    Result<void> send(Frame frame) const;
    void signal(const Signal& signal) const noexcept;
    // Settles it when the actor `of`, which is reached over this, has ended. Gives the number of
    // the tie, to give it up by: true where that was in time.
    std::uint64_t await_end(const AnyRef& of, Acknowledgement& told) const;
    [[nodiscard]] bool give_up_end(std::uint64_t tie) const;

private:
    const std::weak_ptr<Station> station_;
    const std::string actor_;
    const std::uint64_t tie_ = 0;
};

// An actor elsewhere, as references see it.
class RemoteCell final : public Cell, public Pooled {
public:
    RemoteCell(std::unique_ptr<Wire> wire, std::string name, const std::type_info& type)
        : Cell(std::move(wire), std::move(name)), type_(type) {}
    [[nodiscard]] const std::type_info& actor_type() const noexcept override { return type_; }

private:
    ~RemoteCell() override = default;
    void construct() override {}
    void destruct() noexcept override {}
    void destroy() noexcept override { delete this; }

    const std::type_info& type_;
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

// There is no mailbox to look at: it is sent.
template <class M>
void post_by_wire(const Wire& wire, const M& message, Acknowledgement& told) {
    const Result<void> sent = send_by_wire(wire, message);
    if (!sent) told.outcome.set_error(sent.error());
    sent ? told.resolve() : told.send_home();
}

template <class T>
void settle_from(const Frame* frame, Answer<T>& answer) {
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
    answer.send_home();
}

template <class M, class T>
void ask_by_wire(const Wire& wire, const M& message, Answer<T>& answer) {
    if constexpr (Serialisable<M> && SerialisableAnswer<T>) {
        Frame frame = wire.frame(Frame::Kind::ask);
        frame.type = Serial<M>::name;
        Serial<M>::write(message, frame.bytes);
        const std::shared_ptr<Station> station = wire.station();
        if (station == nullptr) return settle_from<T>(nullptr, answer);
        const std::uint64_t call =
            station->add_call([&answer](const Frame* back) { settle_from<T>(back, answer); });
        frame.call = call;
        if (!station->send(std::move(frame))) station->drop_call(call);
    } else {
        answer.outcome.set_error(Error(not_serialisable));
        answer.send_home();
    }
}

}  // namespace gyre::actor
