// SPDX-License-Identifier: Apache-2.0
// bench_job: gyre's own rows of the group job. Called by bench/run.py; see protocol.hpp.
//
// Samples of 10,000 jobs on a real loop, the best of many; each takes its own time from its first
// job to its last, as Node's program does.
#include <cstdlib>

#include "bench/protocol.hpp"
#include "bench/stopwatch.hpp"
#include "gyre/job/pump.hpp"
#include "gyre/platform/internal/epoll/epoll.hpp"
#include "gyre/platform/system_clock.hpp"

namespace gyre::bench {
namespace {

constexpr std::uint64_t jobs_per_sample = 10'000;
constexpr int pending_count = 100'000;

class JobBench {
public:
    explicit JobBench(Run& run) : run_(run) { pump_.start(); }
    JobBench(const JobBench&) = delete;
    JobBench& operator=(const JobBench&) = delete;
    ~JobBench() { loop_.close(); }

    // Each job queues the next one.
    void microtasks(const char* name) {
        sample(name, [this] { microtask(); });
    }
    void ticks(const char* name) {
        sample(name, [this] { tick(); });
    }

    void immediates(const char* name) {
        sample(name, [this] {
            for (std::uint64_t i = 0; i < jobs_per_sample; ++i) {
                jobs_.set_immediate([this] { count(); });
            }
        });
    }

    // The rest waits meanwhile, in a thousand durations.
    void timers(const char* name) {
        for (int i = 0; i < pending_count; ++i) {
            jobs_.set_timeout([] {}, std::chrono::hours(1) + std::chrono::milliseconds(i % 1'000));
        }
        sample(name, [this] {
            for (std::uint64_t i = 0; i < jobs_per_sample; ++i) {
                jobs_.set_timeout(
                    [this] {
                        if (left_ == jobs_per_sample) watch_ = Stopwatch();
                        count();
                    },
                    std::chrono::milliseconds(1));
            }
            const Stopwatch blocking;
            while (blocking.elapsed_ns() < 2.5e6) continue;
        });
    }

private:
    template <class Begin>
    void sample(const char* name, Begin begin) {
        const Stopwatch all;
        while (all.elapsed_ns() < run_.span_ns()) {
            left_ = jobs_per_sample;
            jobs_.queue_callback([&] {
                watch_ = Stopwatch();
                begin();
            });
            while (left_ > 0) loop_.turn();
            run_.report(name, taken_ns_ / static_cast<double>(jobs_per_sample));
        }
    }
    void microtask() {
        if (count()) jobs_.queue_microtask([this] { microtask(); });
    }
    void tick() {
        if (count()) jobs_.next_tick([this] { tick(); });
    }
    bool count() {
        if (--left_ > 0) return true;
        taken_ns_ = watch_.elapsed_ns();
        return false;
    }

    Run& run_;
    platform::SystemClock clock_;
    std::unique_ptr<Platform> platform_ = platform::EpollPlatform::make(clock_).value();
    job::Host host_;
    job::Scheduler jobs_{clock_, host_};
    job::Pump pump_{jobs_};
    Loop loop_{*platform_, pump_};
    std::uint64_t left_ = 0;
    Stopwatch watch_;
    double taken_ns_ = 0;
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(
        argument_count, arguments,
        {{{{"job_microtask"}, [](Run& run) { JobBench(run).microtasks("job_microtask"); }},
          {{"job_tick"}, [](Run& run) { JobBench(run).ticks("job_tick"); }},
          {{"job_immediate"}, [](Run& run) { JobBench(run).immediates("job_immediate"); }},
          {{"job_timer"}, [](Run& run) { JobBench(run).timers("job_timer"); }}}});
}
