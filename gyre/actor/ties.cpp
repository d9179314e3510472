// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/ties.hpp"

#include <memory>
#include <utility>

#include "gyre/actor/answer.hpp"
#include "gyre/actor/errors.hpp"
#include "gyre/actor/station.hpp"
#include "gyre/actor/wire.hpp"
#include "gyre/task/task_report.hpp"

namespace gyre::actor {

// ---- begun here

Ties::Key Ties::key_of(const Tie& tie, std::uint64_t number) {
    return {tie.kind, tie.who.cell(), tie.of.name(), number};
}

std::uint64_t Ties::begin(Tie tie) {
    Frame frame{.kind = tie.kind == SignalKind::watch ? Frame::Kind::watch : Frame::Kind::link,
                .actor = tie.of.name(),
                .bytes = tie.who.name()};
    std::uint64_t number = 0;
    {
        const std::lock_guard lock(mutex_);
        number = frame.call = ++last_number_;
        keys_.insert(key_of(tie, number));
        begun_.emplace(number, std::move(tie));
    }
    // A station that closes refuses frames before it closes its ties: one of the two tells of it.
    if (!station_.send(std::move(frame))) {
        if (const auto lost = take(number)) tell(*lost, nullptr);
    }
    return number;
}

std::optional<Ties::Tie> Ties::take(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = begun_.extract(number);
    if (found.empty()) return std::nullopt;
    keys_.erase(key_of(found.mapped(), number));
    return std::move(found.mapped());
}

bool Ties::withdraw(std::uint64_t number, Frame::Kind how, std::string why) {
    if (!take(number)) return false;
    static_cast<void>(station_.send({.kind = how, .call = number, .bytes = std::move(why)}));
    return true;
}

void Ties::withdraw_all(const Signal& signal) {
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
        withdraw(number, is_failed ? Frame::Kind::link_failed : Frame::Kind::untie,
                 is_failed ? TaskReport::text_of(signal.failure) : std::string());
    }
}

void Ties::tell(const Tie& tie, const Frame* end) noexcept {
    std::exception_ptr failure;
    if (end == nullptr) {
        failure = std::make_exception_ptr(NodeLost());
    } else if (end->kind == Frame::Kind::failed) {
        failure = std::make_exception_ptr(ActorError(actor_ended, end->bytes));
    }
    if (tie.told != nullptr) {
        // However it ended, it has; a connection that is lost says nothing of that.
        end == nullptr ? tie.told->reject(std::move(failure)) : tie.told->resolve();
    } else if (tie.kind == SignalKind::watch) {
        Cell::tell_watcher(tie.who, tie.tell, Terminated{tie.of, std::move(failure)});
    } else {
        Cell::tell_linked(tie.who, tie.of, std::move(failure));
    }
}

// ---- begun there

Result<void> Ties::welcome(const Frame& frame, const AnyRef& actor) {
    if (!actor) {
        Frame back{.kind = Frame::Kind::failed, .call = frame.call};
        back.bytes = "no actor '" + frame.actor + "' is there";
        static_cast<void>(station_.send(std::move(back)));
        return std::unexpected(Error(std::errc::no_such_device_or_address));
    }
    const SignalKind kind = frame.kind == Frame::Kind::watch ? SignalKind::watch : SignalKind::link;
    auto wire = std::make_unique<Wire>(station_.weak_from_this(), frame.call);
    const AnyRef peer(*new RemoteCell(std::move(wire), frame.bytes, typeid(void)), AnyRef::Adopt());
    const Guest guest{kind, peer, actor};
    {
        const std::lock_guard lock(mutex_);
        if (is_closed_) return std::unexpected(Error(std::errc::not_connected));
        if (!guests_.try_emplace(frame.call, guest).second) {
            return std::unexpected(Error(std::errc::bad_message));
        }
    }
    Cell::send(new Signal(kind, *actor.cell(), peer));
    bool is_lost = false;
    {
        const std::lock_guard lock(mutex_);
        if (guests_.contains(frame.call)) return {};
        is_lost = is_closed_;
    }
    // Another thread has let it go meanwhile, and its signal may have come before this one.
    let_go(guest, is_lost ? std::make_exception_ptr(NodeLost()) : nullptr);
    return {};
}

std::optional<Ties::Guest> Ties::take_guest(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = guests_.extract(number);
    if (found.empty()) return std::nullopt;
    return std::move(found.mapped());
}

void Ties::tell_other_end(std::uint64_t number, const std::exception_ptr& failure) {
    if (!take_guest(number)) return;
    Frame frame{.kind = Frame::Kind::ended, .call = number};
    if (failure != nullptr) {
        frame.kind = Frame::Kind::failed;
        frame.bytes = TaskReport::text_of(failure);
    }
    static_cast<void>(station_.send(std::move(frame)));
}

// Who began it wants no more, or has failed.
void Ties::let_go(const Guest& guest, const std::exception_ptr& failure) noexcept {
    if (guest.kind == SignalKind::watch) {
        Cell::send(new Signal(SignalKind::unwatch, *guest.actor.cell(), guest.peer));
    } else {
        Cell::tell_linked(guest.actor, guest.peer, failure);
    }
}

// ---- both

Result<void> Ties::receive(const Frame& frame, const AnyRef& actor) {
    if (frame.kind == Frame::Kind::watch || frame.kind == Frame::Kind::link) {
        return welcome(frame, actor);
    }
    // One that is not there was ended by both sides at the same time.
    if (frame.kind == Frame::Kind::ended || frame.kind == Frame::Kind::failed) {
        if (const auto tie = take(frame.call)) tell(*tie, &frame);
    } else if (const auto guest = take_guest(frame.call)) {
        const bool is_failed = frame.kind == Frame::Kind::link_failed;
        let_go(*guest,
               is_failed ? std::make_exception_ptr(ActorError(actor_ended, frame.bytes)) : nullptr);
    }
    return {};
}

void Ties::close() noexcept {
    std::map<std::uint64_t, Tie> begun;
    std::map<std::uint64_t, Guest> guests;
    {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
        begun.swap(begun_);
        guests.swap(guests_);
        keys_.clear();
    }
    for (const auto& [number, tie] : begun) tell(tie, nullptr);
    for (const auto& [number, guest] : guests) {
        let_go(guest, std::make_exception_ptr(NodeLost()));
    }
}

std::size_t Ties::count() const {
    const std::lock_guard lock(mutex_);
    return begun_.size() + guests_.size();
}

}  // namespace gyre::actor
