// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/net/pipe.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace gyre::sim {

std::size_t Pipe::push(ConstBytes data, PassedId passed) {
    const std::size_t size = std::min(data.size(), free_bytes());
    const std::uint64_t begin = popped_ + bytes_.size();
    if (passed != 0) passed_ranges_.push_back({begin, begin + size, passed});
    bytes_.insert(bytes_.end(), data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size));
    add(Arrival::bytes, size);
    return size;
}

void Pipe::push(Arrival mark) {
    add(mark, 0);
}

Pipe::Popped Pipe::pop(Bytes into) {
    std::size_t size = std::min(into.size(), arrived_);
    PassedId passed = 0;
    if (!passed_ranges_.empty() && passed_ranges_.front().begin < popped_ + size) {
        size = std::min<std::size_t>(size, passed_ranges_.front().end - popped_);
        passed = passed_ranges_.front().passed;
        passed_ranges_.pop_front();
    }
    const auto end = bytes_.begin() + static_cast<std::ptrdiff_t>(size);
    std::copy(bytes_.begin(), end, into.begin());
    bytes_.erase(bytes_.begin(), end);
    arrived_ -= size;
    popped_ += size;
    return {size, passed};
}

void Pipe::clear() noexcept {
    stop_waiting();
    withdraw();
    popped_ += bytes_.size();
    bytes_.clear();
    in_flight_.clear();
    arrived_ = 0;
    for (const PassedRange& each : std::exchange(passed_ranges_, {})) {
        context_.descriptors.drop(each.passed);
    }
}

void Pipe::add(Arrival what, std::size_t size) {
    Instant when = link_ != nullptr ? link_->draw_arrival(context_, size)
                                    : context_.now() + context_.draw(context_.options.latency);
    if (!in_flight_.empty()) when = std::max(when, in_flight_.back().arrives_at);
    in_flight_.push_back({when, what, size});
    if (!is_scheduled()) schedule_at(when);
}

void Pipe::stop_waiting() noexcept {
    if (std::exchange(is_waiting_, false)) link_->remove_waiting(*this);
}

void Pipe::go_on() {
    // The retransmission timer of the sender is somewhere in its interval.
    constexpr DurationRange pause = {Duration(0), std::chrono::milliseconds(200)};
    is_waiting_ = false;
    withdraw();
    Instant when = link_->draw_arrival(context_, 0) + context_.draw(pause);
    for (Segment& segment : in_flight_) {
        segment.arrives_at = std::max(segment.arrives_at, when);
        when = segment.arrives_at;
    }
    if (!in_flight_.empty()) schedule_at(in_flight_.front().arrives_at);
}

void Pipe::give_up() noexcept {
    stop_waiting();
    in_flight_.clear();
    bytes_.resize(arrived_);
    on_arrival_(Arrival::lost);
}

void Pipe::fire() noexcept {
    if (is_waiting_) return give_up();
    if (link_ != nullptr && link_->is_cut()) {
        is_waiting_ = true;
        link_->add_waiting(*this);
        schedule_at(context_.now() + context_.options.tcp_gives_up_after);
        return;
    }
    if (link_ != nullptr && link_->stalled_until() > context_.now()) {
        schedule_at(link_->stalled_until());
        return;
    }
    const Segment segment = in_flight_.front();
    in_flight_.pop_front();
    arrived_ += segment.size;
    if (!in_flight_.empty()) schedule_at(in_flight_.front().arrives_at);
    on_arrival_(segment.what);
}

}  // namespace gyre::sim
