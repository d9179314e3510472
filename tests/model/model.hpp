// SPDX-License-Identifier: Apache-2.0
// A model checker for the few files in which threads meet. It runs a scenario of a few threads
// under every schedule with a bounded number of preemptions, on a memory as weak as C++ allows (see
// memory.hpp), and stops at the first schedule that fails:
//
//     model::Outcome outcome = model::explore({}, [](model::Run& run) {
//         gyre::Atomic<int> count{0};
//         run.name(count, "count");
//         run.thread("one", [&] { count.store(count.load() + 1); });
//         run.thread("two", [&] { count.store(count.load() + 1); });
//         run.start_and_join();
//         model::require(count.load() == 2, "both count");
//     });
//     EXPECT_FALSE(outcome.ok) << "a lost update";
//
// Failures: a requirement or an assertion that does not hold, a data race on a Shared, a deadlock
// (a lost wake ends in one), a run that does not end. The scenario must be deterministic, apart
// from what the checker decides. Its threads are fibers: it all happens on the calling thread. A
// failed run is left where it stands and never unwound, so destructors do not disturb the report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "memory.hpp"
#include "model_atomic.hpp"

namespace model {

// A planted bug without a second copy of the source: every access gets at most this order.
enum class Weaken : std::uint8_t { nothing, seq_cst_to_acq_rel, everything_to_relaxed };

struct Options {
    std::uint32_t preemptions_max = 3;
    std::uint32_t surprises_max = 2;  // old values read and spurious failures, in one run
    std::uint64_t steps_max = 2000;   // in one run; more is a livelock
    std::uint64_t schedules_max = 20'000'000;
    Weaken weaken = Weaken::nothing;
};

struct Outcome {
    bool ok = true;
    std::string schedule;  // why it failed, then one line a step
    std::uint64_t schedules_explored = 0;
    std::uint64_t steps = 0;  // of all runs together
};

class Engine;

// One run of a scenario, as the scenario sees it.
class Run {
public:
    explicit Run(Engine& engine) noexcept : engine_(engine) {}

    void thread(std::string_view name, std::function<void()> body);

    // Runs all threads to their end under this run's schedule. What stands after it sees all that
    // they did.
    void start_and_join();

    // How an object, and all that lies within it, prints in a schedule.
    template <typename T>
    void name(const T& object, std::string_view text) {
        name_bytes(&object, sizeof object, text);
    }

private:
    void name_bytes(const void* object, std::size_t size_bytes, std::string_view text);

    Engine& engine_;
};

Outcome explore(const Options& options, const std::function<void(Run&)>& scenario);

// Fails the run unless it holds.
void require(bool holds, std::string_view what);

// Blocks the thread until the condition holds; the condition is asked again at every decision, so
// it reads plain variables of the scenario and no atomics.
void wait_until(const std::function<bool()>& is_true);

// Sleep and wake of one thread, as with an eventfd or a futex: a wake that comes first is kept, and
// several of them are one.
class Parker {
public:
    void park();
    void unpark();

private:
    bool is_token_there_ = false;
    Knowledge message_;
};

}  // namespace model

#include "model_shared.hpp"
