// SPDX-License-Identifier: Apache-2.0
#include "lang/script/inspect/internal/debug_queue.hpp"

#include <utility>

namespace gyre::script {

void DebugQueue::wake() noexcept {
    if (writer_) writer_->wake();
    if (ending_) ending_->wake();
}

void DebugQueue::add(Event event) {
    event_bytes_ += event.text.size();
    events_.push_back(std::move(event));
    has_event_.notify_all();
    if (bell_) bell_();
}

void DebugQueue::add_output(WebSocketMessage message) {
    if (!has_client_ || is_full_) return;
    output_bytes_ += message.payload.size();
    is_full_ = output_bytes_ > waiting_bytes_max;
    output_.push_back(std::move(message));
    wake();
}

void DebugQueue::send(std::string message) {
    const std::lock_guard lock(mutex_);
    add_output({WebSocketMessage::Kind::text, std::move(message)});
}

DebugLink::Event DebugQueue::take() {
    const std::lock_guard lock(mutex_);
    if (events_.empty()) return {};
    Event event = std::move(events_.front());
    events_.pop_front();
    event_bytes_ -= event.text.size();
    return event;
}

DebugLink::Event DebugQueue::wait() {
    {
        std::unique_lock lock(mutex_);
        has_event_.wait(lock, [this] { return !events_.empty() || has_ended_waits_; });
        if (has_ended_waits_) return {.kind = Kind::ended};
    }
    return take();
}

void DebugQueue::end_waits() noexcept {
    const std::lock_guard lock(mutex_);
    has_ended_waits_ = true;
    has_event_.notify_all();
}

void DebugQueue::set_bell(std::function<void()> bell) {
    const std::lock_guard lock(mutex_);
    bell_ = std::move(bell);
    if (bell_ && !events_.empty()) bell_();
}

void DebugQueue::end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    wake();
}

bool DebugQueue::open() {
    const std::lock_guard lock(mutex_);
    if (has_client_ || has_ended_) return false;
    has_client_ = true;
    is_full_ = false;
    is_leaving_ = false;
    add({.kind = Kind::opened});
    return true;
}

bool DebugQueue::put(std::string message) {
    const std::lock_guard lock(mutex_);
    if (event_bytes_ + message.size() > waiting_bytes_max) return false;
    add({.kind = Kind::message, .text = std::move(message)});
    return true;
}

void DebugQueue::answer(WebSocketMessage message) {
    const std::lock_guard lock(mutex_);
    add_output(std::move(message));
}

void DebugQueue::leave() {
    const std::lock_guard lock(mutex_);
    is_leaving_ = true;
    wake();
}

void DebugQueue::close() {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(has_client_, false)) return;
    output_.clear();
    output_bytes_ = 0;
    add({.kind = Kind::closed});
    wake();
}

Poll<std::optional<WebSocketMessage>> DebugQueue::poll_output(const Waker& waker) {
    const std::lock_guard lock(mutex_);
    if (is_leaving_ || is_full_ || (output_.empty() && has_ended_)) {
        writer_.reset();
        return std::optional<WebSocketMessage>();
    }
    if (output_.empty()) {
        writer_ = waker;
        return pending;
    }
    std::optional<WebSocketMessage> message(std::move(output_.front()));
    output_.pop_front();
    output_bytes_ -= message->payload.size();
    return message;
}

Poll<bool> DebugQueue::poll_end(const Waker& waker) {
    const std::lock_guard lock(mutex_);
    if (has_ended_) return true;
    ending_ = waker;
    return pending;
}

Poll<bool> DebugQueue::poll_left(const Waker& waker) {
    const std::lock_guard lock(mutex_);
    if (!has_client_) {
        ending_.reset();
        return true;
    }
    ending_ = waker;
    return pending;
}

bool DebugQueue::has_ended() {
    const std::lock_guard lock(mutex_);
    return has_ended_;
}

}  // namespace gyre::script
