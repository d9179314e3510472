// SPDX-License-Identifier: Apache-2.0
// libuv's subjects of ./dev bench growth: timers in virtual time, handles, connections (uv_pipe_t)
// and descriptors that are watched (uv_poll_t).
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include <array>

#include "bench/growth/meter.hpp"
#include "bench/peers/virtual_clock.hpp"

namespace gyre::bench {
namespace {

constexpr std::uint64_t batch = 64;

class UvLoop {
public:
    UvLoop() { uv_loop_init(&loop); }
    UvLoop(const UvLoop&) = delete;
    UvLoop& operator=(const UvLoop&) = delete;
    ~UvLoop() {
        const auto close = [](uv_handle_t* handle, void*) {
            if (!uv_is_closing(handle)) uv_close(handle, nullptr);
        };
        uv_walk(&loop, close, nullptr);
        uv_run(&loop, UV_RUN_DEFAULT);
        uv_loop_close(&loop);
    }

    uv_loop_t loop;
};

class Timers {
public:
    explicit Timers(std::size_t count)
        : timers_(count), delays_(delays_ns(std::max<std::size_t>(count, 4096), 2)) {
        for (uv_timer_t& timer : timers_) {
            uv_timer_init(&uv_.loop, &timer);
            timer.data = this;
            start(timer);
        }
    }
    ~Timers() {
        for (uv_timer_t& timer : timers_) uv_timer_stop(&timer);
    }
    void turn_on() {
        now_ms_ += uv_backend_timeout(&uv_.loop);
        time_.set(now_ms_ * ns_per_ms);
        uv_run(&uv_.loop, UV_RUN_NOWAIT);
    }
    void move(std::size_t i) { start(timers_[i]); }

    std::uint64_t fired_count = 0;

private:
    void start(uv_timer_t& timer) {
        const std::int64_t delay_ns = delays_[at_++ % delays_.size()];
        const auto delay_ms = static_cast<std::uint64_t>((delay_ns + ns_per_ms - 1) / ns_per_ms);
        uv_timer_start(&timer, on_fire, delay_ms, 0);
    }
    static void on_fire(uv_timer_t* timer) {
        auto& self = *static_cast<Timers*>(timer->data);
        ++self.fired_count;
        self.start(*timer);
    }

    VirtualTime time_;
    std::int64_t now_ms_ = 0;
    std::vector<uv_timer_t> timers_;
    std::vector<std::int64_t> delays_;
    std::size_t at_ = 0;
    UvLoop uv_;
};

void timers_fire(Meter& meter, std::size_t count) {
    const HeapMeter heap;
    Timers timers(count);
    meter.report_bytes(heap.bytes_per(count));
    while (meter.goes_on()) {
        meter.measure([&] {
            const std::uint64_t before = timers.fired_count;
            while (timers.fired_count < before + batch) timers.turn_on();
            return timers.fired_count - before;  // A millisecond may have many.
        });
    }
}

void timers_move(Meter& meter, std::size_t count) {
    Timers timers(count);
    Picks picks(count);
    while (meter.goes_on()) {
        meter.measure(batch, [&] {
            for (std::uint64_t i = 0; i < batch; ++i) timers.move(picks.next());
        });
    }
}

void handles(Meter& meter, std::size_t count) {
    const HeapMeter heap;
    std::vector<uv_timer_t> timers(count);
    uv_idle_t idle;
    std::uint64_t left = 0;
    UvLoop uv;
    for (uv_timer_t& timer : timers) {
        uv_timer_init(&uv.loop, &timer);
        uv_timer_start(&timer, [](uv_timer_t*) {}, 3'600'000, 0);
    }
    meter.report_bytes(heap.bytes_per(count));
    uv_idle_init(&uv.loop, &idle);
    idle.data = &left;
    while (meter.goes_on()) {
        meter.measure(batch, [&] {
            left = batch;
            uv_idle_start(&idle, [](uv_idle_t* self) {
                if (--*static_cast<std::uint64_t*>(self->data) == 0) uv_stop(self->loop);
            });
            uv_run(&uv.loop, UV_RUN_DEFAULT);
            uv_idle_stop(&idle);
        });
    }
}

std::array<int, 2> socket_pair() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        std::abort();
    }
    return ends;
}

