// SPDX-License-Identifier: Apache-2.0
#include "tests/property/task_ledger.hpp"

namespace gyre::property {
namespace {

constexpr std::size_t violation_count_max = 10;

}  // namespace

void TaskLedger::check(bool holds, const std::string& law) {
    if (!holds && violations_.size() < violation_count_max) violations_.push_back(law);
}

std::uint32_t TaskLedger::offer(std::uint32_t sender, std::size_t channel) {
    items_.push_back({.sender = sender, .channel = channel});
    return static_cast<std::uint32_t>(items_.size() - 1);
}

void TaskLedger::on_received(std::uint32_t item, std::uint32_t receiver, std::size_t channel) {
    on_left_inside(item, channel);
    // One body offers one item after the other, so their numbers grow.
    const auto [last, is_first] = last_.try_emplace({receiver, items_[item].sender, channel}, item);
    check(is_first || last->second < item, "items of one sender arrive in the order it sent them");
    last->second = item;
}

void TaskLedger::on_left_inside(std::uint32_t item, std::size_t channel) {
    check(items_[item].channel == channel, "an item stays in its channel");
    ++items_[item].arrivals;
}

void TaskLedger::judge_items() {
    for (const Offered& item : items_) {
        check(!item.is_sent || item.arrivals == 1, "what was sent arrives, once");
        check(!item.is_refused || item.arrivals == 0, "a send that was refused did nothing");
        check(item.is_sent != item.is_refused, "a send ends, one way or the other");
    }
}

}  // namespace gyre::property
