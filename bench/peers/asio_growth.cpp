// SPDX-License-Identifier: Apache-2.0
// Asio's subjects of ./dev bench growth: timers and sleeping awaitables, in virtual time.
#include <asio.hpp>
#include <deque>

#include "bench/growth/meter.hpp"
#include "bench/peers/virtual_clock.hpp"

namespace gyre::bench {
namespace {

constexpr std::uint64_t batch = 64;

using Context = asio::io_context;
using Timer = asio::steady_timer;

// Moves the time by a millisecond: Asio does not tell its next deadline.
class VirtualContext {
public:
    void turn_on() {
        time_.set(now_ns_ += ns_per_ms);
        context.restart();
        context.poll();
    }

private:
    VirtualTime time_;
    std::int64_t now_ns_ = 0;

public:
    Context context{1};
};

class Timers {
public:
    explicit Timers(std::size_t count) : delays_(delays_ns(std::max<std::size_t>(count, 4096), 2)) {
        for (std::size_t i = 0; i < count; ++i) start(timers_.emplace_back(on_.context));
    }
    void turn_on() { on_.turn_on(); }
    // The wait that was cancelled is delivered in the next turn.
    void move(std::size_t i) { start(timers_[i]); }
    void take_cancelled() {
        on_.context.restart();
        on_.context.poll();
    }

    std::uint64_t fired_count = 0;

private:
    void start(Timer& timer) {
        timer.expires_after(std::chrono::nanoseconds(delays_[at_++ % delays_.size()]));
        timer.async_wait([this, &timer](const asio::error_code& error) {
            if (error) return;
            ++fired_count;
            start(timer);
        });
    }

    VirtualContext on_;
    std::deque<Timer> timers_;
    std::vector<std::int64_t> delays_;
    std::size_t at_ = 0;
};

void timers_fire(Meter& meter, std::size_t count) {
    const HeapMeter heap;
    Timers timers(count);
    meter.report_bytes(heap.bytes_per(count));
    if (count < 10'000) return;  // Mostly turns in which nothing fires.
    while (meter.goes_on()) {
        meter.measure([&] {
            const std::uint64_t before = timers.fired_count;
            while (timers.fired_count < before + batch) timers.turn_on();
            return timers.fired_count - before;
        });
    }
}

void timers_move(Meter& meter, std::size_t count) {
    Timers timers(count);
    Picks picks(count);
    while (meter.goes_on()) {
        meter.measure(batch, [&] {
            for (std::uint64_t i = 0; i < batch; ++i) timers.move(picks.next());
            timers.take_cancelled();
        });
    }
}

asio::awaitable<void> sleep_on(Context& context, const std::vector<std::int64_t>& delays,
                               std::size_t first, std::uint64_t& woken_count) {
    Timer timer(context);
    for (std::size_t i = first;; i = (i + 1) % delays.size()) {
        timer.expires_after(std::chrono::nanoseconds(delays[i]));
        co_await timer.async_wait(asio::use_awaitable);
        ++woken_count;
    }
}

void tasks_asleep(Meter& meter, std::size_t count) {
    const auto delays = delays_ns(4096, 2);
    std::uint64_t woken_count = 0;
    VirtualContext on;
    const HeapMeter heap;
    for (std::size_t i = 0; i < count; ++i) {
        asio::co_spawn(on.context,
                       sleep_on(on.context, delays, i * 31 % delays.size(), woken_count),
                       asio::detached);
    }
    on.context.poll();
    meter.report_bytes(heap.bytes_per(count));
    if (count < 10'000) return;
    while (meter.goes_on()) {
        meter.measure([&] {
            const std::uint64_t before = woken_count;
            while (woken_count < before + batch) on.turn_on();
            return woken_count - before;
        });
    }
}

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_growth(argument_count, arguments,
                      {{{"timers_fire", million, timers_fire},
                        {"timers_move", million, timers_move},
                        {"tasks_asleep", million, tasks_asleep}}});
}
