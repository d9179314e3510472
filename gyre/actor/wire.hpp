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
// Any thread may use a Station; references and the other side keep it alive.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "gyre/actor/answer.hpp"
#include "gyre/actor/errors.hpp"
#include "gyre/actor/signal.hpp"
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

// What travels.
struct Frame {
    enum class Kind : std::uint8_t { tell, ask, answer, error, stop, stop_now };
    Kind kind = Kind::tell;
    std::string actor = {};  // the name of the receiver, as exported
    std::string type = {};   // Serial<M>::name
    std::uint64_t call = 0;
    std::uint64_t trace_id = 0;
    std::string bytes = {};
};

// Carries frames to one other station. Any thread may send.
class Transport {
public:
    virtual ~Transport() = default;
    // An error where the frame is known to be lost.
    [[nodiscard]] virtual Result<void> send(Frame frame) = 0;
};

// One end of a connection: the actors that can be reached from the other end, and the questions of
// this one that wait for an answer.
class Station {
public:
    explicit Station(std::unique_ptr<Transport> out) : out_(std::move(out)) {}

    [[nodiscard]] Result<void> send(Frame frame) { return out_->send(std::move(frame)); }
    // What came from the other end. An error: there is no such actor, or it has no such message.
    Result<void> receive(Frame frame);
    // Nothing comes any more: who waits for an answer gets an error.
    void close() noexcept;

    using Settle = std::function<void(const Frame* answer)>;  // null: there will be none
    [[nodiscard]] std::uint64_t add_call(Settle settle);
    void drop_call(std::uint64_t call);

    using Take = std::function<Result<void>(Frame frame)>;
    // A message type of an actor that can be reached under a name.
    void add_export(const std::string& actor, const std::string& type, Take take);

private:
    std::unique_ptr<Transport> out_;
    std::mutex mutex_;
    std::map<std::pair<std::string, std::string>, Take> exports_;  // this and below: by mutex_
    std::map<std::uint64_t, Settle> calls_;
    std::uint64_t last_call_ = 0;
};

// What a reference to an actor elsewhere leads to.
class Wire {
public:
    Wire(std::shared_ptr<Station> station, std::string actor)
        : station_(std::move(station)), actor_(std::move(actor)) {}

    [[nodiscard]] Station& station() const noexcept { return *station_; }
    [[nodiscard]] Frame frame(Frame::Kind kind) const;
    void signal(const Signal& signal) noexcept;

private:
    const std::shared_ptr<Station> station_;
    const std::string actor_;
};

template <class M>
Result<void> send_by_wire(Wire& wire, const M& message) {
    if constexpr (Serialisable<M>) {
        Frame frame = wire.frame(Frame::Kind::tell);
        frame.type = Serial<M>::name;
        Serial<M>::write(message, frame.bytes);
        return wire.station().send(std::move(frame));
    } else {
        return std::unexpected(Error(not_serialisable));
    }
}

// There is no mailbox to look at: it is sent.
template <class M>
void post_by_wire(Wire& wire, const M& message, Acknowledgement& told) {
    const Result<void> sent = send_by_wire(wire, message);
    if (!sent) told.outcome.set_error(sent.error());
    sent ? told.resolve() : told.send_home();
}

template <class T>
void settle_from(const Frame* frame, Answer<T>& answer) {
    if (frame == nullptr || frame->kind == Frame::Kind::error) {
        answer.outcome.set_exception(std::make_exception_ptr(
            ActorError(actor_ended, frame == nullptr ? "the connection ended" : frame->bytes)));
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
void ask_by_wire(Wire& wire, const M& message, Answer<T>& answer) {
    if constexpr (Serialisable<M> && SerialisableAnswer<T>) {
        Frame frame = wire.frame(Frame::Kind::ask);
        frame.type = Serial<M>::name;
        Serial<M>::write(message, frame.bytes);
        frame.call =
            wire.station().add_call([&answer](const Frame* back) { settle_from<T>(back, answer); });
        const std::uint64_t call = frame.call;
        if (!wire.station().send(std::move(frame))) wire.station().drop_call(call);
    } else {
        answer.outcome.set_error(Error(not_serialisable));
        answer.send_home();
    }
}

}  // namespace gyre::actor
