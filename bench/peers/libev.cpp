// SPDX-License-Identifier: Apache-2.0
// libev's rows of the group kernel.
//
// Timers: one ev_timer each, in virtual time; re-arming is ev_timer_again with a new repeat.
// Messages: ev_async_send and the user's queue. A turn that does not wait is ev_run with
// EVRUN_NOWAIT, also in the spinning round trip; a loop that waits parks at once. Descriptors:
// ev_io. One loop a thread.
#include <ev.h>

#include "bench/fd_cases.hpp"
#include "bench/peers/user_queue.hpp"
#include "bench/peers/virtual_clock.hpp"
#include "bench/round_trip_cases.hpp"
#include "bench/timer_cases.hpp"

namespace gyre::bench {
namespace {

struct EvLoop {
    EvLoop() = default;
    EvLoop(const EvLoop&) = delete;
    EvLoop& operator=(const EvLoop&) = delete;
    ~EvLoop() { ev_loop_destroy(loop); }

    struct ev_loop* loop = ev_loop_new(EVFLAG_AUTO);
};

class EvTimers {
public:
    EvTimers(std::size_t count, Fired& fired) : fired_(fired), timers_(count) {
        ev_set_userdata(ev_.loop, this);
        for (ev_timer& timer : timers_) ev_timer_init(&timer, on_fire, 0., 0.);
        ev_now_update(ev_.loop);
    }

    void start(std::size_t i, std::int64_t delay_ns) {
        ev_timer_set(&timers_[i], static_cast<double>(delay_ns) * 1e-9, 0.);
        ev_timer_start(ev_.loop, &timers_[i]);
    }
    void cancel(std::size_t i) { ev_timer_stop(ev_.loop, &timers_[i]); }
    void rearm(std::size_t i, std::int64_t delay_ns) {
        timers_[i].repeat = static_cast<double>(delay_ns) * 1e-9;
        ev_timer_again(ev_.loop, &timers_[i]);
    }
    void turn_at(std::int64_t time_ns) {
        time_.set(time_ns);
        ev_run(ev_.loop, EVRUN_NOWAIT);
    }

private:
    static void on_fire(struct ev_loop* loop, ev_timer* timer, int) {
        auto& self = *static_cast<EvTimers*>(ev_userdata(loop));
        self.fired_.on_fire(static_cast<std::size_t>(timer - self.timers_.data()), self);
    }

    Fired& fired_;
    VirtualTime time_;
    EvLoop ev_;
    std::vector<ev_timer> timers_;
};

class EvMessageLoop {
public:
    using Message = PlainMessage;
    static constexpr double idle_ns_before_park = 0;

    EvMessageLoop() {
        ev_set_userdata(ev_.loop, this);
        ev_async_init(&wake_, [](struct ev_loop* loop, ev_async*, int) {
            static_cast<EvMessageLoop*>(ev_userdata(loop))->queue_.run_all();
        });
        ev_async_start(ev_.loop, &wake_);
    }

    void post(Message& message) { post_many({&message, 1}); }
    void post_many(std::span<Message> messages) {
        queue_.push(messages);
        ev_async_send(ev_.loop, &wake_);
    }
    void run() { ev_run(ev_.loop, 0); }
    void poll() { ev_run(ev_.loop, EVRUN_NOWAIT); }
    void stop() { ev_break(ev_.loop, EVBREAK_ALL); }

protected:
    EvLoop ev_;

private:
    ev_async wake_;
    UserQueue queue_;
};

class EvTurnLoop : public EvMessageLoop {
public:
    EvTurnLoop() {
        ev_timer_init(&timer_, [](struct ev_loop*, ev_timer*, int) {}, 3600., 0.);
        ev_timer_start(ev_.loop, &timer_);
    }

private:
    ev_timer timer_;
};

class EvFdLoop {
public:
    EvFdLoop(std::span<const int> fds, std::uint64_t& delivered)
        : delivered_(delivered), watchers_(fds.size()) {
        ev_set_userdata(ev_.loop, this);
        for (std::size_t i = 0; i < fds.size(); ++i) {
            ev_io_init(&watchers_[i], on_readable, fds[i], EV_READ);
            ev_io_start(ev_.loop, &watchers_[i]);
        }
    }

    void turn() { ev_run(ev_.loop, EVRUN_NOWAIT); }

private:
    static void on_readable(struct ev_loop* loop, ev_io* watcher, int) {
        read_byte(watcher->fd);
        ++static_cast<EvFdLoop*>(ev_userdata(loop))->delivered_;
    }

    std::uint64_t& delivered_;
    EvLoop ev_;
    std::vector<ev_io> watchers_;
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments,
                       {timer_entries<EvTimers>(), message_entries<EvMessageLoop, EvTurnLoop>(),
                        fd_entries<EvFdLoop>()});
}
