// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/net/wire.hpp"

#include <algorithm>

#include "gyre/sim/internal/net/network.hpp"
#include "gyre/sim/internal/net/pipe.hpp"

namespace gyre::sim {

void Link::set_faults(const LinkFaults& faults) {
    faults_ = faults;
    wake_waiting();
}

bool Link::is_cut() const noexcept {
    return faults_.is_cut || !from_.is_up() || !to_.is_up();
}

Instant Link::draw_arrival(SimContext& context, std::size_t size_bytes) {
    Instant sent = context.now();
    if (faults_.bytes_per_second > 0) {
        constexpr std::uint64_t nanoseconds = 1'000'000'000;
        sends_until_ = std::max(sends_until_, sent) +
                       Duration(static_cast<Duration::rep>(size_bytes * nanoseconds /
                                                           faults_.bytes_per_second));
        sent = sends_until_;
    }
    return std::max(sent + context.draw(faults_.latency), stalled_until_);
}

void Link::wake_waiting() {
    if (is_cut()) return;
    for (Pipe* const pipe : std::exchange(waiting_, {})) pipe->go_on();
}

Link& Wire::link(Network& from, Network& to) {
    std::unique_ptr<Link>& link = links_[{from.ip(), to.ip()}];
    if (link == nullptr) link = std::make_unique<Link>(from, to);
    return *link;
}

void Wire::wake_waiting() {
    for (const auto& [ends, link] : links_) link->wake_waiting();
}

}  // namespace gyre::sim
