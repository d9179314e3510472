// SPDX-License-Identifier: Apache-2.0
// libuv's rows of the group handle.
#include <uv.h>

#include "bench/handle_cases.hpp"

namespace gyre::bench {
namespace {

class Face {
public:
    Face() { uv_loop_init(&loop); }
    Face(const Face&) = delete;
    Face& operator=(const Face&) = delete;
    ~Face() { uv_loop_close(&loop); }

    bool run_once() { return uv_run(&loop, UV_RUN_ONCE) != 0; }
    bool run_no_wait() { return uv_run(&loop, UV_RUN_NOWAIT) != 0; }
    void run() { uv_run(&loop, UV_RUN_DEFAULT); }

    class Timer {
    public:
        void init(Face& face) { uv_timer_init(&face.loop, &timer_); }
        void start(std::int64_t delay_ms, std::uint64_t& count) {
            timer_.data = &count;
            uv_timer_start(
                &timer_, [](uv_timer_t* self) { ++*static_cast<std::uint64_t*>(self->data); },
                static_cast<std::uint64_t>(delay_ms), 0);
        }
        void stop() { uv_timer_stop(&timer_); }
        void close() { uv_close(reinterpret_cast<uv_handle_t*>(&timer_), nullptr); }

    private:
        uv_timer_t timer_;
    };

    class Idle {
    public:
        explicit Idle(Face& face) : face_(face) {
            uv_idle_init(&face.loop, &idle_);
            idle_.data = this;
        }
        void start() {
            uv_idle_start(&idle_, [](uv_idle_t* self) {
                auto& idle = *static_cast<Idle*>(self->data);
                if (--idle.left_ == 0) uv_stop(&idle.face_.loop);
            });
        }
        void iterate(std::uint64_t count) {
            left_ = count;
            face_.run();
        }
        void close() { uv_close(reinterpret_cast<uv_handle_t*>(&idle_), nullptr); }

    private:
        Face& face_;
        std::uint64_t left_ = 0;
        uv_idle_t idle_;
    };

    class Async {
    public:
        Async(Face& face, std::function<void()> call) : call_(std::move(call)) {
            uv_async_init(&face.loop, &async_,
                          [](uv_async_t* self) { static_cast<Async*>(self->data)->call_(); });
            async_.data = this;
        }
        void send() { uv_async_send(&async_); }
        void close() { uv_close(reinterpret_cast<uv_handle_t*>(&async_), nullptr); }

    private:
        std::function<void()> call_;
        uv_async_t async_;
    };

    class Poll {
    public:
        Poll(Face& face, int fd, std::uint64_t& count, bool answers)
            : fd_(fd), count_(count), answers_(answers) {
            uv_poll_init(&face.loop, &poll_, fd);
            poll_.data = this;
            uv_poll_start(&poll_, UV_READABLE, [](uv_poll_t* handle, int, int) {
                auto& self = *static_cast<Poll*>(handle->data);
                read_byte(self.fd_);
                if (self.answers_) write_byte(self.fd_);
                ++self.count_;
            });
        }
        void close() { uv_close(reinterpret_cast<uv_handle_t*>(&poll_), nullptr); }

    private:
        const int fd_;
        std::uint64_t& count_;
        const bool answers_;
        uv_poll_t poll_;
    };

    class Work {
    public:
        Work(Face& face, std::uint64_t& count) : face_(face) { work_.data = &count; }
        void queue() {
            uv_queue_work(
                &face_.loop, &work_, [](uv_work_t*) {},
                [](uv_work_t* self, int) { ++*static_cast<std::uint64_t*>(self->data); });
        }

    private:
        Face& face_;
        uv_work_t work_;
    };

    uv_loop_t loop;
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments, {handle_entries<Face>()});
}
