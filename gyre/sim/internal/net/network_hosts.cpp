// SPDX-License-Identifier: Apache-2.0
// Network as that of one host of a world.
#include <algorithm>
#include <utility>

#include "gyre/sim/internal/net/listening_socket.hpp"
#include "gyre/sim/internal/net/network.hpp"
#include "gyre/sim/internal/net/stream_socket.hpp"

namespace gyre::sim {

void Network::join_wire(Wire& wire, const Ipv6& ip) {
    wire_ = &wire;
    ip_ = ip;
    wire.add(*this, ip);
}

void Network::set_up(bool is_up) {
    is_up_ = is_up;
    // Of connections whose peers know, nothing has to be remembered.
    std::erase_if(ghosts_, [](const std::shared_ptr<Descriptor>& ghost) {
        return static_cast<StreamSocket&>(*ghost).is_over();
    });
    if (is_up) wire_->wake_waiting();
}

void Network::lose_sockets() {
    for (std::shared_ptr<Descriptor>& each : context_.descriptors.take_all()) {
        std::vector<std::shared_ptr<Descriptor>> lost;
        if (ListeningSocket* const listener = each->as_listener()) {
            for (auto& waiting : listener->take_queue()) lost.push_back(std::move(waiting));
        }
        lost.push_back(std::move(each));
        for (std::shared_ptr<Descriptor>& one : lost) {
            StreamSocket* const socket = one->as_stream();
            if (socket != nullptr && socket->haunt()) ghosts_.push_back(std::move(one));
        }
    }
    bound_paths_.clear();
}

void Network::reset_connections(Network& other) {
    const std::vector<StreamSocket*> all = connections_;
    for (StreamSocket* const socket : all) {
        const Link* const link = socket->incoming_link();
        if (link != nullptr && &link->from() == &other) socket->break_both();
    }
}

Network* Network::route(const Ipv6& to) noexcept {
    if (is_any(to) || is_loopback(to) || wire_ == nullptr || to == ip_) {
        return is_any(to) || is_loopback(to) || is_own(to) ? this : nullptr;
    }
    return wire_->find(to);
}

// ---- Datagrams ----

void Network::send_datagram(Datagram datagram, Instant& not_before) {
    const Ipv6 to = common_form(datagram.to);
    Network* const target = is_multicast(to) || is_broadcast(to) ? this : route(to);
    Link* const link = target == nullptr ? nullptr : link_to(*target);
    if (link == nullptr) return datagrams_.send(std::move(datagram), not_before);
    const LinkFaults& faults = link->faults();
    if (link->is_cut() || context_.strikes(faults.loss_one_in)) return;
    const bool is_doubled = context_.strikes(faults.duplicate_one_in);
    const std::size_t size = datagram.data.size();
    Instant when = link->draw_arrival(context_, size);
    if (context_.strikes(faults.overtaken_one_in)) {
        when = when + faults.latency.max;
    } else {
        when = std::max(when, not_before);
        not_before = when;
    }
    if (is_doubled) {
        target->datagrams_.deliver_at(link->draw_arrival(context_, size), datagram);
    }
    target->datagrams_.deliver_at(when, std::move(datagram));
}

void Network::refuse_datagram(const Datagram& datagram) {
    Network* const sender = route(common_form(datagram.from));
    if (sender == nullptr) return;
    const Link* const back = link_to(*sender);
    if (back == nullptr || !back->is_cut()) sender->datagrams_.refuse(datagram);
}

}  // namespace gyre::sim
