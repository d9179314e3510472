// SPDX-License-Identifier: Apache-2.0
// Player: plays a script on an adapter and writes down what happens. Each table has one, which
// turns its verbs into calls of the adapter, and the adapter's calls into events. An adapter calls
// back on the thread that plays; a player lives for one scenario.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "gyre/conform/scenario.hpp"
#include "gyre/conform/script.hpp"
#include "gyre/conform/trace.hpp"

namespace gyre::conform {

// What an adapter of any table can say of itself.
class Adapter {
public:
    virtual ~Adapter() = default;
    // Why it has nothing for a verb of the scripts: "no promises". Scenarios that use the verb are
    // skipped. Empty: it has.
    [[nodiscard]] virtual std::string lacks(const std::string& /*verb*/) const { return {}; }
    // Whether its time is simulated, so that waiting takes none.
    [[nodiscard]] virtual bool has_simulated_time() const { return false; }
};

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
    // Written down, and what the script says to it is done.
    void happened(const std::string& event);
    [[nodiscard]] bool knows(const std::string& event) const {
        return script_.find(event) != nullptr;
    }
    void do_actions_of(const std::string& event);

    [[nodiscard]] virtual const Adapter& adapter() const = 0;
    // Asked before anything is played: a callback of a runtime is no place to find out.
    [[nodiscard]] virtual bool has_verb(const std::string& verb) const = 0;
    virtual void act(const Action& action) = 0;
    virtual void play_main() { do_actions_of("main"); }

private:
    void check_verbs() const;
    [[nodiscard]] std::string reason_to_skip() const;

    const Scenario& scenario_;
    const Script script_;
    Trace trace_;
    std::map<std::string, std::uint64_t> counts_;  // of the events that have a line
    std::uint64_t event_count_ = 0;
    bool is_over_ = false;
};

// Plays every scenario of a table, each on a player of its own.
using MakePlayer = std::function<std::unique_ptr<Player>(const Scenario&)>;
[[nodiscard]] Results play_all(const Table& table, const std::string& platform,
                               const MakePlayer& make);

}  // namespace gyre::conform
