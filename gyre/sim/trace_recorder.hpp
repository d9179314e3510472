// SPDX-License-Identifier: Apache-2.0
// TraceRecorder: an observer that writes the events of a loop as text, one line each, so that two
// runs of a seed can be compared byte by byte.
//
//     std::string trace;
//     sim::TraceRecorder recorder(trace, "loop");
//     sim::VirtualClock clock;
//     sim::SimPlatform platform(clock);
//     Executor executor;
//     Loop loop(platform, executor, {.observer = &recorder});
//
// Thread: the loop's thread. Loops of one thread may share a text, each with its own recorder.
// Lifetime: the recorder and its text outlive the loop.
#pragma once

#include <string>
#include <string_view>

#include "gyre/kernel/observer.hpp"

namespace gyre::sim {

class TraceRecorder : public Observer {
public:
    // Each line has the name of the loop.
    TraceRecorder(std::string& into, std::string loop_name)
        : lines_(into), loop_name_(std::move(loop_name)) {}

    void on_submit(const Op& op, const Machine& by) noexcept override;
    void on_route(const Op& op, Lane lane, const Machine* to) noexcept override;
    void on_complete(const Op& op, const Machine& by) noexcept override;
    void on_tick(const Machine& machine, Instant now) noexcept override;
    void on_wait(Instant deadline) noexcept override;
    void on_waited(Instant now) noexcept override;
    void on_task(TaskEvent event, std::uint64_t task_id, std::string_view name) noexcept override;
    void on_mark(std::string_view text) noexcept override;

private:
    void begin(std::string_view event);
    void add(const Op& op);
    void add(const Machine& machine);

    std::string& lines_;
    const std::string loop_name_;
    Instant now_;
};

}  // namespace gyre::sim
