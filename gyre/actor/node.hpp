// SPDX-License-Identifier: Apache-2.0
// Node: one end of a connection to another process: the actors that this process exports over it,
// the asks that wait for an answer, and the watches and links between actors of both ends.
// `export_actor` makes an actor reachable under a name; `remote_ref` refers to an actor that the
// peer exports. `connect_in_memory` joins two nodes of one process: for tests, and as a model for a
// Transport of your own.
//
//     auto [near, far] = connect_in_memory();
//     export_actor<Counter, Add, Get>(far, "counter", counter);
//     Ref<Counter> remote = remote_ref<Counter>(near, "counter");
//     int total = co_await remote.ask(Get{});
//
// Thread: any.
// Lifetime: owned by the code that connects (a transport's reader, say); references do not keep it
// alive. Destroying it closes the connection.
// Errors: `send`, `post`, `ask`, `stop`, `ended`, watches and links work as with a local actor; in
// addition they fail with NodeLost when the connection is lost.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "gyre/actor/ref.hpp"
#include "gyre/actor/transport.hpp"
#include "gyre/task/core/detail/task_report.hpp"

namespace gyre::actor {

class RemoteLinks;

class Node : public std::enable_shared_from_this<Node> {
public:
    explicit Node(std::unique_ptr<Transport> out);
    ~Node();
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    // The error `not_connected` after close.
    [[nodiscard]] Result<void> send(Frame frame);
    // A frame from the peer. An error when it names an unknown actor or message type.
    Result<void> receive(Frame frame);
    // The connection is lost or given up, for good: asks and watches that wait end with NodeLost,
    // linked actors fail with it. The transport makes the peer do the same.
    void close() noexcept;
    // Watches and links over this connection, from either end.
    [[nodiscard]] std::size_t link_count() const;

    // For the templates below and for gyre/actor itself.
    using OnAnswer = std::function<void(const Frame* answer)>;  // null: no answer will come
    [[nodiscard]] std::uint64_t add_call(OnAnswer on_answer);
    void drop_call(std::uint64_t call);
    using OnMessage = std::function<Result<void>(const Frame& frame)>;
    // Makes the actor known under the name: to be stopped, watched and linked with.
    void add_actor(const std::string& name, AnyRef actor);
    void add_export(const std::string& actor, const std::string& type, OnMessage on_message);
    [[nodiscard]] RemoteLinks& links() noexcept { return *links_; }

private:
    Result<void> receive_message(const Frame& frame);
    Result<void> receive_answer(const Frame& frame);
    [[nodiscard]] AnyRef actor_named(const std::string& name);
    [[nodiscard]] OnAnswer take_call(std::uint64_t call);

    const std::unique_ptr<Transport> out_;
    std::mutex mutex_;  // guards the members below, except links_
    bool is_closed_ = false;
    std::map<std::string, AnyRef> actors_;
    std::map<std::pair<std::string, std::string>, OnMessage> exports_;
    std::map<std::uint64_t, OnAnswer> calls_;
    std::uint64_t last_call_ = 0;
    const std::unique_ptr<RemoteLinks> links_;
};

// Two nodes: `send` on one calls `receive` on the other. Closing one closes the other.
[[nodiscard]] std::pair<std::shared_ptr<Node>, std::shared_ptr<Node>> connect_in_memory();

// The answer to an ask that came from the peer: it goes back as a frame.
template <class T>
class RemoteReply final : public Reply<T> {
public:
    RemoteReply(std::weak_ptr<Node> node, std::uint64_t call) noexcept
        : Reply<T>(nullptr), node_(std::move(node)), call_(call) {}

    void deliver() noexcept override {
        Frame frame{.kind = Frame::Kind::answer, .call = call_};
        if (!this->outcome.has_value()) {
            frame.kind = Frame::Kind::error;
            frame.bytes = TaskReport::text_of(this->outcome.failure());
        } else if constexpr (!std::is_void_v<T>) {
            Serial<T>::write(this->outcome.value(), frame.bytes);
        }
        const std::shared_ptr<Node> node = node_.lock();
        if (node != nullptr) static_cast<void>(node->send(std::move(frame)));
        delete this;
    }

private:
    const std::weak_ptr<Node> node_;
    const std::uint64_t call_;
};

// While it lives, messages that this thread sends belong to the trace of the frame.
class FrameTrace {
public:
    explicit FrameTrace(const Frame& frame) noexcept : host_(ActorHost::here()) {
        if (host_ != nullptr) host_->set_trace(frame.trace_id);
    }
    ~FrameTrace() {
        if (host_ != nullptr) host_->set_trace(0);
    }
    FrameTrace(const FrameTrace&) = delete;
    FrameTrace& operator=(const FrameTrace&) = delete;

private:
    ActorHost* const host_;
};

template <class A, class M>
void export_message(const std::shared_ptr<Node>& node, const std::string& name, const Ref<A>& ref) {
    using T = AnswerOf<A, M>;
    static_assert(Serialisable<M>, "a message of an exported actor needs a Serial");
    static_assert(SerialisableAnswer<T>, "the answer of an exported actor needs a Serial");
    const std::weak_ptr<Node> weak = node;  // The node holds the function: no cycle.
    node->add_export(name, Serial<M>::name, [weak, ref](const Frame& frame) -> Result<void> {
        Result<M> message = Serial<M>::read(frame.bytes);
        if (!message) return std::unexpected(message.error());
        if (frame.kind == Frame::Kind::tell) {
            const FrameTrace trace(frame);
            return ref.send(std::move(*message));
        }
        auto* answer = new RemoteReply<T>(weak, frame.call);
        ref.put_question(std::move(*message), *answer, AnyRef(), frame.trace_id);
        return {};
    });
}

// The peer may send the actor messages of the types M, stop it, watch it and link with it.
template <class A, class... M>
void export_actor(const std::shared_ptr<Node>& node, const std::string& name, const Ref<A>& ref) {
    node->add_actor(name, ref);
    (export_message<A, M>(node, name, ref), ...);
}

[[nodiscard]] Cell& make_remote_cell(const std::shared_ptr<Node>& node, const std::string& name,
                                     const std::type_info& type);

// An actor that the peer exports now or later. Like every reference it may outlive the node.
template <class A>
[[nodiscard]] Ref<A> remote_ref(const std::shared_ptr<Node>& node, const std::string& name) {
    return Ref<A>(make_remote_cell(node, name, typeid(A)), AnyRef::Adopt());
}

}  // namespace gyre::actor
