// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/detail/wire.hpp"

#include <utility>

#include "gyre/actor/internal/remote_links.hpp"
#include "gyre/actor/internal/signal.hpp"
#include "gyre/actor/node.hpp"

namespace gyre::actor {

Frame Wire::frame(Frame::Kind kind) const {
    Frame frame{.kind = kind, .actor = actor_};
    if (const ActorHost* here = ActorHost::here()) frame.trace_id = here->trace_now();
    return frame;
}

Result<void> Wire::send(Frame frame) const {
    const std::shared_ptr<Node> node = node_.lock();
    if (node == nullptr) return std::unexpected(Error(std::errc::not_connected));
    return node->send(std::move(frame));
}

void Wire::ask(Frame frame, std::function<void(const Frame* answer)> on_answer) const {
    const std::shared_ptr<Node> node = node_.lock();
    if (node == nullptr) return on_answer(nullptr);
    const std::uint64_t call = node->add_call(std::move(on_answer));
    frame.call = call;
    if (!node->send(std::move(frame))) node->drop_call(call);
}

void Wire::signal(const Signal& signal) const noexcept {
    const std::shared_ptr<Node> node = node_.lock();
    if (registration_ != 0) {
        if (node != nullptr) node->links().tell_peer(registration_, signal.failure);
        return;
    }
    switch (signal.kind) {
        case SignalKind::stop:
            static_cast<void>(send(frame(Frame::Kind::stop)));
            return;
        case SignalKind::stop_now:
            static_cast<void>(send(frame(Frame::Kind::stop_now)));
            return;
        case SignalKind::watch:
        case SignalKind::link: {
            const RemoteLinks::Registration registration{signal.kind, signal.who, signal.to,
                                                         signal.tell};
            node != nullptr ? static_cast<void>(node->links().begin(registration))
                            : RemoteLinks::tell(registration, nullptr);
            return;
        }
        case SignalKind::unwatch:
        case SignalKind::unlink:
        case SignalKind::link_failed:
            if (node != nullptr) node->links().withdraw_all(signal);
            return;
        case SignalKind::start:
        case SignalKind::child_ended:
        case SignalKind::ended:
            return;  // These are sent within the process only.
    }
}

std::uint64_t Wire::await_end(const AnyRef& of, Acknowledgement& acknowledgement) const {
    const RemoteLinks::Registration registration{.of = of, .acknowledgement = &acknowledgement};
    if (const std::shared_ptr<Node> node = node_.lock()) {
        return node->links().begin(registration);
    }
    RemoteLinks::tell(registration, nullptr);
    return 0;
}

bool Wire::give_up_end(std::uint64_t registration) const {
    const std::shared_ptr<Node> node = node_.lock();
    return node != nullptr && node->links().withdraw(registration);
}

}  // namespace gyre::actor
