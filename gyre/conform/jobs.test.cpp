// SPDX-License-Identifier: Apache-2.0
// The tables of jobs fail for each planted fault, and only for faults.
#include "gyre/conform/jobs.hpp"

#include <algorithm>
#include <stdexcept>

#include "gyre/conform/faults.test.hpp"
#include "gyre/conform/internal/gyre_adapters.hpp"

namespace gyre::conform {
namespace {

std::unique_ptr<JobsAdapter> right(job::Profile profile = job::Profile::node) {
    return make_gyre_jobs(simulated(), {.profile = profile});
}

// Forwards every call; a fault overrides the call that it breaks.
class Passing : public JobsAdapter, protected JobsHost {
public:
    explicit Passing(std::unique_ptr<JobsAdapter> to = right()) : to_(std::move(to)) {}

    [[nodiscard]] bool has_simulated_time() const override { return to_->has_simulated_time(); }
    void run(const Job& main_script, JobsHost& host) override {
        host_ = &host;
        to_->run(main_script, *this);
    }
    void next_tick(Job job) override { to_->next_tick(std::move(job)); }
    void queue_microtask(Job job) override { to_->queue_microtask(std::move(job)); }
    Id set_immediate(Job job) override { return to_->set_immediate(std::move(job)); }
    Id set_timeout(Job job, double ms) override { return to_->set_timeout(std::move(job), ms); }
    Id set_interval(Job job, double ms) override { return to_->set_interval(std::move(job), ms); }
    void clear_immediate(Id id) override { to_->clear_immediate(id); }
    void clear_timeout(Id id) override { to_->clear_timeout(id); }
    void clear_interval(Id id) override { to_->clear_interval(id); }
    void refresh(Id id) override { to_->refresh(id); }
    void set_ref(Id id, bool has_ref) override { to_->set_ref(id, has_ref); }
    void close_callback(Job job) override { to_->close_callback(std::move(job)); }
    void host_callback(Job job) override { to_->host_callback(std::move(job)); }
    void post_from_thread(Job job) override { to_->post_from_thread(std::move(job)); }
    void after_reactions(Job job, int count) override {
        to_->after_reactions(std::move(job), count);
    }
    void after_adopting(Job job) override { to_->after_adopting(std::move(job)); }
    void after_thenable(Job job) override { to_->after_thenable(std::move(job)); }
    void make_rejected(const std::string& promise) override { to_->make_rejected(promise); }
    void handle_rejected(const std::string& promise) override { to_->handle_rejected(promise); }
    void set_context(int context) override { to_->set_context(context); }
    [[nodiscard]] int context() override { return to_->context(); }
    void block(double ms) override { to_->block(ms); }
    [[nodiscard]] double passed_ms() override { return to_->passed_ms(); }
    [[nodiscard]] double wait_ms() override { return to_->wait_ms(); }

protected:
    void on_error(const std::string& what) override { host_->on_error(what); }
    void on_rejection(const std::string& promise) override { host_->on_rejection(promise); }
    void on_rejection_handled(const std::string& promise) override {
        host_->on_rejection_handled(promise);
    }
    void on_before_exit() override { host_->on_before_exit(); }
    void on_exit() override { host_->on_exit(); }

