// SPDX-License-Identifier: Apache-2.0
// libuv's rows of the group kernel.
//
// Timers: one uv_timer_t each, in virtual time, rounded up to libuv's milliseconds; re-arming is
// uv_timer_start on an active timer. Messages: uv_async_send and the user's queue. A turn that
// does not wait is uv_run with UV_RUN_NOWAIT, also in the spinning round trip; a loop that waits
// parks at once. Descriptors: uv_poll_t. One loop a thread.
#include <uv.h>

#include "bench/fd_cases.hpp"
#include "bench/idle_cases.hpp"
#include "bench/peers/user_queue.hpp"
#include "bench/peers/virtual_clock.hpp"
#include "bench/round_trip_cases.hpp"
#include "bench/timer_cases.hpp"

namespace gyre::bench {
namespace {

// A uv_loop_t that closes what is open in it when it goes.
class UvLoop {
public:
    UvLoop() { uv_loop_init(&loop); }
    UvLoop(const UvLoop&) = delete;
    UvLoop& operator=(const UvLoop&) = delete;
    ~UvLoop() { uv_loop_close(&loop); }

    void close_handles() {
        uv_walk(
            &loop,
            [](uv_handle_t* handle, void*) {
                if (!uv_is_closing(handle)) uv_close(handle, nullptr);
            },
            nullptr);
        uv_run(&loop, UV_RUN_DEFAULT);
    }

    uv_loop_t loop;
};

class UvTimers {
public:
    UvTimers(std::size_t count, Fired& fired) : fired_(fired), timers_(count) {
        for (uv_timer_t& timer : timers_) {
            uv_timer_init(&uv_.loop, &timer);
            timer.data = this;
        }
    }
    ~UvTimers() { uv_.close_handles(); }

    void start(std::size_t i, std::int64_t delay_ns) {
        const auto delay_ms = static_cast<std::uint64_t>((delay_ns + ns_per_ms - 1) / ns_per_ms);
        uv_timer_start(&timers_[i], on_fire, delay_ms, 0);
    }
    void cancel(std::size_t i) { uv_timer_stop(&timers_[i]); }
    void rearm(std::size_t i, std::int64_t delay_ns) { start(i, delay_ns); }
    void turn_at(std::int64_t time_ns) {
        time_.set(time_ns);
        uv_run(&uv_.loop, UV_RUN_NOWAIT);
    }

private:
    static void on_fire(uv_timer_t* timer) {
        auto& self = *static_cast<UvTimers*>(timer->data);
        self.fired_.on_fire(static_cast<std::size_t>(timer - self.timers_.data()), self);
    }

    Fired& fired_;
    VirtualTime time_;
    UvLoop uv_;
    std::vector<uv_timer_t> timers_;
};

class UvMessageLoop {
public:
    using Message = PlainMessage;
    static constexpr double idle_ns_before_park = 0;

    UvMessageLoop() {
        uv_async_init(&uv_.loop, &wake_, [](uv_async_t* wake) {
            static_cast<UvMessageLoop*>(wake->data)->queue_.run_all();
        });
        wake_.data = this;
    }
    ~UvMessageLoop() { uv_.close_handles(); }

    void post(Message& message) { post_many({&message, 1}); }
    void post_many(std::span<Message> messages) {
        queue_.push(messages);
        uv_async_send(&wake_);
    }
    void run() { uv_run(&uv_.loop, UV_RUN_DEFAULT); }
    void poll() { uv_run(&uv_.loop, UV_RUN_NOWAIT); }
    void stop() { uv_stop(&uv_.loop); }

protected:
    UvLoop uv_;

private:
    uv_async_t wake_;
    UserQueue queue_;
};

class UvTurnLoop : public UvMessageLoop {
public:
    UvTurnLoop() {
        uv_timer_init(&uv_.loop, &timer_);
        uv_timer_start(&timer_, [](uv_timer_t*) {}, 3'600'000, 0);
    }
    ~UvTurnLoop() { uv_.close_handles(); }

private:
    uv_timer_t timer_;
};

class UvIdleLoop : public UvMessageLoop {
public:
    UvIdleLoop() {
        uv_timer_init(&uv_.loop, &timer_);
        uv_timer_start(&timer_, [](uv_timer_t*) {}, idle_timer_ms, idle_timer_ms);
    }
    ~UvIdleLoop() { uv_.close_handles(); }

private:
    uv_timer_t timer_;
};

class UvFdLoop {
public:
    UvFdLoop(std::span<const int> fds, std::uint64_t& delivered)
        : delivered_(delivered), watchers_(fds.size()) {
        for (std::size_t i = 0; i < fds.size(); ++i) {
            uv_poll_init(&uv_.loop, &watchers_[i], fds[i]);
            watchers_[i].data = this;
            uv_poll_start(&watchers_[i], UV_READABLE, on_readable);
        }
    }
    ~UvFdLoop() { uv_.close_handles(); }

    void turn() { uv_run(&uv_.loop, UV_RUN_NOWAIT); }

private:
    static void on_readable(uv_poll_t* watcher, int, int) {
        uv_os_fd_t fd = -1;
        uv_fileno(reinterpret_cast<uv_handle_t*>(watcher), &fd);
        read_byte(fd);
        ++static_cast<UvFdLoop*>(watcher->data)->delivered_;
    }

    std::uint64_t& delivered_;
    UvLoop uv_;
    std::vector<uv_poll_t> watchers_;
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments,
                       {timer_entries<UvTimers>(), message_entries<UvMessageLoop, UvTurnLoop>(),
                        idle_entries<UvIdleLoop>(), fd_entries<UvFdLoop>()});
}
