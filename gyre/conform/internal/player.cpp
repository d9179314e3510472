// SPDX-License-Identifier: Apache-2.0
#include "gyre/conform/internal/player.hpp"
#include "gyre/base/failure.hpp"

#include <exception>
#include <stdexcept>

namespace gyre::conform {
namespace {

// Ends the recording of a runtime that loops forever.
constexpr std::uint64_t event_count_max = 1'000'000;
// The verb that all tables have.
constexpr const char* say = "say";

}  // namespace

void Player::check_verbs() const {
    for (const std::string& verb : script_.verbs()) {
        if (verb == say || has_verb(verb)) continue;
        throw Failure("'" + verb + "' is not a verb of this table");
    }
}

std::string Player::reason_to_skip() const {
    if (scenario_.time == Time::simulated && !adapter().has_simulated_time()) {
        return "its order depends on the time";
    }
    for (const std::string& verb : script_.verbs()) {
        if (std::string reason = adapter().lacks(verb); !reason.empty()) return reason;
    }
    return {};
}

Player::Outcome Player::play() {
    check_verbs();
    if (std::string reason = reason_to_skip(); !reason.empty()) {
        return {Verdict::skipped, std::move(reason)};
    }
    play_main();
    is_over_ = true;  // Events of the adapter's clean-up are not recorded.
    std::string difference = first_difference(scenario_.trace, events_.entries());
    return {difference.empty() ? Verdict::pass : Verdict::fail, std::move(difference)};
}

void Player::happened(const std::string& event) {
    if (is_over_ || ++event_count_ > event_count_max) return;
    events_.add(event);
    do_actions_of(event);
}

void Player::do_actions_of(const std::string& event) {
    const std::vector<Action>* body = script_.find(event);
    if (body == nullptr) return;
    const std::uint64_t count = ++counts_[event];
    for (const Action& action : *body) {
        if (count < action.first || count > action.last) continue;
        for (std::uint64_t i = 0; i < action.times; ++i) {
            if (action.verb == say) {
                happened(action.word(0));
            } else {
                act(action);
            }
        }
    }
}

Results play_all(const Table& table, const std::string& platform, const MakePlayer& make) {
    Results results;
    for (const Scenario& scenario : table.scenarios) {
        Result result{&table, &scenario, platform, Verdict::fail, {}};
        try {
            Player::Outcome outcome = make(scenario)->play();
            result.verdict = outcome.verdict;
            result.detail = std::move(outcome.detail);
        } catch (const std::exception& error) {
            result.detail = std::string("thrown: ") + error.what();
        }
        results.push_back(std::move(result));
    }
    return results;
}

}  // namespace gyre::conform
