// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/wire.hpp"

#include <utility>
#include <vector>

namespace gyre::actor {

Result<void> Station::receive(Frame frame) {
    if (frame.kind == Frame::Kind::answer || frame.kind == Frame::Kind::error) {
        Settle settle;
        {
            const std::lock_guard lock(mutex_);
            const auto found = calls_.find(frame.call);
            if (found == calls_.end()) return std::unexpected(Error(std::errc::invalid_argument));
            settle = std::move(found->second);
            calls_.erase(found);
        }
        settle(&frame);
        return {};
    }
    Take take;
    {
        const std::lock_guard lock(mutex_);
        const auto found = exports_.find({frame.actor, frame.type});
        if (found != exports_.end()) take = found->second;
    }
    if (take) return take(std::move(frame));
    const std::uint64_t call = frame.call;
    if (frame.kind == Frame::Kind::ask) {
        Frame back{.kind = Frame::Kind::error, .call = call};
        back.bytes = "no actor '" + frame.actor + "' takes a message '" + frame.type + "'";
        static_cast<void>(send(std::move(back)));
    }
    return std::unexpected(Error(std::errc::no_such_device_or_address));
}

void Station::close() noexcept {
    std::map<std::uint64_t, Settle> calls;
    {
        const std::lock_guard lock(mutex_);
        calls.swap(calls_);
    }
    for (const auto& [call, settle] : calls) settle(nullptr);
}

std::uint64_t Station::add_call(Settle settle) {
    const std::lock_guard lock(mutex_);
    calls_.emplace(++last_call_, std::move(settle));
    return last_call_;
}

void Station::drop_call(std::uint64_t call) {
    Settle settle;
    {
        const std::lock_guard lock(mutex_);
        const auto found = calls_.find(call);
        if (found == calls_.end()) return;
        settle = std::move(found->second);
        calls_.erase(found);
    }
    settle(nullptr);
}

void Station::add_export(const std::string& actor, const std::string& type, Take take) {
    const std::lock_guard lock(mutex_);
    exports_.insert_or_assign({actor, type}, std::move(take));
}

Frame Wire::frame(Frame::Kind kind) const {
    Frame frame{.kind = kind, .actor = actor_};
    if (const Host* here = Host::here()) frame.trace_id = here->trace_now();
    return frame;
}

// An end can be asked for from here; to watch over a wire is the other side's to offer.
void Wire::signal(const Signal& signal) noexcept {
    if (signal.kind == SignalKind::stop) {
        static_cast<void>(station_->send(frame(Frame::Kind::stop)));
    } else if (signal.kind == SignalKind::stop_now) {
        static_cast<void>(station_->send(frame(Frame::Kind::stop_now)));
    } else if (signal.kind == SignalKind::watch) {
        const auto failure = std::make_exception_ptr(
            ActorError(not_serialisable, "an actor elsewhere cannot be watched from here"));
        Host::put_urgent(*signal.who.cell(), *signal.tell(Terminated{signal.to, failure}));
    }
}

}  // namespace gyre::actor