    std::unique_ptr<JobsAdapter> to_;
    JobsHost* host_ = nullptr;
};

struct TicksAreMicrotasks : Passing {
    void next_tick(Job job) override { queue_microtask(std::move(job)); }
};
struct MicrotasksAreTicks : Passing {
    void queue_microtask(Job job) override { next_tick(std::move(job)); }
};
struct MicrotasksRunAtOnce : Passing {
    void queue_microtask(Job job) override { job(); }
};
struct ImmediatesAreTimers : Passing {
    Id set_immediate(Job job) override { return set_timeout(std::move(job), 0); }
};
struct TimersAreImmediates : Passing {
    Id set_timeout(Job job, double /*ms*/) override { return set_immediate(std::move(job)); }
};
struct CallbacksAreTicks : Passing {
    void host_callback(Job job) override { next_tick(std::move(job)); }
};
struct ClosingsAreImmediates : Passing {
    void close_callback(Job job) override { set_immediate(std::move(job)); }
};
struct RefreshesAreLost : Passing {
    void refresh(Id /*id*/) override {}
};
struct DelaysAreRoundedUp : Passing {
    Id set_timeout(Job job, double ms) override { return to_->set_timeout(job, ms + 0.9); }
};
struct TimersOfOneDurationRunBackwards : Passing {
    Id set_timeout(Job job, double ms) override { return to_->set_timeout(job, ms + --less_); }
    double less_ = 5;
};
struct IntervalsTakeLonger : Passing {
    Id set_interval(Job job, double ms) override {
        return to_->set_interval(
            [this, job] {
                job();
                block(1);
            },
            ms);
    }
};
struct IntervalsOfNothingFireOnce : Passing {
    Id set_interval(Job job, double ms) override {
        return ms == 0 ? set_timeout(std::move(job), 0) : Passing::set_interval(std::move(job), ms);
    }
};
struct ImmediatesCannotBeCleared : Passing {
    void clear_immediate(Id /*id*/) override {}
};
struct ClearTimeoutTakesTimeoutsOnly : Passing {
    Id set_interval(Job job, double ms) override {
        return interval_ = Passing::set_interval(std::move(job), ms);
    }
    void clear_timeout(Id id) override {
        if (id != interval_) Passing::clear_timeout(id);
        clear_interval(interval_);
        if (id == interval_ && id != 0) set_timeout([] { throw std::runtime_error("left"); }, 1);
    }
    Id interval_ = 0;
};
struct ClearImmediateTakesTimers : Passing {
    void clear_immediate(Id id) override {
        Passing::clear_immediate(id);
        clear_timeout(id);
    }
};
struct PromisesAreAdoptedAtOnce : Passing {
    void after_adopting(Job job) override { after_reactions(std::move(job), 1); }
};
struct ThenablesAreAdoptedAtOnce : Passing {
    void after_thenable(Job job) override { after_reactions(std::move(job), 1); }
};
struct RejectionsAreReportedAtOnce : Passing {
    void make_rejected(const std::string& promise) override { host_->on_rejection(promise); }
    void handle_rejected(const std::string& /*promise*/) override {}
};
struct LateHandlersAreNotTold : Passing {
    void on_rejection_handled(const std::string& /*promise*/) override {}
};
struct ErrorsAreSwallowed : Passing {
    void on_error(const std::string& /*what*/) override {}
};
struct ReferencesDoNotCount : Passing {
    void set_ref(Id /*id*/, bool /*has_ref*/) override {}
};
struct ReferencesAreNotGivenBack : Passing {
    void set_ref(Id id, bool has_ref) override {
        if (!has_ref) Passing::set_ref(id, has_ref);
    }
};
struct NobodyIsToldBeforeTheExit : Passing {
    void on_before_exit() override {}
};
struct ContextsAreLost : Passing {
    void set_context(int /*context*/) override {}
};
struct PostsAreLost : Passing {
    void post_from_thread(Job /*job*/) override {}
};
struct WaitsHaveNoLimit : Passing {
    WaitsHaveNoLimit() : Passing(right(job::Profile::js2il)) {}
    [[nodiscard]] double wait_ms() override { return 9990; }
};
struct IntervalsOfNothingGoOn : Passing {
    IntervalsOfNothingGoOn() : Passing(right(job::Profile::js2il)) {}
    Id set_interval(Job job, double ms) override {
        return Passing::set_interval(std::move(job), std::max(ms, 1.0));
    }
};
struct MicrotasksAreImmediates : Passing {
    MicrotasksAreImmediates() : Passing(right(job::Profile::js2il)) {}
    void queue_microtask(Job job) override { set_immediate(std::move(job)); }
};
struct PostsAreLostInJs2il : Passing {
    PostsAreLostInJs2il() : Passing(right(job::Profile::js2il)) {}
    void post_from_thread(Job /*job*/) override {}
};
struct ErrorsAreSwallowedInJs2il : Passing {
    ErrorsAreSwallowedInJs2il() : Passing(right(job::Profile::js2il)) {}
    void on_error(const std::string& /*what*/) override {}
};
struct TimeGoesOnByItself : Passing {
    [[nodiscard]] double passed_ms() override { return to_->passed_ms() + 1; }
};

template <class Kind>
Fault<JobsAdapter> fault(std::string name, Names found_by) {
    return {std::move(name), [] { return std::make_unique<Kind>(); }, std::move(found_by)};
}
template <class Kind>
Fault<JobsAdapter> broad_fault(std::string name, Names found_by) {
    Fault<JobsAdapter> made = fault<Kind>(std::move(name), std::move(found_by));
    made.is_broad = true;
    return made;
}
Fault<JobsAdapter> fault_of_options(std::string name, job::SchedulerOptions options,
                                    Names found_by) {
    return {std::move(name), [options] { return make_gyre_jobs(simulated(), options); },
            std::move(found_by)};
}

TEST(JobTables, hold_for_gyre_in_both_orders) {
    EXPECT_EQ(failed_in(run(jobs_as_node(), "sim", MakeJobsAdapter([] { return right(); }))),
              Names{});
    EXPECT_EQ(failed_in(run(jobs_as_js2il(), "sim",
                            MakeJobsAdapter([] { return right(job::Profile::js2il); }))),
              Names{});
}

TEST(JobTables, find_every_planted_fault_in_nodes_order_and_nothing_else) {
    const std::vector<Fault<JobsAdapter>> faults = {
        fault_of_options("a checkpoint has a bound", {.starvation_limit = 1000},
                         {"1: a checkpoint has no bound"}),
        fault_of_options("the order is the other one", {.profile = job::Profile::js2il},
                         {"10: either name clears, twice does no harm",
                          "11: promise jobs and microtasks are one queue",
                          "12: a handler from a tick is in time",
                          "12: a rejection is reported after its checkpoint",
                          "12: rejections are reported as they came",
                          "13: a timer that throws lets the next one go first",
                          "13: so does a callback of I/O",
                          "13: so does an immediate",
                          "1: a checkpoint follows each callback",
                          "1: a checkpoint has no bound",
                          "1: ticks that ticks add come before microtasks",
                          "3: what was closed ends after the immediates",
                          "1: ticks, then microtasks, until there are none",
                          "2: in a module microtasks come before ticks",
                          "3: a timer that is due comes before an immediate",
                          "5: a timer made in a phase waits for the next",
                          "5: one phase runs every timer that is due",
                          "6: a due list runs whole before the next list",
                          "7: delays are whole milliseconds from 1 to 2^31-1",
                          "8: an interval goes behind what its callback set",
                          "8: an interval of 0 repeats",
                          "9: immediates have no bound",
                          "a job runs to its end before the next one starts"}),
        broad_fault<TicksAreMicrotasks>("ticks are microtasks",
                                        {"1: ticks, then microtasks, until there are none",
                                         "2: in a module microtasks come before ticks"}),
        broad_fault<MicrotasksAreTicks>("microtasks are ticks",
                                        {"1: ticks, then microtasks, until there are none",
                                         "2: in a module microtasks come before ticks"}),
        broad_fault<MicrotasksRunAtOnce>("microtasks run at once",
                                         {"a job runs to its end before the next one starts"}),
        broad_fault<ImmediatesAreTimers>("immediates are timers",
                                         {"3: a timer that is due comes before an immediate",
                                          "3: a timer that is not due comes after it",
                                          "4: from I/O, an immediate precedes a new timer",
                                          "4: from a timer, an immediate precedes a new timer",
                                          "9: an immediate of an immediate waits a round"}),
        broad_fault<TimersAreImmediates>("timers are immediates",
                                         {"3: a timer that is not due comes after it"}),
        fault<CallbacksAreTicks>("callbacks of the host are ticks",
                                 {"1: a checkpoint follows each callback",
                                  "3: what was closed ends after the immediates",
                                  "4: from I/O, an immediate precedes a new timer"}),
        fault<ClosingsAreImmediates>("ends of what was closed are immediates",
                                     {"3: what was closed ends after the immediates"}),
        fault<RefreshesAreLost>("refreshes are lost",
                                {"6: a refreshed timer goes behind its list",
                                 "6: a timer refreshed by its callback runs again"}),
        fault<DelaysAreRoundedUp>("delays are rounded up",
                                  {"7: delays are whole milliseconds from 1 to 2^31-1"}),
        broad_fault<TimersOfOneDurationRunBackwards>(
            "timers run backwards",
            {"6: lists of one expiry run by age", "6: timers of one duration run as inserted"}),
        fault<IntervalsTakeLonger>("intervals take a millisecond longer",
                                   {"8: an interval that is late does not catch up"}),
        fault<IntervalsOfNothingFireOnce>("intervals of 0 fire once",
                                          {"8: an interval of 0 repeats"}),
        fault<ImmediatesCannotBeCleared>("immediates cannot be cleared",
                                         {"9: immediates of the same batch can be cleared"}),
        fault<ClearTimeoutTakesTimeoutsOnly>("clear_timeout takes timeouts only",
                                             {"10: either name clears, twice does no harm"}),
        fault<ClearImmediateTakesTimers>("clear_immediate takes timers",
                                         {"10: either name clears, twice does no harm"}),
        fault<PromisesAreAdoptedAtOnce>("promises are adopted at once",
                                        {"11: adopting a promise costs two jobs more"}),
        fault<ThenablesAreAdoptedAtOnce>("thenables are adopted at once",
                                         {"11: adopting a thenable costs one job more"}),
        fault<RejectionsAreReportedAtOnce>("rejections are reported at once",
                                           {"12: a handler from a tick is in time",
                                            "12: a rejection is reported after its checkpoint",
                                            "12: a rejection that is handled later is withdrawn",
                                            "12: a rejection waits for ticks of microtasks",
                                            "12: rejections are reported as they came"}),
        fault<LateHandlersAreNotTold>("late handlers are not told",
                                      {"12: a rejection that is handled later is withdrawn"}),
        fault<ErrorsAreSwallowed>(
            "errors are swallowed",
            {"13: a job that throws loses no other job",
             "13: a timer that throws lets the next one go first", "13: so does a callback of I/O",
             "13: so does an immediate", "8: an interval is cleared inside its callback"}),
        fault<ReferencesDoNotCount>("references do not count",
                                    {"14: an immediate without a reference never runs",
                                     "14: an interval may drop its own reference",
                                     "14: without a reference it runs, but keeps nothing",
                                     "15: before the exit microtasks start nothing"}),
        fault<ReferencesAreNotGivenBack>("references are not given back",
                                         {"14: a reference that is given back counts"}),
        fault<NobodyIsToldBeforeTheExit>("nobody is told before the exit",
                                         {"15: before the exit microtasks start nothing",
                                          "15: before the exit more may start, in it no more"}),
        fault<ContextsAreLost>("contexts are lost",
                               {"a job runs in the context that it was queued in"}),
        fault<PostsAreLost>("posts are lost", {"another thread's callback gets in"}),
        fault<TimeGoesOnByItself>("time goes on by itself",
                                  {"16: the wait lasts until the next timer",
                                   "7: delays are whole milliseconds from 1 to 2^31-1",
                                   "8: an interval counts from the start of its run",
                                   "8: an interval that is late does not catch up"}),
    };
    expect_found(jobs_as_node(), faults);
}

TEST(JobTables, find_every_planted_fault_in_js2ils_order_and_nothing_else) {
    const std::vector<Fault<JobsAdapter>> faults = {
        fault_of_options("the bounds are other ones",
                         {.profile = job::Profile::js2il, .slice = 1000},
                         {"a checkpoint runs 1024 microtasks, then others",
                          "an iteration runs 1024 immediates, then a timer"}),
        fault_of_options(
            "the order is the other one", {},
            {"a checkpoint runs 1024 microtasks, then others", "a tick is a microtask",
             "an interval of 0 fires once", "an iteration runs 1024 immediates, then a timer",
             "an iteration runs one callback or one timer", "clear_interval leaves a timeout alone",
             "immediates, one timer, then microtasks", "no checkpoint stands after the main script",
             "the wait is at most 50 ms", "timers run by due time, then in start order"}),
        broad_fault<MicrotasksAreImmediates>("microtasks are immediates",
                                             {"a checkpoint follows each immediate"}),
        fault<IntervalsOfNothingGoOn>("intervals of 0 go on", {"an interval of 0 fires once"}),
        fault<WaitsHaveNoLimit>("waits have no limit", {"the wait is at most 50 ms"}),
        fault<PostsAreLostInJs2il>("posts are lost", {"another thread's callback gets in"}),
        fault<ErrorsAreSwallowedInJs2il>("errors are swallowed",
                                         {"an interval repeats, also after an error"}),
    };
    expect_found(jobs_as_js2il(), faults);
}

TEST(JobTables, skip_what_an_adapter_lacks) {
    struct NoPromises : Passing {
        [[nodiscard]] std::string lacks(const std::string& verb) const override {
            const bool is_of_promises = verb == "then" || verb == "reject";
            return is_of_promises ? "no promises" : "";
        }
    };
    std::size_t skipped = 0;
    const MakeJobsAdapter make = [] { return std::make_unique<NoPromises>(); };
    for (const Result& result : run(jobs_as_node(), "sim", make)) {
        if (result.verdict != Verdict::skipped) continue;
        ++skipped;
        EXPECT_EQ(result.detail, "no promises");
        const std::string rule = std::string(result.scenario->name).substr(0, 3);
        EXPECT_TRUE(rule == "11:" || rule == "12:") << result.scenario->name;
    }
    EXPECT_EQ(skipped, 8u);
}

}  // namespace
}  // namespace gyre::conform
