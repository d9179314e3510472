// SPDX-License-Identifier: Apache-2.0
// How actors are reached from elsewhere: `export_actor` says under which name and with which
// messages, `remote_ref` gives a reference to one that the other end exported. What connects two
// stations is a Transport; the one here passes frames on within the process, for tests and as the
// model for others. Any thread.
//
//     auto [one, other] = connect_in_memory();
//     export_actor<Counter, Add, Get>(one, "counter", counter);
//     Ref<Counter> far = remote_ref<Counter>(other, "counter");
//
// `send`, `post`, `ask`, `stop`, `ended`, watches and links do as with an actor of this process;
// what is of its own is NodeLost, when the connection is.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "gyre/actor/ref.hpp"
#include "gyre/actor/wire.hpp"
#include "gyre/task/task_report.hpp"

namespace gyre::actor {

// Two stations; what one sends, the other receives, inside the call. Each closes with the other.
[[nodiscard]] std::pair<std::shared_ptr<Station>, std::shared_ptr<Station>> connect_in_memory();

// The answer to a question that came over a wire: it goes back as a frame.
template <class T>
class WireAnswer final : public Answer<T> {
public:
    WireAnswer(std::weak_ptr<Station> station, std::uint64_t call) noexcept
        : Answer<T>(nullptr), station_(std::move(station)), call_(call) {}

    void send_home() noexcept override {
        Frame frame{.kind = Frame::Kind::answer, .call = call_};
        if (!this->outcome.has_value()) {
            frame.kind = Frame::Kind::error;
            frame.bytes = TaskReport::text_of(this->outcome.failure());
        } else if constexpr (!std::is_void_v<T>) {
            Serial<T>::write(this->outcome.value(), frame.bytes);
        }
        const std::shared_ptr<Station> station = station_.lock();
        if (station != nullptr) static_cast<void>(station->send(std::move(frame)));
        delete this;
    }

private:
    const std::weak_ptr<Station> station_;
    const std::uint64_t call_;
};

// Makes what a handler sends belong to the trace of the frame.
class TraceOf {
public:
    explicit TraceOf(const Frame& frame) noexcept : host_(Host::here()) {
        if (host_ != nullptr) host_->set_trace(frame.trace_id);
    }
    ~TraceOf() {
        if (host_ != nullptr) host_->set_trace(0);
    }
    TraceOf(const TraceOf&) = delete;
    TraceOf& operator=(const TraceOf&) = delete;

private:
    Host* const host_;
};

template <class A, class M>
void export_message(const std::shared_ptr<Station>& station, const std::string& name,
                    const Ref<A>& ref) {
    using T = AnswerOf<A, M>;
    static_assert(Serialisable<M>, "a message of an exported actor needs a Serial");
    static_assert(SerialisableAnswer<T>, "the answer of an exported actor needs a Serial");
    const std::weak_ptr<Station> weak = station;  // The station holds what is made here.
    station->add_export(name, Serial<M>::name, [weak, ref](const Frame& frame) -> Result<void> {
        Result<M> message = Serial<M>::read(frame.bytes);
        if (!message) return std::unexpected(message.error());
        if (frame.kind == Frame::Kind::tell) {
            const TraceOf trace(frame);
            return ref.send(std::move(*message));
        }
        auto* answer = new WireAnswer<T>(weak, frame.call);
        ref.put_question(std::move(*message), *answer, AnyRef(), frame.trace_id);
        return {};
    });
}

// The actor can be watched, linked with and stopped from the other end, and gets those messages.
template <class A, class... M>
void export_actor(const std::shared_ptr<Station>& station, const std::string& name,
                  const Ref<A>& ref) {
    station->add_actor(name, ref);
    (export_message<A, M>(station, name, ref), ...);
}

// An actor that the other end has exported, or will. It may go to any thread and outlive the
// station, as every reference.
template <class A>
[[nodiscard]] Ref<A> remote_ref(const std::shared_ptr<Station>& station, const std::string& name) {
    auto* cell = new RemoteCell(std::make_unique<Wire>(station, name), name, typeid(A));
    return Ref<A>(*cell, AnyRef::Adopt());
}

}  // namespace gyre::actor
