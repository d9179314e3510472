// SPDX-License-Identifier: Apache-2.0
#include "lang/script/threads/internal/port_hub.hpp"

#include <algorithm>
#include <utility>

#include "lang/script/script.hpp"

namespace gyre::script {

void ThreadInbox::put(double id, double number, std::string text) {
    const std::lock_guard lock(mutex_);
    if (script_ != nullptr) script_->post_remote(id, number, std::move(text));
}

void ThreadInbox::close() {
    const std::lock_guard lock(mutex_);
    script_ = nullptr;
}

PortHub::PortId PortHub::open_pair() {
    const std::lock_guard lock(mutex_);
    if (ports_.size() + 2 > port_count_max) return 0;
    last_ += 2;
    ports_[last_ - 1].peer = last_;
    ports_[last_].peer = last_ - 1;
    return last_ - 1;
}

PortHub::PortId PortHub::open_member(const std::string& group) {
    const std::lock_guard lock(mutex_);
    if (ports_.size() + 1 > port_count_max) return 0;
    last_ += 1;
    ports_[last_].group = group;
    groups_[group].push_back(last_);
    return last_;
}

void PortHub::tell(const Port& port, Event event) {
    if (port.owner != nullptr) port.owner->put(port.event, event);
}

void PortHub::attach(PortId port, const std::shared_ptr<ThreadInbox>& inbox, double event) {
    const std::lock_guard lock(mutex_);
    const auto found = ports_.find(port);
    if (found == ports_.end()) return inbox->put(event, port_closed);
    found->second.owner = inbox;
    found->second.event = event;
    // Those that wait come before the end, if the script starts the port.
    if (found->second.is_peer_closed && found->second.messages.empty()) close_locked(port);
}

void PortHub::start(PortId port) {
    const std::lock_guard lock(mutex_);
    const auto found = ports_.find(port);
    if (found == ports_.end() || std::exchange(found->second.is_started, true)) return;
    for (std::size_t i = 0; i < found->second.messages.size(); ++i)
        tell(found->second, message_came);
    if (found->second.is_peer_closed) tell(found->second, port_closed);
}

void PortHub::detach(PortId port) {
    const std::lock_guard lock(mutex_);
    const auto found = ports_.find(port);
    if (found == ports_.end()) return;
    found->second.owner = nullptr;
    found->second.is_started = false;
}

PortHub::Posted PortHub::post(PortId from, Message message) {
    const std::lock_guard lock(mutex_);
    const auto found = ports_.find(from);
    if (found == ports_.end()) {
        drop_message(message);
        return Posted::closed;
    }
    if (found->second.group.empty()) {
        const auto peer = ports_.find(found->second.peer);
        if (peer != ports_.end()) return post_to(peer->second, std::move(message));
        drop_message(message);
        return Posted::closed;
    }
    Posted outcome = Posted::done;
    for (const PortId member : groups_[found->second.group]) {
        if (member == from) continue;
        if (post_to(ports_[member], message) == Posted::full) outcome = Posted::full;
    }
    return outcome;
}

PortHub::Posted PortHub::post_to(Port& target, Message message) {
    const bool is_full = target.messages.size() >= waiting_count_max ||
                         message.size_bytes() > waiting_bytes_max - waiting_bytes_;
    if (is_full) {
        drop_message(message);
        return Posted::full;
    }
    waiting_bytes_ += message.size_bytes();
    target.messages.push_back(std::move(message));
    if (target.is_started) tell(target, message_came);
    return Posted::done;
}

std::optional<PortHub::Message> PortHub::take(PortId port) {
    const std::lock_guard lock(mutex_);
    const auto found = ports_.find(port);
    if (found == ports_.end() || found->second.messages.empty()) return std::nullopt;
    Message taken = std::move(found->second.messages.front());
    found->second.messages.pop_front();
    waiting_bytes_ -= taken.size_bytes();
    return taken;
}

void PortHub::drop_message(Message& message) {
    for (const PortId port : message.ports) close_locked(port);
}

void PortHub::close(PortId port) {
    const std::lock_guard lock(mutex_);
    close_locked(port);
}

void PortHub::tell_closed(PortId port) {
    const std::lock_guard lock(mutex_);
    const auto found = ports_.find(port);
    if (found != ports_.end()) tell(found->second, port_closed);
}

// The other end follows, after the messages that wait there.
void PortHub::close_locked(PortId port) {
    const auto found = ports_.find(port);
    if (found == ports_.end()) return;
    Port gone = std::move(found->second);
    ports_.erase(found);
    tell(gone, port_closed);
    if (!gone.group.empty()) std::erase(groups_[gone.group], port);
    if (!gone.group.empty() && groups_[gone.group].empty()) groups_.erase(gone.group);
    for (Message& message : gone.messages) {
        waiting_bytes_ -= message.size_bytes();
        drop_message(message);
    }
    const auto peer = ports_.find(gone.peer);
    if (peer == ports_.end()) return;
    peer->second.is_peer_closed = true;
    if (peer->second.is_started) {
        tell(peer->second, port_closed);
    } else if (peer->second.owner != nullptr && peer->second.messages.empty()) {
        close_locked(gone.peer);
    }
}

void PortHub::drop(const std::shared_ptr<ThreadInbox>& inbox) {
    const std::lock_guard lock(mutex_);
    std::vector<PortId> owned;
    for (auto& [id, port] : ports_) {
        if (port.owner == inbox) owned.push_back(id);
    }
    for (const PortId id : owned) close_locked(id);
}

}  // namespace gyre::script
