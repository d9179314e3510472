// SPDX-License-Identifier: Apache-2.0
// Fixture for tests of jobs: a scheduler and its pump on a loop in virtual time, and a host that
// records its calls. One thread.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gyre/job/pump.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/sim/virtual_clock.hpp"

namespace gyre::job {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

// Goes on after errors, and writes every event into `lines`.
class TestHost : public Host {
public:
    AfterError on_error(std::exception_ptr error) override {
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& exception) {
            lines.push_back(std::string("error ") + exception.what());
        } catch (...) {
            lines.emplace_back("error of no name");
        }
        return after_error;
    }
    void on_rejection(PromiseId /*promise*/, const std::any& reason) override {
        lines.push_back("unhandled " + std::any_cast<std::string>(reason));
        if (when_rejected) when_rejected();
    }
    void on_rejection_handled(PromiseId /*promise*/) override {
        lines.emplace_back("rejection handled");
    }
    void on_before_exit() override {
        if (when_dry) when_dry();
    }
    void on_exit() override {
        if (when_exiting) when_exiting();
    }

    Lines lines;
    AfterError after_error = AfterError::go_on;
    std::function<void()> when_rejected;
    std::function<void()> when_dry;
    std::function<void()> when_exiting;
};

struct JobWorld {
    TestHost host;
    sim::VirtualClock clock;
    sim::SimPlatform platform{clock};
    Scheduler jobs;
    Pump pump{jobs};
    Loop loop{platform, pump};
    Instant begin = clock.peek();

    explicit JobWorld(SchedulerOptions options = {}) : jobs(clock, host, options) {}
    JobWorld(const JobWorld&) = delete;
    JobWorld& operator=(const JobWorld&) = delete;
    ~JobWorld() { loop.close(); }

    // Runs the main script and everything that follows from it.
    Lines& run(Callback<> main_script) {
        pump.start(std::move(main_script));
        static_cast<void>(run_to_exit(loop, pump));
        return host.lines;
    }

    void log(std::string line) { host.lines.push_back(std::move(line)); }
    // A callback that writes a line.
    Callback<> says(std::string line) {
        return [this, line = std::move(line)] { log(line); };
    }
    // Does something at each run of an interval, with its number, and clears it at the end of the
    // third. Gives when they were.
    template <class EachRun>
    std::vector<std::int64_t> three_runs_of_an_interval(Duration period, EachRun each_run) {
        std::vector<std::int64_t> runs;
        JobId id = 0;
        run([&] {
            id = jobs.set_interval(
                [&] {
                    runs.push_back(passed_ms());
                    each_run(runs.size());
                    if (runs.size() == 3) jobs.clear_interval(id);
                },
                period);
        });
        return runs;
    }
    // A script that works that long without returning.
    void block(Duration time) { clock.advance(time); }
    [[nodiscard]] std::int64_t passed_ms() const { return (clock.peek() - begin) / 1ms; }
};

[[noreturn]] inline void fail(const char* what) {
    throw std::runtime_error(what);
}

}  // namespace gyre::job
