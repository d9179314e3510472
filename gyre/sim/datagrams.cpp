// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/datagrams.hpp"

#include <algorithm>
#include <utility>

#include "gyre/sim/datagram_socket.hpp"
#include "gyre/sim/internal/ip.hpp"

namespace gyre::sim {
namespace {

bool is_ip(const DatagramSocket& socket) noexcept {
    return socket.family() != Address::Family::unix_path;
}

// One flow keeps to one of the sockets that share a port.
std::size_t pick(const Datagram& datagram, std::size_t count) noexcept {
    return (std::size_t{datagram.from.port()} * 31 + datagram.to.port()) % count;
}

}  // namespace

bool Datagrams::is_taken(const Address& at, const DatagramSocket& by) const {
    return std::any_of(sockets_.begin(), sockets_.end(), [&](const DatagramSocket* other) {
        if (other == &by || !is_ip(*other) || other->local().port() != at.port()) return false;
        const Ipv6 here = common_form(at);
        const Ipv6 there = common_form(other->local());
        const bool overlaps =
            (covers(here, there) && by.takes(there)) || (covers(there, here) && other->takes(here));
        const BindOptions& mine = by.options();
        const BindOptions& theirs = other->options();
        return overlaps && !(mine.share_address && theirs.share_address) &&
               !(mine.share_port && theirs.share_port);
    });
}

std::uint16_t Datagrams::find_free_port(const Address& at, const DatagramSocket& by) {
    const std::uint64_t start = medium_.random.below(ephemeral_count);
    for (std::uint64_t i = 0; i < ephemeral_count; ++i) {
        const auto port =
            static_cast<std::uint16_t>(ephemeral_first + (start + i) % ephemeral_count);
        if (!is_taken(at.with_port(port), by)) return port;
    }
    return 0;
}

DatagramSocket* Datagrams::find_unix(const Address& at) const noexcept {
    const auto found = std::find_if(
        sockets_.begin(), sockets_.end(),
        [&](const DatagramSocket* socket) { return !is_ip(*socket) && socket->local() == at; });
    return found == sockets_.end() ? nullptr : *found;
}

void Datagrams::send(Datagram datagram, Instant& not_before) {
    const SimOptions& options = medium_.options;
    const auto strikes = [this](std::uint64_t odds) {
        return odds != 0 && medium_.random.one_in(odds);
    };
    if (strikes(options.datagram_loss_one_in)) return;
    Instant when = medium_.now() + medium_.draw(options.latency);
    if (strikes(options.datagram_overtaken_one_in)) {
        when = when + options.latency.max;
    } else {
        when = std::max(when, not_before);
        not_before = when;
    }
    const bool is_next = under_way_.empty() || when < under_way_.begin()->first;
    under_way_.emplace(when, std::move(datagram));
    if (!is_next) return;
    withdraw();
    happen_at(when);
}

void Datagrams::happen() noexcept {
    const auto next = under_way_.begin();
    const Datagram datagram = std::move(next->second);
    under_way_.erase(next);
    if (!under_way_.empty()) happen_at(under_way_.begin()->first);
    arrive(datagram);
}

void Datagrams::arrive(const Datagram& datagram) {
    const Ipv6 to = common_form(datagram.to);
    if (is_group(to) || is_everybody(to)) {
        arrive_at_all(datagram);
    } else if (DatagramSocket* receiver = find_receiver(datagram)) {
        receiver->arrive(datagram);
    } else {
        refuse(datagram);
    }
}

void Datagrams::arrive_at_all(const Datagram& datagram) {
    const Ipv6 to = common_form(datagram.to);
    for (DatagramSocket* socket : sockets_) {
        if (!is_ip(*socket) || !socket->hears(datagram)) continue;
        if (is_everybody(to) || socket->is_member(datagram)) socket->arrive(datagram);
    }
}

// As Linux ranks them: who is bound to the address before who takes any, who is connected to the
// sender before who hears everybody, an IPv4 socket before one that takes both, the last before the
// others.
DatagramSocket* Datagrams::find_receiver(const Datagram& datagram) const {
    std::vector<DatagramSocket*> best;
    int best_rank = -1;
    for (DatagramSocket* socket : sockets_) {
        if (!is_ip(*socket) || !socket->hears(datagram)) continue;
        int rank = is_any(common_form(socket->local())) ? 0 : 4;
        if (socket->is_connected()) rank += 2;
        if (socket->family() == Address::Family::ipv4) rank += 1;
        if (rank > best_rank) best.clear();
        if (rank >= best_rank) best.push_back(socket);
        best_rank = std::max(rank, best_rank);
    }
    if (best.empty()) return nullptr;
    const bool is_shared = best.back()->options().share_port;
    return is_shared ? best[pick(datagram, best.size())] : best.back();
}

// Nobody is there. Only a sender that is connected to that place gets to know.
void Datagrams::refuse(const Datagram& datagram) {
    for (DatagramSocket* socket : sockets_) {
        if (!is_ip(*socket) || !socket->is_connected()) continue;
        const bool is_sender = is_same_place(socket->local(), datagram.from) &&
                               is_same_place(socket->remote(), datagram.to);
        if (is_sender) return socket->fail(failure(std::errc::connection_refused));
    }
}

}  // namespace gyre::sim
