// SPDX-License-Identifier: Apache-2.0
// The round trips: an op goes from the app of one loop to the app of another on a second thread,
// which completes it, and the completion comes back. Spinning: the loops look for posts before they
// sleep, as they do by default. Parked: they do not.
//
// Each loop is made, run and ended by its own thread, on a core of its own.
#include <atomic>
#include <optional>
#include <thread>

#include "bench/affinity.hpp"
#include "bench/kernel/entries.hpp"
#include "bench/kernel/real_loop.hpp"
#include "bench/stopwatch.hpp"

namespace gyre::bench {
namespace {

struct Question : Op {
    Question() : Op(OpCode::first_custom) {}
};

class AnsweringApp final : public Machine {
public:
    AnsweringApp() : Machine("answering") {}

protected:
    void tick(Instant) override {
        while (Op* op = next_submission()) complete(*op, 0);
    }
};

class AskingApp final : public Machine {
public:
    AskingApp(MachineRef to, double span_ns) : Machine("asking"), span_ns_(span_ns) {
        question_.set_destination(to);
    }

    void start() {
        stopwatch_ = {};
        submit(question_);
    }
    [[nodiscard]] double trip_ns() const { return elapsed_ns_ / trip_count_; }

protected:
    // The clock is looked at now and then: reading it is no part of a trip.
    void tick(Instant) override {
        while (next_completion() != nullptr) {
            ++trip_count_;
            if (++trips_since_look_ < trips_between_looks) {
                submit(question_);
                continue;
            }
            trips_since_look_ = 0;
            elapsed_ns_ = stopwatch_.elapsed_ns();
            if (elapsed_ns_ < span_ns_) submit(question_);
        }
    }

private:
    static constexpr int trips_between_looks = 16;

    const double span_ns_;
    double elapsed_ns_ = 0;
    double trip_count_ = 0;
    int trips_since_look_ = 0;
    Stopwatch stopwatch_;
    Question question_;
};

// A loop on a second thread, there when the constructor returns, ended by the destructor.
class OtherLoop {
public:
    OtherLoop(Peers& peers, Duration spin_max)
        : thread_([this, &peers, spin_max] { live(peers, spin_max); }) {
        while (!is_there_.load()) std::this_thread::yield();
    }
    ~OtherLoop() {
        loop_->stop();
        thread_.join();
    }
    [[nodiscard]] MachineRef app_ref() const { return app_ref_; }

private:
    void live(Peers& peers, Duration spin_max) {
        const PinnedThread pinned{1};
        RealLoop<AnsweringApp> real{
            LoopOptions{.thread_id = 2, .peers = &peers, .spin_max = spin_max}};
        app_ref_ = real.loop.app_ref();
        loop_ = &real.loop;
        is_there_.store(true);
        (void)real.loop.run_until_stopped();
    }

    MachineRef app_ref_;
    Loop* loop_ = nullptr;
    std::atomic<bool> is_there_{false};
    std::thread thread_;
};

double round_trip_ns(double span_ns, Duration spin_max) {
    const PinnedThread pinned{0};
    Peers peers{2};
    std::optional<OtherLoop> other{std::in_place, peers, spin_max};
    RealLoop<AskingApp> here{LoopOptions{.thread_id = 1, .peers = &peers, .spin_max = spin_max},
                             other->app_ref(), span_ns};
    here.app.start();
    (void)here.loop.run();  // Until nothing is in flight.
    other.reset();
    return here.app.trip_ns();
}

void measure_spinning(Run& run) {
    run.report("round_trip_spinning", round_trip_ns(run.span_ns(), LoopOptions{}.spin_max));
}

void measure_parked(Run& run) {
    run.report("round_trip_parked", round_trip_ns(run.span_ns(), Duration(0)));
}

}  // namespace

std::vector<Entry> two_loops_entries() {
    return {
        {{"round_trip_spinning"}, measure_spinning},
        {{"round_trip_parked"}, measure_parked},
    };
}

}  // namespace gyre::bench
