// SPDX-License-Identifier: Apache-2.0
// Ties: the watches and links between the actors of two ends of a connection. Any thread may use
// them; they live with their station.
//
//     this end, which begins it                 the other end
//     watch, link     ──watch, link──▶     a peer stands for who began it, and is told as an
//                                          actor there would be
//     told once       ◀──ended, failed──   the actor has ended
//     unwatch, unlink ──untie──▶           the peer is forgotten
//     who is linked has failed ──link_failed──▶  so has the actor
//
// A tie is where its number is in the map of its end; whoever takes it out there, under the lock,
// is the one who tells of it: so it is told once, whatever comes together. When the connection is
// lost each end closes its own: what was begun here has ended with NodeLost, of what was begun
// there watches are forgotten and links have failed.
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
#include <vector>

#include "gyre/actor/any_ref.hpp"
#include "gyre/actor/frame.hpp"
#include "gyre/actor/signal.hpp"

namespace gyre::actor {

template <class T>
class Answer;
class Station;

class Ties {
public:
    explicit Ties(Station& station) noexcept : station_(station) {}

    // Begun here.
    struct Tie {
        SignalKind kind = SignalKind::watch;  // or link
        AnyRef who = {};                      // none: a task, by `told`
        AnyRef of = {};                       // the reference that it was begun with
        Signal::Tell tell = nullptr;          // of a watch by an actor
        Answer<void>* told = nullptr;
    };
    // Gives its number. It may have been told by then.
    std::uint64_t begin(Tie tie);
    // True: it was there, and nobody is told. The other end learns of it.
    bool withdraw(std::uint64_t number, Frame::Kind how = Frame::Kind::untie, std::string why = {});
    // All ties of an actor here to one there: unwatch, unlink, link_failed.
    void withdraw_all(const Signal& signal);
    // It has ended; without a frame, the connection has.
    static void tell(const Tie& tie, const Frame* end) noexcept;

    // Begun there: the actor of this end has ended.
    void tell_other_end(std::uint64_t number, const std::exception_ptr& failure);

    // A frame of ties; `actor` is the one it names, where that was exported.
    Result<void> receive(const Frame& frame, const AnyRef& actor);
    void close() noexcept;
    // Those of both ends that are known here.
    [[nodiscard]] std::size_t count() const;

private:
    struct Guest {
        SignalKind kind;
        AnyRef peer;
        AnyRef actor;
    };
    // By whom, to whom: for those who end a tie that they know no number of.
    using Key = std::tuple<SignalKind, const Cell*, std::string, std::uint64_t>;

    [[nodiscard]] static Key key_of(const Tie& tie, std::uint64_t number);
    [[nodiscard]] std::optional<Tie> take(std::uint64_t number);
    [[nodiscard]] std::optional<Guest> take_guest(std::uint64_t number);
    Result<void> welcome(const Frame& frame, const AnyRef& actor);
    static void let_go(const Guest& guest, const std::exception_ptr& failure) noexcept;

    Station& station_;
    mutable std::mutex mutex_;  // guards what follows
    bool is_closed_ = false;
    std::map<std::uint64_t, Tie> begun_;
    std::set<Key> keys_;  // of those begun here
    std::uint64_t last_number_ = 0;
    std::map<std::uint64_t, Guest> guests_;
};

}  // namespace gyre::actor
