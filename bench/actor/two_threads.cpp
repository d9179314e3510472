// SPDX-License-Identifier: Apache-2.0
// A message between actors of two loops, on a core each. The loops look for posts before they
// sleep, as they do by default.
#include "bench/actor/two_threads.hpp"

#include <algorithm>
#include <memory>

#include "bench/stopwatch.hpp"
#include "gyre/actor/actor.hpp"
#include "gyre/app/runtime.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"

namespace gyre::bench {
namespace {

using actor::Actor;
using actor::Place;
using actor::Ref;

struct Ball {
    std::uint64_t left;
};

class Player : public Actor<Player> {
public:
    void handle(Ref<Player> other) { other_ = std::move(other); }
    void handle(Ball ball) {
        if (ball.left > 0) static_cast<void>(other_.send(Ball{ball.left - 1}));
        if (ball.left <= 1) stop();
    }

private:
    Ref<Player> other_;
};

}  // namespace

void measure_ping_pong_2(Run& run) {
    const std::uint64_t count = run.is_quick() ? 100'000 : 500'000;
    for (int pass = 0; pass < 5; ++pass) {
        platform::SystemClock clock;
        actor::System system;
        double best_ns = 0;
        const auto play = [&]() -> Future<void> {
            const auto one = system.spawn<Player>();
            const auto two = system.spawn_with<Player>({.place = Place::on("2")});
            static_cast<void>(one.send(two));
            static_cast<void>(two.send(one));
            Stopwatch stopwatch;
            static_cast<void>(one.send(Ball{count}));
            co_await one.ended();
            co_await two.ended();
            best_ns = stopwatch.lap_ns_per(count);
            system.stop();
        };
        Runtime runtime(
            {.loop_count = 2,
             .make_platform = [&](ThreadId) { return platform::make_platform(clock).value(); },
             .make_app = [](ThreadId) { return std::make_unique<Executor>(); },
             .on_started =
                 [&](Runtime& all, Loop& loop, Machine& app) {
                     Scope& root = static_cast<Executor&>(app).root();
                     system.open(root, std::to_string(loop.thread_id()));
                     if (loop.thread_id() != 1) return;
                     const auto main = [&]() -> Future<void> {
                         co_await sleep(std::chrono::milliseconds(5));  // Both are open by then.
                         co_await play();
                         all.stop();
                     };
                     root.spawn(main);
                 }});
        if (!runtime.start()) std::abort();
        runtime.join();
        run.report("actor_ping_pong_2", best_ns);
    }
}

}  // namespace gyre::bench
