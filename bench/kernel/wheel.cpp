// SPDX-License-Identifier: Apache-2.0
// The timer cases on gyre::Timers itself, without machines and turns: what the wheel costs. The
// bare heap among the peers is its counterpart.
#include <memory>

#include "bench/kernel/entries.hpp"
#include "bench/timer_cases.hpp"
#include "gyre/kernel/detail/timers.hpp"

namespace gyre::bench {
namespace {

class WheelTimers {
public:
    WheelTimers(std::size_t count, Fired& fired) : fired_(fired), ops_(count) {}
    ~WheelTimers() {
        OpQueue rest;
        timers_->take_due(Instant::never(), rest);
        while (rest.pop_front() != nullptr) continue;
    }

    void start(std::size_t i, std::int64_t delay_ns) {
        ops_[i].deadline = now_ + Duration(delay_ns);
        timers_->insert(ops_[i]);
    }
    void cancel(std::size_t i) { timers_->remove(ops_[i]); }
    void rearm(std::size_t i, std::int64_t delay_ns) {
        timers_->move(ops_[i], now_ + Duration(delay_ns));
    }
    void turn_at(std::int64_t time_ns) {
        now_ = Instant(static_cast<std::uint64_t>(time_ns));
        OpQueue due;
        for (bool is_all = false; !is_all;) {
            is_all = timers_->take_due(now_, due, portion);
            while (Op* op = due.pop_front()) {
                fired_.on_fire(static_cast<std::size_t>(static_cast<TimerOp*>(op) - ops_.data()),
                               *this);
            }
        }
    }

private:
    static constexpr std::size_t portion = 256;

    Fired& fired_;
    Instant now_;
    std::unique_ptr<Timers> timers_ = std::make_unique<Timers>(now_);
    std::vector<TimerOp> ops_;
};

}  // namespace

std::vector<Entry> wheel_entries() {
    return timer_entries<WheelTimers>();
}

}  // namespace gyre::bench
