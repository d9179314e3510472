// SPDX-License-Identifier: Apache-2.0
// RemoteLinks: the watches and links between actors of the two ends of a connection. Any thread may
// use it; it belongs to its Node.
//
//     the node that registers                   the peer
//     watch, link     ──watch, link──▶     a RemoteCell stands for the registering actor and
//                                          watches the actor, or is linked with it
//     told once       ◀──ended, failed──   the actor has ended
//     unwatch, unlink ──withdraw──▶        the RemoteCell is removed
//     the linked actor failed ──link_failed──▶  the actor there fails too
//
// A registration is in the map of its node until a thread removes it under the lock; only the
// remover reports the end. So the end is reported once, even when an end, a withdrawal and a close
// race. When the connection is lost each node closes its own half: registrations made here end with
// NodeLost; of those made by the peer, watches are forgotten and links fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "gyre/actor/any_ref.hpp"
#include "gyre/actor/internal/signal.hpp"
#include "gyre/actor/transport.hpp"

namespace gyre::actor {

template <class T>
class Reply;
class Node;

class RemoteLinks {
public:
    explicit RemoteLinks(Node& node) noexcept : node_(node) {}

    // A watch or a link that an actor or a task of this process registered.
    struct Registration {
        SignalKind kind = SignalKind::watch;  // or link
        AnyRef who = {};                      // empty: a task registered, see `acknowledgement`
        AnyRef of = {};                       // the remote actor
        MakeTerminated tell = nullptr;        // for an actor that watches
        Reply<void>* acknowledgement = nullptr;
    };
    // Returns its number. The end may have been reported by then.
    std::uint64_t begin(Registration registration);
    // True: it was there, its end is not reported, and the peer is told.
    bool withdraw(std::uint64_t number, Frame::Kind how = Frame::Kind::withdraw,
                  std::string why = {});
    // All registrations of a local actor with a remote one: on unwatch, unlink and link_failed.
    void withdraw_all(const Signal& signal);
    // Reports the end of the remote actor; without a frame, the loss of the connection.
    static void tell(const Registration& registration, const Frame* end) noexcept;

    // The actor here that the peer watches or is linked with has ended.
    void tell_peer(std::uint64_t number, const std::exception_ptr& failure);

    // A frame about a watch or link; `actor` is the exported actor that the frame names, or empty.
    Result<void> receive(const Frame& frame, const AnyRef& actor);
    void close() noexcept;
    // Registrations of both ends that this node knows of.
    [[nodiscard]] std::size_t count() const;

private:
    // A watch or a link that the peer registered.
    struct PeerRegistration {
        SignalKind kind;
        AnyRef peer;
        AnyRef actor;
    };
    // Kind, watcher, name of the watched actor, number: finds a registration without its number.
    using Key = std::tuple<SignalKind, const Cell*, std::string, std::uint64_t>;

    [[nodiscard]] static Key key_of(const Registration& registration, std::uint64_t number);
    [[nodiscard]] std::optional<Registration> take(std::uint64_t number);
    [[nodiscard]] std::optional<PeerRegistration> take_peer(std::uint64_t number);
    Result<void> add_peer(const Frame& frame, const AnyRef& actor);
    static void end_peer(const PeerRegistration& registration,
                         const std::exception_ptr& failure) noexcept;

    Node& node_;
    mutable std::mutex mutex_;  // guards the members below
    bool is_closed_ = false;
    std::map<std::uint64_t, Registration> registrations_;
    std::set<Key> keys_;  // one for each of registrations_
    std::uint64_t last_number_ = 0;
    std::map<std::uint64_t, PeerRegistration> peer_registrations_;
};

}  // namespace gyre::actor
