// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/station.hpp"

#include <utility>

namespace gyre::actor {

Result<void> Station::send(Frame frame) {
    {
        const std::lock_guard lock(mutex_);
        if (is_closed_) return std::unexpected(Error(std::errc::not_connected));
    }
    return out_->send(std::move(frame));
}

Result<void> Station::receive(Frame frame) {
    {
        const std::lock_guard lock(mutex_);
        if (is_closed_) return std::unexpected(Error(std::errc::not_connected));
    }
    switch (frame.kind) {
        case Frame::Kind::tell:
        case Frame::Kind::ask:
            return take_message(frame);
        case Frame::Kind::answer:
        case Frame::Kind::error:
            return take_answer(frame);
        case Frame::Kind::stop:
        case Frame::Kind::stop_now: {
            const AnyRef actor = actor_named(frame.actor);
            if (!actor) return std::unexpected(Error(std::errc::no_such_device_or_address));
            frame.kind == Frame::Kind::stop ? actor.stop() : actor.stop_now();
            return {};
        }
        default:
            return ties_.receive(frame, actor_named(frame.actor));
    }
}

// Who asks is told where nobody takes the message: no answer would ever come.
Result<void> Station::take_message(const Frame& frame) {
    Take take;
    {
        const std::lock_guard lock(mutex_);
        const auto found = exports_.find({frame.actor, frame.type});
        if (found != exports_.end()) take = found->second;
    }
    const Result<void> taken =
        take ? take(frame) : std::unexpected(Error(std::errc::no_such_device_or_address));
    if (!taken && frame.kind == Frame::Kind::ask) {
        Frame back{.kind = Frame::Kind::error, .call = frame.call};
        back.bytes =
            take ? "actor '" + frame.actor + "' cannot read the message '" + frame.type + "'"
                 : "no actor '" + frame.actor + "' takes a message '" + frame.type + "'";
        static_cast<void>(send(std::move(back)));
    }
    return taken;
}

Result<void> Station::take_answer(const Frame& frame) {
    const Settle settle = take_call(frame.call);
    if (!settle) return std::unexpected(Error(std::errc::invalid_argument));
    settle(&frame);
    return {};
}

void Station::close() noexcept {
    std::map<std::uint64_t, Settle> calls;
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(is_closed_, true)) return;
        calls.swap(calls_);
    }
    for (const auto& [call, settle] : calls) settle(nullptr);
    ties_.close();
    out_->close();
}

std::uint64_t Station::add_call(Settle settle) {
    const std::lock_guard lock(mutex_);
    calls_.emplace(++last_call_, std::move(settle));
    return last_call_;
}

void Station::drop_call(std::uint64_t call) {
    if (const Settle settle = take_call(call)) settle(nullptr);
}

Station::Settle Station::take_call(std::uint64_t call) {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.extract(call);
    return found.empty() ? Settle() : std::move(found.mapped());
}

void Station::add_actor(const std::string& name, AnyRef actor) {
    const std::lock_guard lock(mutex_);
    actors_.insert_or_assign(name, std::move(actor));
}

void Station::add_export(const std::string& actor, const std::string& type, Take take) {
    const std::lock_guard lock(mutex_);
    exports_.insert_or_assign({actor, type}, std::move(take));
}

AnyRef Station::actor_named(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = actors_.find(name);
    return found == actors_.end() ? AnyRef() : found->second;
}

}  // namespace gyre::actor
