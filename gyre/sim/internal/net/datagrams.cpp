// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/net/datagrams.hpp"

#include <algorithm>
#include <utility>

#include "gyre/sim/internal/net/datagram_socket.hpp"
#include "gyre/sim/internal/net/ip.hpp"
#include "gyre/sim/internal/net/network.hpp"

namespace gyre::sim {
namespace {

bool is_ip(const DatagramSocket& socket) noexcept {
    return socket.family() != Address::Family::unix_path;
}

// All datagrams of one flow go to the same one of the sockets that share a port.
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
    return find_ephemeral_port(
        context_.random, [&](std::uint16_t port) { return !is_taken(at.with_port(port), by); });
}

bool Datagrams::has_chosen_port() const noexcept {
    return std::ranges::any_of(sockets_, [](const DatagramSocket* socket) {
        const std::uint16_t port = socket->local().port();
        return port > 0 && port < ephemeral_first;
    });
}

DatagramSocket* Datagrams::find_unix(const Address& at) const noexcept {
    const auto found = std::find_if(
        sockets_.begin(), sockets_.end(),
        [&](const DatagramSocket* socket) { return !is_ip(*socket) && socket->local() == at; });
    return found == sockets_.end() ? nullptr : *found;
}

void Datagrams::send(Datagram datagram, Instant& not_before) {
    const SimOptions& options = context_.options;
    const auto strikes = [this](std::uint64_t odds) {
        return odds != 0 && context_.random.one_in(odds);
    };
    if (strikes(options.datagram_loss_one_in)) return;
    Instant when = context_.now() + context_.draw(options.latency);
    if (strikes(options.datagram_overtaken_one_in)) {
        when = when + options.latency.max;
    } else {
        when = std::max(when, not_before);
        not_before = when;
    }
    deliver_at(when, std::move(datagram));
}

void Datagrams::deliver_at(Instant when, Datagram datagram) {
    const bool is_next = in_flight_.empty() || when < in_flight_.begin()->first;
    in_flight_.emplace(when, std::move(datagram));
    if (!is_next) return;
    withdraw();
    schedule_at(when);
}

void Datagrams::fire() noexcept {
    const auto next = in_flight_.begin();
    const Datagram datagram = std::move(next->second);
    in_flight_.erase(next);
    if (!in_flight_.empty()) schedule_at(in_flight_.begin()->first);
    arrive(datagram);
}

void Datagrams::arrive(const Datagram& datagram) {
    const Ipv6 to = common_form(datagram.to);
    if (is_multicast(to) || is_broadcast(to)) {
        arrive_at_all(datagram);
    } else if (DatagramSocket* receiver = find_receiver(datagram)) {
        receiver->arrive(datagram);
    } else {
        network_.refuse_datagram(datagram);
    }
}

void Datagrams::arrive_at_all(const Datagram& datagram) {
    const Ipv6 to = common_form(datagram.to);
    for (DatagramSocket* socket : sockets_) {
        if (!is_ip(*socket) || !socket->matches(datagram)) continue;
        if (is_broadcast(to) || socket->is_member(datagram)) socket->arrive(datagram);
    }
}

// The order of Linux: bound to the address before bound to "any", connected to the sender before
// unconnected, IPv4 before dual-stack, and of equals the last that was bound.
DatagramSocket* Datagrams::find_receiver(const Datagram& datagram) const {
    std::vector<DatagramSocket*> best;
    int best_rank = -1;
    for (DatagramSocket* socket : sockets_) {
        if (!is_ip(*socket) || !socket->matches(datagram)) continue;
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

// No socket matches. Only a sender that is connected to this address gets the error.
void Datagrams::refuse(const Datagram& datagram) {
    for (DatagramSocket* socket : sockets_) {
        if (!is_ip(*socket) || !socket->is_connected()) continue;
        const bool is_sender = is_same_endpoint(socket->local(), datagram.from) &&
                               is_same_endpoint(socket->remote(), datagram.to);
        if (is_sender) return socket->fail(failure(std::errc::connection_refused));
    }
}

}  // namespace gyre::sim
