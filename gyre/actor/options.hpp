// SPDX-License-Identifier: Apache-2.0
// What can be said of an actor when it is spawned. Plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "gyre/kernel/clock.hpp"

namespace gyre::actor {

// Whether a handler that waits holds the mailbox. In both, handlers start in the order of arrival
// and never run in parallel.
enum class Order : std::uint8_t { interleaved, exclusive };

// What happens to a message that finds the mailbox full: `send` says no; the oldest message in it
// goes; the new one goes. The last two count as taken; what went is counted as dropped.
enum class WhenFull : std::uint8_t { reject, drop_oldest, drop_newest };

struct MailboxOptions {
    std::uint32_t capacity = 1024;
    WhenFull when_full = WhenFull::reject;
};

// What happens to an actor whose handler throws. `resume`: the message is lost, the state stays.
// `restart`: a new object in the place of the old, with the mailbox as it is. `escalate`: it stops,
// and its parent has failed; without a parent, the whole system has.
enum class OnFailure : std::uint8_t { stop, resume, restart, escalate };

struct RestartOptions {
    // So many within that time; one more, and the actor stops.
    std::uint32_t count_max = 5;
    Duration within = std::chrono::seconds(60);
    // The wait before the first restart, doubled for each further one within the time.
    Duration back_off = Duration(0);
    Duration back_off_max = std::chrono::seconds(10);
};

// Where an actor lives. It stays there.
struct Place {
    enum class Kind : std::uint8_t { here, loop, spread };
    Kind kind = Kind::here;
    std::string loop;  // of Kind::loop: the name the loop was opened with

    [[nodiscard]] static Place here() { return {}; }
    [[nodiscard]] static Place on(std::string name) { return {Kind::loop, std::move(name)}; }
    // Round robin over the loops of the system.
    [[nodiscard]] static Place spread() { return {Kind::spread, {}}; }
};

struct ActorOptions {
    std::string name = {};  // unique; for reports and System::find
    Order order = Order::interleaved;
    MailboxOptions mailbox = {};
    OnFailure on_failure = OnFailure::stop;
    RestartOptions restart = {};
    Place place = {};
    std::uint32_t stash_max = 1024;  // messages put aside at most
};

}  // namespace gyre::actor
