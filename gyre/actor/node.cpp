// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/node.hpp"

#include <utility>

#include "gyre/actor/internal/remote_cell.hpp"
#include "gyre/actor/internal/remote_links.hpp"

namespace gyre::actor {

Node::Node(std::unique_ptr<Transport> out)
    : out_(std::move(out)), links_(std::make_unique<RemoteLinks>(*this)) {
    GYRE_ASSERT(out_ != nullptr, "a node needs a transport: pass one");
}

Node::~Node() {
    close();
    GYRE_ASSERT(calls_.empty(), "a node must not be destroyed while another thread asks over it");
}

Result<void> Node::send(Frame frame) {
    {
        const std::lock_guard lock(mutex_);
        if (is_closed_) return std::unexpected(Error(std::errc::not_connected));
    }
    return out_->send(std::move(frame));
}

Result<void> Node::receive(Frame frame) {
    {
        const std::lock_guard lock(mutex_);
        if (is_closed_) return std::unexpected(Error(std::errc::not_connected));
    }
    switch (frame.kind) {
        case Frame::Kind::tell:
        case Frame::Kind::ask:
            return receive_message(frame);
        case Frame::Kind::answer:
        case Frame::Kind::error:
            return receive_answer(frame);
        case Frame::Kind::stop:
        case Frame::Kind::stop_now: {
            const AnyRef actor = actor_named(frame.actor);
            if (!actor) return std::unexpected(Error(std::errc::no_such_device_or_address));
            frame.kind == Frame::Kind::stop ? actor.stop() : actor.stop_now();
            return {};
        }
        default:
            return links_->receive(frame, actor_named(frame.actor));
    }
}

// An ask without a handler is answered with an error: otherwise the peer would wait forever.
Result<void> Node::receive_message(const Frame& frame) {
    OnMessage on_message;
    {
        const std::lock_guard lock(mutex_);
        const auto found = exports_.find({frame.actor, frame.type});
        if (found != exports_.end()) on_message = found->second;
    }
    const Result<void> taken = on_message
                                   ? on_message(frame)
                                   : std::unexpected(Error(std::errc::no_such_device_or_address));
    if (!taken && frame.kind == Frame::Kind::ask) {
        Frame back{.kind = Frame::Kind::error, .call = frame.call};
        back.bytes =
            on_message ? "actor '" + frame.actor + "' cannot read the message '" + frame.type + "'"
                       : "no actor '" + frame.actor + "' takes a message '" + frame.type + "'";
        static_cast<void>(send(std::move(back)));
    }
    return taken;
}

Result<void> Node::receive_answer(const Frame& frame) {
    const OnAnswer on_answer = take_call(frame.call);
    if (!on_answer) return std::unexpected(Error(std::errc::invalid_argument));
    on_answer(&frame);
    return {};
}

void Node::close() noexcept {
    std::map<std::uint64_t, OnAnswer> calls;
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(is_closed_, true)) return;
        calls.swap(calls_);
    }
    for (const auto& [call, on_answer] : calls) on_answer(nullptr);
    links_->close();
    out_->close();
}

std::size_t Node::link_count() const {
    return links_->count();
}

std::uint64_t Node::add_call(OnAnswer on_answer) {
    GYRE_ASSERT(on_answer != nullptr, "an ask needs a function that takes its answer");
    const std::lock_guard lock(mutex_);
    calls_.emplace(++last_call_, std::move(on_answer));
    return last_call_;
}

void Node::drop_call(std::uint64_t call) {
    if (const OnAnswer on_answer = take_call(call)) on_answer(nullptr);
}

Node::OnAnswer Node::take_call(std::uint64_t call) {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.extract(call);
    return found.empty() ? OnAnswer() : std::move(found.mapped());
}

void Node::add_actor(const std::string& name, AnyRef actor) {
    GYRE_ASSERT(static_cast<bool>(actor), "export a reference that leads to an actor");
    const std::lock_guard lock(mutex_);
    actors_.insert_or_assign(name, std::move(actor));
}

void Node::add_export(const std::string& actor, const std::string& type, OnMessage on_message) {
    GYRE_ASSERT(on_message != nullptr, "an exported message needs a function that takes it");
    const std::lock_guard lock(mutex_);
    exports_.insert_or_assign({actor, type}, std::move(on_message));
}

AnyRef Node::actor_named(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = actors_.find(name);
    return found == actors_.end() ? AnyRef() : found->second;
}

namespace {

class MemoryTransport final : public Transport {
public:
    [[nodiscard]] Result<void> send(Frame frame) override {
        const std::shared_ptr<Node> peer = peer_.lock();
        if (peer == nullptr) return std::unexpected(Error(std::errc::not_connected));
        return peer->receive(std::move(frame));
    }
    void close() noexcept override {
        if (const std::shared_ptr<Node> peer = peer_.lock()) peer->close();
    }
    void connect(const std::shared_ptr<Node>& peer) { peer_ = peer; }

private:
    std::weak_ptr<Node> peer_;  // set before the first send
};

}  // namespace

std::pair<std::shared_ptr<Node>, std::shared_ptr<Node>> connect_in_memory() {
    auto to_second = std::make_unique<MemoryTransport>();
    auto to_first = std::make_unique<MemoryTransport>();
    MemoryTransport& first_out = *to_second;
    MemoryTransport& second_out = *to_first;
    auto first = std::make_shared<Node>(std::move(to_second));
    auto second = std::make_shared<Node>(std::move(to_first));
    first_out.connect(second);
    second_out.connect(first);
    return {std::move(first), std::move(second)};
}

Cell& make_remote_cell(const std::shared_ptr<Node>& node, const std::string& name,
                       const std::type_info& type) {
    return *new RemoteCell(std::make_unique<Wire>(node, name), name, type);
}

}  // namespace gyre::actor
