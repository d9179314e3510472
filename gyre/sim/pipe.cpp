// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/pipe.hpp"

#include <algorithm>

namespace gyre::sim {

std::size_t Pipe::push(ConstBytes data) {
    const std::size_t size = std::min(data.size(), free_bytes());
    bytes_.insert(bytes_.end(), data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size));
    add(Arrival::bytes, size);
    return size;
}

void Pipe::push(Arrival mark) {
    add(mark, 0);
}

std::size_t Pipe::pop(Bytes into) {
    const std::size_t size = std::min(into.size(), arrived_);
    const auto end = bytes_.begin() + static_cast<std::ptrdiff_t>(size);
    std::copy(bytes_.begin(), end, into.begin());
    bytes_.erase(bytes_.begin(), end);
    arrived_ -= size;
    return size;
}

void Pipe::clear() noexcept {
    withdraw();
    bytes_.clear();
    under_way_.clear();
    arrived_ = 0;
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
