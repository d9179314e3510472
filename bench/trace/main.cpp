// SPDX-License-Identifier: Apache-2.0
// bench_trace: gyre's own rows of the group trace. Called by bench/run.py; see protocol.hpp.
//
// An event is recorded through the interface that the kernel calls, in real time, into a ring that
// is overwritten all the while: a mix of what a turn consists of.
#include <cstdlib>

#include "bench/protocol.hpp"
#include "bench/stopwatch.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/platform/internal/epoll/epoll.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/trace/trace.hpp"

namespace gyre::bench {
namespace {

class App final : public Machine {
public:
    App() : Machine("app") {}
    using Machine::submit;

protected:
    void tick(Instant) override {
        while (next_completion() != nullptr) continue;
    }
};

[[gnu::noinline]] void record_events(Observer& observer, const Op& op, const Machine& machine,
                                     Instant now) {
    observer.on_waited(now);
    observer.on_route(op, Lane::completions, &machine);
    observer.on_tick(machine, now);
    observer.on_complete(op, machine);
    observer.on_submit(op, machine);
    observer.on_task(TaskEvent::resumed, 1, {});
    observer.on_task(TaskEvent::suspended, 1, {});
    observer.on_turned();
}
constexpr std::uint64_t events_at_once = 8;

void measure_event(Run& run) {
    platform::SystemClock clock;
    auto platform = platform::EpollPlatform::make(clock);
    if (!platform) std::abort();
    trace::Trace trace({.clock = &clock});
    Observer& ring = trace.add_loop({.loop = "bench"});
    App app;
    Loop loop{**platform, app};
    Request op(OpCode::first_custom);
    app.submit(op);
    (void)loop.run();
    const Instant now = clock.now();
    for (int pass = 0; pass < 3; ++pass) {
        const double ns =
            ns_per_operation(run.span_ns() / 3, [&] { record_events(ring, op, app, now); });
        run.report("trace_event", ns / static_cast<double>(events_at_once));
    }
}

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments, {{{{"trace_event"}, measure_event}}});
}
