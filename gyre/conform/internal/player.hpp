// SPDX-License-Identifier: Apache-2.0
// Player: runs the script of a scenario on an adapter and records the events. Each table derives a
// player, which turns verbs into calls of the adapter, and callbacks of the adapter into events.
// One thread, on which the adapter also calls back; a player lives for one scenario.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "gyre/conform/internal/event_list.hpp"
#include "gyre/conform/internal/script.hpp"
#include "gyre/conform/scenario.hpp"

namespace gyre::conform {

// The verbs of a table, each with its call of the adapter.
template <class Verb>
using Verbs = std::map<std::string, Verb>;

// "7 ms": whole milliseconds, for simulated time.
[[nodiscard]] inline std::string in_ms(double ms) {
    return std::to_string(static_cast<std::int64_t>(ms)) + " ms";
}

class Player {
public:
    explicit Player(const Scenario& scenario) : scenario_(scenario), script_(scenario.script) {}
    virtual ~Player() = default;
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    struct Outcome {
        Verdict verdict;
        std::string detail;
    };
    [[nodiscard]] Outcome play();

protected:
    // Records the event, and runs the actions of its line.
    void happened(const std::string& event);
    [[nodiscard]] bool knows(const std::string& event) const {
        return script_.find(event) != nullptr;
    }
    void do_actions_of(const std::string& event);

    [[nodiscard]] virtual const Adapter& adapter() const = 0;
    // Called before the script runs: an error must not be thrown through a callback of the runtime.
    [[nodiscard]] virtual bool has_verb(const std::string& verb) const = 0;
    virtual void act(const Action& action) = 0;
    virtual void play_main() { do_actions_of("main"); }

private:
    void check_verbs() const;
    [[nodiscard]] std::string reason_to_skip() const;

    const Scenario& scenario_;
    const Script script_;
    EventList events_;
    std::map<std::string, std::uint64_t> counts_;  // how often each event with a line has happened
    std::uint64_t event_count_ = 0;
    bool is_over_ = false;
};

// Plays every scenario of a table, each with a new player.
using MakePlayer = std::function<std::unique_ptr<Player>(const Scenario&)>;
[[nodiscard]] Results play_all(const Table& table, const std::string& platform,
                               const MakePlayer& make);

}  // namespace gyre::conform
