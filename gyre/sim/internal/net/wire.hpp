// SPDX-License-Identifier: Apache-2.0
// Wire: the networks of the hosts of a world, by their addresses and names, and a Link for each direction of
// each pair. The loopback interface has no link. One thread; part of a World, and outlives the
// networks.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/sim/faults.hpp"
#include "gyre/sim/internal/net/ip.hpp"
#include "gyre/sim/internal/sim_context.hpp"

namespace gyre::sim {

class Network;
class Pipe;

// One direction between two hosts.
class Link {
public:
    Link(Network& from, Network& to) noexcept : from_(from), to_(to) {}

    [[nodiscard]] const LinkFaults& faults() const noexcept { return faults_; }
    // Healing a link lets the bytes that waited for it go on.
    void set_faults(const LinkFaults& faults);
    // Nothing arrives until then; nothing is lost.
    void stall_until(Instant when) noexcept { stalled_until_ = when; }

    // Cut, or a host is down.
    [[nodiscard]] bool is_cut() const noexcept;
    // When something sent now arrives, if the link is not cut meanwhile.
    [[nodiscard]] Instant draw_arrival(SimContext& context, std::size_t size_bytes);
    [[nodiscard]] Instant stalled_until() const noexcept { return stalled_until_; }

    void add_waiting(Pipe& pipe) { waiting_.push_back(&pipe); }
    void remove_waiting(Pipe& pipe) noexcept { std::erase(waiting_, &pipe); }
    // If it is whole again, the waiting bytes go on.
    void wake_waiting();

    [[nodiscard]] Network& from() const noexcept { return from_; }
    [[nodiscard]] Network& to() const noexcept { return to_; }

private:
    Network& from_;
    Network& to_;
    LinkFaults faults_;
    Instant stalled_until_;
    Instant sends_until_;  // the sender's line is busy, with a limit of bytes a second
    std::vector<Pipe*> waiting_;
};

class Wire {
public:
    void add(Network& network, const Ipv6& ip) { networks_.emplace(ip, &network); }
    void add_name(const std::string& host, Ipv4 ip) { names_.emplace(host, ip); }
    // Null if no host has the name.
    [[nodiscard]] const Ipv4* find_name(std::string_view host) const noexcept {
        const auto found = names_.find(host);
        return found == names_.end() ? nullptr : &found->second;
    }
    // Null if no host has the address.
    [[nodiscard]] Network* find(const Ipv6& ip) const noexcept {
        const auto found = networks_.find(ip);
        return found == networks_.end() ? nullptr : found->second;
    }
    [[nodiscard]] Link& link(Network& from, Network& to);
    void wake_waiting();

private:
    std::map<Ipv6, Network*> networks_;
    std::map<std::string, Ipv4, std::less<>> names_;
    std::map<std::pair<Ipv6, Ipv6>, std::unique_ptr<Link>> links_;
};

}  // namespace gyre::sim
