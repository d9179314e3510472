// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/internal/remote_links.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "gyre/actor/detail/reply.hpp"
#include "gyre/actor/internal/remote_cell.hpp"
#include "gyre/actor/node.hpp"
#include "gyre/task/core/detail/task_report.hpp"

namespace gyre::actor {

// ---- registered here

RemoteLinks::Key RemoteLinks::key_of(const Registration& registration, std::uint64_t number) {
    return {registration.kind, registration.who.cell(), registration.of.name(), number};
}

std::uint64_t RemoteLinks::begin(Registration registration) {
    Frame frame{
        .kind = registration.kind == SignalKind::watch ? Frame::Kind::watch : Frame::Kind::link,
        .actor = registration.of.name(),
        .bytes = registration.who.name()};
    std::uint64_t number = 0;
    {
        const std::lock_guard lock(mutex_);
        number = frame.call = ++last_number_;
        keys_.insert(key_of(registration, number));
        registrations_.emplace(number, std::move(registration));
    }
    // A closing node refuses frames before it closes its links: one of the two reports the loss.
    if (!node_.send(std::move(frame))) {
        if (const auto lost = take(number)) tell(*lost, nullptr);
    }
    return number;
}

std::optional<RemoteLinks::Registration> RemoteLinks::take(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = registrations_.extract(number);
    if (found.empty()) return std::nullopt;
    keys_.erase(key_of(found.mapped(), number));
    return std::move(found.mapped());
}

bool RemoteLinks::withdraw(std::uint64_t number, Frame::Kind how, std::string why) {
    if (!take(number)) return false;
    static_cast<void>(node_.send({.kind = how, .call = number, .bytes = std::move(why)}));
    return true;
}

void RemoteLinks::withdraw_all(const Signal& signal) {
    const bool is_failed = signal.kind == SignalKind::link_failed;
    const SignalKind kind =
        signal.kind == SignalKind::unwatch ? SignalKind::watch : SignalKind::link;
    const Key first(kind, signal.who.cell(), signal.to.name(), 0);
    std::vector<std::uint64_t> numbers;
    {
        const std::lock_guard lock(mutex_);
        for (auto at = keys_.lower_bound(first); at != keys_.end(); ++at) {
            const auto& [its_kind, who, of, number] = *at;
            if (its_kind != kind || who != std::get<1>(first) || of != std::get<2>(first)) break;
            numbers.push_back(number);
        }
    }
    for (const std::uint64_t number : numbers) {
        withdraw(number, is_failed ? Frame::Kind::link_failed : Frame::Kind::withdraw,
                 is_failed ? TaskReport::text_of(signal.failure) : std::string());
    }
}

void RemoteLinks::tell(const Registration& registration, const Frame* end) noexcept {
    std::exception_ptr failure;
    if (end == nullptr) {
        failure = std::make_exception_ptr(NodeLost());
    } else if (end->kind == Frame::Kind::failed) {
        failure = std::make_exception_ptr(ActorError(actor_ended, end->bytes));
    }
    if (registration.acknowledgement != nullptr) {
        // Ended either way; a lost connection does not tell whether the actor ended.
        end == nullptr ? registration.acknowledgement->reject(std::move(failure))
                       : registration.acknowledgement->resolve();
    } else if (registration.kind == SignalKind::watch) {
        Cell::tell_watcher(registration.who, registration.tell,
                           Terminated{registration.of, std::move(failure)});
    } else {
        Cell::tell_linked(registration.who, registration.of, std::move(failure));
    }
}

// ---- registered by the peer

Result<void> RemoteLinks::add_peer(const Frame& frame, const AnyRef& actor) {
    if (!actor) {
        Frame back{.kind = Frame::Kind::failed, .call = frame.call};
        back.bytes = "no actor '" + frame.actor + "' is there";
        static_cast<void>(node_.send(std::move(back)));
        return std::unexpected(Error(std::errc::no_such_device_or_address));
    }
    const SignalKind kind = frame.kind == Frame::Kind::watch ? SignalKind::watch : SignalKind::link;
    auto wire = std::make_unique<Wire>(node_.weak_from_this(), frame.call);
    const AnyRef peer(*new RemoteCell(std::move(wire), frame.bytes, typeid(void)), AnyRef::Adopt());
    const PeerRegistration peer_registration{kind, peer, actor};
    {
        const std::lock_guard lock(mutex_);
        if (is_closed_) return std::unexpected(Error(std::errc::not_connected));
        if (!peer_registrations_.try_emplace(frame.call, peer_registration).second) {
            return std::unexpected(Error(std::errc::bad_message));
        }
    }
    Cell::send(new Signal(kind, *actor.cell(), peer));
    bool is_lost = false;
    {
        const std::lock_guard lock(mutex_);
        if (peer_registrations_.contains(frame.call)) return {};
        is_lost = is_closed_;
    }
    // Another thread removed it meanwhile: its signal may have overtaken this one.
    end_peer(peer_registration, is_lost ? std::make_exception_ptr(NodeLost()) : nullptr);
    return {};
}

std::optional<RemoteLinks::PeerRegistration> RemoteLinks::take_peer(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = peer_registrations_.extract(number);
    if (found.empty()) return std::nullopt;
    return std::move(found.mapped());
}

void RemoteLinks::tell_peer(std::uint64_t number, const std::exception_ptr& failure) {
    if (!take_peer(number)) return;
    Frame frame{.kind = Frame::Kind::ended, .call = number};
    if (failure != nullptr) {
        frame.kind = Frame::Kind::failed;
        frame.bytes = TaskReport::text_of(failure);
    }
    static_cast<void>(node_.send(std::move(frame)));
}

// The peer withdrew it, or its linked actor failed.
void RemoteLinks::end_peer(const PeerRegistration& peer_registration,
                           const std::exception_ptr& failure) noexcept {
    if (peer_registration.kind == SignalKind::watch) {
        Cell::send(new Signal(SignalKind::unwatch, *peer_registration.actor.cell(),
                              peer_registration.peer));
    } else {
        Cell::tell_linked(peer_registration.actor, peer_registration.peer, failure);
    }
}

// ---- both

Result<void> RemoteLinks::receive(const Frame& frame, const AnyRef& actor) {
    if (frame.kind == Frame::Kind::watch || frame.kind == Frame::Kind::link) {
        return add_peer(frame, actor);
    }
    // A missing registration was ended by both sides at the same time.
    if (frame.kind == Frame::Kind::ended || frame.kind == Frame::Kind::failed) {
        if (const auto registration = take(frame.call)) tell(*registration, &frame);
    } else if (const auto peer_registration = take_peer(frame.call)) {
        const bool is_failed = frame.kind == Frame::Kind::link_failed;
        end_peer(
            *peer_registration,
            is_failed ? std::make_exception_ptr(ActorError(actor_ended, frame.bytes)) : nullptr);
    }
    return {};
}

void RemoteLinks::close() noexcept {
    std::map<std::uint64_t, Registration> registrations;
    std::map<std::uint64_t, PeerRegistration> peers;
    {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
        registrations.swap(registrations_);
        peers.swap(peer_registrations_);
        keys_.clear();
    }
    for (const auto& [number, registration] : registrations) tell(registration, nullptr);
    for (const auto& [number, peer_registration] : peers) {
        end_peer(peer_registration, std::make_exception_ptr(NodeLost()));
    }
}

std::size_t RemoteLinks::count() const {
    const std::lock_guard lock(mutex_);
    return registrations_.size() + peer_registrations_.size();
}

}  // namespace gyre::actor
