// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/wire.hpp"

#include <utility>

namespace gyre::actor {

Frame Wire::frame(Frame::Kind kind) const {
    Frame frame{.kind = kind, .actor = actor_};
    if (const Host* here = Host::here()) frame.trace_id = here->trace_now();
    return frame;
}

Result<void> Wire::send(Frame frame) const {
    const std::shared_ptr<Station> station = station_.lock();
    if (station == nullptr) return std::unexpected(Error(std::errc::not_connected));
    return station->send(std::move(frame));
}

void Wire::signal(const Signal& signal) const noexcept {
    const std::shared_ptr<Station> station = station_.lock();
    if (tie_ != 0) {
        if (station != nullptr) station->ties().tell_other_end(tie_, signal.failure);
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
            const Ties::Tie tie{signal.kind, signal.who, signal.to, signal.tell};
            station != nullptr ? static_cast<void>(station->ties().begin(tie))
                               : Ties::tell(tie, nullptr);
            return;
        }
        case SignalKind::unwatch:
        case SignalKind::unlink:
        case SignalKind::link_failed:
            if (station != nullptr) station->ties().withdraw_all(signal);
            return;
        case SignalKind::start:
        case SignalKind::child_ended:
        case SignalKind::ended:
            return;  // Not said to an actor elsewhere.
    }
}

std::uint64_t Wire::await_end(const AnyRef& of, Acknowledgement& told) const {
    const Ties::Tie tie{.of = of, .told = &told};
    if (const std::shared_ptr<Station> station = station_.lock()) {
        return station->ties().begin(tie);
    }
    Ties::tell(tie, nullptr);
    return 0;
}

bool Wire::give_up_end(std::uint64_t tie) const {
    const std::shared_ptr<Station> station = station_.lock();
    return station != nullptr && station->ties().withdraw(tie);
}

}  // namespace gyre::actor
