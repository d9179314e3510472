// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/pipe.hpp"

#include <algorithm>
#include <utility>

namespace gyre::sim {

std::size_t Pipe::push(ConstBytes data, PassedId passed) {
    const std::size_t size = std::min(data.size(), free_bytes());
    const std::uint64_t begin = popped_ + bytes_.size();
    if (passed != 0) accompanied_.push_back({begin, begin + size, passed});
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
    if (!accompanied_.empty() && accompanied_.front().begin < popped_ + size) {
        size = std::min<std::size_t>(size, accompanied_.front().end - popped_);
        passed = accompanied_.front().passed;
        accompanied_.pop_front();
    }
    const auto end = bytes_.begin() + static_cast<std::ptrdiff_t>(size);
    std::copy(bytes_.begin(), end, into.begin());
    bytes_.erase(bytes_.begin(), end);
    arrived_ -= size;
    popped_ += size;
    return {size, passed};
}

void Pipe::clear() noexcept {
    withdraw();
    popped_ += bytes_.size();
    bytes_.clear();
    under_way_.clear();
    arrived_ = 0;
    for (const Accompanied& each : std::exchange(accompanied_, {})) {
        medium_.descriptors.drop(each.passed);
    }
}

void Pipe::add(Arrival what, std::size_t size) {
    Instant when = medium_.now() + medium_.draw(medium_.options.latency);
    if (!under_way_.empty()) when = std::max(when, under_way_.back().arrives_at);
    under_way_.push_back({when, what, size});
    if (!is_expected()) happen_at(when);
}

void Pipe::happen() noexcept {
    const Segment segment = under_way_.front();
    under_way_.pop_front();
    arrived_ += segment.size;
    if (!under_way_.empty()) happen_at(under_way_.front().arrives_at);
    on_arrival_(segment.what);
}

}  // namespace gyre::sim