void write_byte(int fd) {
    if (write(fd, "!", 1) != 1) std::abort();
}

class Connections {
public:
    explicit Connections(std::size_t count) {
        const HeapMeter heap;
        pipes_ = std::vector<uv_pipe_t>(count);
        for (uv_pipe_t& pipe : pipes_) {
            const auto [near, far] = socket_pair();
            far_ends_.push_back(far);
            uv_pipe_init(&uv_.loop, &pipe, 0);
            uv_pipe_open(&pipe, near);
            pipe.data = this;
            uv_read_start(reinterpret_cast<uv_stream_t*>(&pipe), give_room, on_read);
        }
        for (const int fd : far_ends_) write_byte(fd);
        turn_until_read();
        bytes = heap.bytes_per(count);
    }
    ~Connections() {
        for (const int fd : far_ends_) close(fd);
    }
    void send(std::size_t to) {
        write_byte(far_ends_[to]);
        ++sent_count_;
    }
    void turn_until_read() {
        while (read_count_ < far_ends_.size() + sent_count_) uv_run(&uv_.loop, UV_RUN_ONCE);
    }

    double bytes = 0;

private:
    static void give_room(uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
        auto& self = *static_cast<Connections*>(handle->data);
        *buffer = uv_buf_init(self.buffer_.data(), static_cast<unsigned>(self.buffer_.size()));
    }
    static void on_read(uv_stream_t* stream, ssize_t size, const uv_buf_t*) {
        if (size > 0) ++static_cast<Connections*>(stream->data)->read_count_;
    }

    std::array<char, 16> buffer_;
    std::vector<uv_pipe_t> pipes_;
    std::vector<int> far_ends_;
    std::uint64_t read_count_ = 0;
    std::uint64_t sent_count_ = 0;
    UvLoop uv_;
};

void connections_idle(Meter& meter, std::size_t count) {
    Connections connections(count);
    meter.report_bytes(connections.bytes);
    Picks picks(count);
    while (meter.goes_on()) {
        meter.measure(batch, [&] {
            for (std::uint64_t i = 0; i < batch; ++i) {
                connections.send(picks.next());
                connections.turn_until_read();
            }
        });
    }
}

void connections_busy(Meter& meter, std::size_t count) {
    Connections connections(count);
    while (meter.goes_on()) {
        meter.measure(count, [&] {
            for (std::size_t i = 0; i < count; ++i) connections.send(i);
            connections.turn_until_read();
        });
    }
}

void descriptors_watched(Meter& meter, std::size_t count) {
    std::vector<int> far_ends;
    std::vector<int> near_ends;
    for (std::size_t i = 0; i < count; ++i) {
        const auto [near, far] = socket_pair();
        near_ends.push_back(near);
        far_ends.push_back(far);
    }
    static std::uint64_t ready_count = 0;
    const HeapMeter heap;
    std::vector<uv_poll_t> polls(count);
    UvLoop uv;
    for (std::size_t i = 0; i < count; ++i) {
        uv_poll_init(&uv.loop, &polls[i], near_ends[i]);
        polls[i].data = &near_ends[i];
        uv_poll_start(&polls[i], UV_READABLE, [](uv_poll_t* poll, int, int) {
            char byte = 0;
            if (read(*static_cast<int*>(poll->data), &byte, 1) == 1) ++ready_count;
        });
    }
    uv_run(&uv.loop, UV_RUN_NOWAIT);
    meter.report_bytes(heap.bytes_per(count));
    Picks picks(count);
    while (meter.goes_on()) {
        meter.measure(batch, [&] {
            for (std::uint64_t i = 0; i < batch; ++i) {
                const std::uint64_t target = ready_count + 1;
                write_byte(far_ends[picks.next()]);
                while (ready_count < target) uv_run(&uv.loop, UV_RUN_ONCE);
            }
        });
    }
}

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    const std::size_t open_max = descriptor_count_max();
    return run_growth(argument_count, arguments,
                      {{{"timers_fire", million, timers_fire},
                        {"timers_move", million, timers_move},
                        {"handles", million, handles},
                        {"connections_idle", open_max / 2, connections_idle},
                        {"connections_busy", open_max / 2, connections_busy},
                        {"descriptors_watched", open_max / 2, descriptors_watched}}});
}
