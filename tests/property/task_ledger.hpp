// SPDX-License-Identifier: Apache-2.0
// TaskLedger: records the events of a random program of tasks and checks its laws: each item is
// received once, waiters are served in FIFO order, everything that begins ends. One thread; it
// outlives the program's tasks.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gyre/task/core/task.hpp"

namespace gyre::property {

// Those who ask for one thing, in the order in which they asked.
class Line {
public:
    // A place in it, for as long as the await that asks.
    class Place {
    public:
        Place(Line& line, const Task& task)
            : line_(line), at_(line.tasks_.insert(line.tasks_.end(), &task)) {}
        ~Place() { line_.tasks_.erase(at_); }
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        // Once it is served: whether none that asked before still waits.
        [[nodiscard]] bool is_its_turn() const {
            for (auto at = line_.tasks_.begin(); at != at_; ++at) {
                if ((*at)->state() == TaskState::waiting) return false;
            }
            return true;
        }

    private:
        Line& line_;
        std::list<const Task*>::iterator at_;
    };

private:
    std::list<const Task*> tasks_;
};

class TaskLedger {
public:
    void check(bool holds, const std::string& law);
    [[nodiscard]] const std::vector<std::string>& violations() const noexcept {
        return violations_;
    }

    // An item of a channel, from the moment in which it is offered.
    [[nodiscard]] std::uint32_t offer(std::uint32_t sender, std::size_t channel);
    void on_sent(std::uint32_t item) { items_[item].is_sent = true; }
    void on_refused(std::uint32_t item) { items_[item].is_refused = true; }
    void on_received(std::uint32_t item, std::uint32_t receiver, std::size_t channel);
    void on_left_inside(std::uint32_t item, std::size_t channel);
    // All has ended: each item is where it should be.
    void judge_items();

    // What is alive: bodies, held permits, items, generators, scopes.
    int alive = 0;

private:
    struct Offered {
        std::uint32_t sender;
        std::size_t channel;
        bool is_sent = false;
        bool is_refused = false;
        int arrivals = 0;
    };

    std::vector<Offered> items_;
    // The last item that a receiver got from a sender through a channel.
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::size_t>, std::uint32_t> last_;
    std::vector<std::string> violations_;
};

// Counts as alive while it is there, wherever it was moved to.
class Alive {
public:
    explicit Alive(TaskLedger& ledger) noexcept : ledger_(&ledger) { ++ledger_->alive; }
    Alive(Alive&& other) noexcept : ledger_(std::exchange(other.ledger_, nullptr)) {}
    Alive& operator=(Alive&& other) noexcept {
        std::swap(ledger_, other.ledger_);
        return *this;
    }
    ~Alive() {
        if (ledger_ != nullptr) --ledger_->alive;
    }

private:
    TaskLedger* ledger_;
};

struct Item {
    std::uint32_t id;
    Alive alive;
};

}  // namespace gyre::property
