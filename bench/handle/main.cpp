// SPDX-License-Identifier: Apache-2.0
// bench_handle: gyre's own rows of the group handle, on the platform that GYRE_PLATFORM names.
// Called by bench/run.py; see protocol.hpp.
#include "bench/handle_cases.hpp"
#include "gyre/handle/async.hpp"
#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/phased_loop.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/handle/timer.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/thread_pool.hpp"

namespace gyre::bench {
namespace {

class Face {
public:
    bool run_once() { return loop.run(handle::RunMode::once); }
    bool run_no_wait() { return loop.run(handle::RunMode::no_wait); }
    void run() { loop.run(); }

    // Memory that becomes a handle when it is told its loop.
    class Timer {
    public:
        Timer() = default;
        Timer(const Timer&) = delete;
        Timer& operator=(const Timer&) = delete;
        ~Timer() { timer().~Timer(); }
        void init(Face& face) { new (memory_) handle::Timer(face.loop); }
        void start(std::int64_t delay_ms, std::uint64_t& count) {
            timer().start([&count](handle::Timer&) { ++count; },
                          std::chrono::milliseconds(delay_ms));
        }
        void stop() { timer().stop(); }
        void close() { timer().close(); }

    private:
        handle::Timer& timer() { return *std::launder(reinterpret_cast<handle::Timer*>(memory_)); }
        alignas(handle::Timer) std::byte memory_[sizeof(handle::Timer)];
    };

    class Idle {
    public:
        explicit Idle(Face& face) : face_(face), idle_(face.loop) {}
        void start() {
            idle_.start([this](handle::Idle&) {
                if (--left_ == 0) face_.loop.stop();
            });
        }
        void iterate(std::uint64_t count) {
            left_ = count;
            face_.run();
        }
        void close() { idle_.close(); }

    private:
        Face& face_;
        std::uint64_t left_ = 0;
        handle::Idle idle_;
    };

    class Async {
    public:
        Async(Face& face, std::function<void()> call) : call_(std::move(call)), async_(face.loop) {
            async_.start([this](handle::Async&) { call_(); });
        }
        void send() { async_.send(); }
        void close() { async_.close(); }

    private:
        std::function<void()> call_;
        handle::Async async_;
    };

    class Poll {
    public:
        Poll(Face& face, int fd, std::uint64_t& count, bool answers) : poll_(face.loop, fd) {
            poll_.start(Events::readable, [&count, answers](handle::FdPoll& self, Result<Events>) {
                read_byte(self.fd());
                if (answers) write_byte(self.fd());
                ++count;
            });
        }
        void close() { poll_.close(); }

    private:
        handle::FdPoll poll_;
    };

    class Work {
    public:
        Work(Face& face, std::uint64_t& count) : count_(count), work_(face.loop) {}
        void queue() {
            work_.queue([] {}, [this](handle::Work&, handle::Status) { ++count_; });
        }

    private:
        std::uint64_t& count_;
        handle::Work work_;
    };

private:
    platform::SystemClock clock_;
    pool::ThreadPool pool_{{.thread_count = 4,  // as many as libuv's
                            .clock = &clock_}};
    std::unique_ptr<Platform> platform_ = platform::make_platform(clock_).value();

public:
    handle::PhasedLoop loop{*platform_, {.offload = &pool_}};
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments, {handle_entries<Face>()});
}
