// SPDX-License-Identifier: Apache-2.0
// The table of effects fails for each planted fault, and only for faults.
#include "gyre/conform/effects.hpp"

#include <list>

#include "gyre/conform/faults.test.hpp"
#include "gyre/conform/internal/gyre_adapters.hpp"

namespace gyre::conform {
namespace {

using Kind = EffectsAnswer::Kind;

// Forwards every call in both directions; a fault overrides the call that it breaks.
class Passing : public EffectsAdapter, protected EffectsHost {
public:
    [[nodiscard]] bool has_simulated_time() const override { return to_->has_simulated_time(); }
    void open(EffectsHost& host) override {
        host_ = &host;
        to_->open(*this);
    }
    void set_budget(int steps) override { to_->set_budget(steps); }
    void add_handler(const std::string& op) override { to_->add_handler(op); }
    void add_async_handler(const std::string& op) override { to_->add_async_handler(op); }
    void start(const std::string& run, EffectsGuest& guest) override { to_->start(run, guest); }
    void cancel(const std::string& run) override { to_->cancel(run); }
    void cancel_from_thread(const std::string& run) override { to_->cancel_from_thread(run); }
    void answer(std::uint64_t call, const EffectsAnswer& answer) override {
        to_->answer(call, answer);
    }
    void on_end(Callback clean_up) override { to_->on_end(std::move(clean_up)); }
    void post(Callback work) override { to_->post(std::move(work)); }
    void settle() override { to_->settle(); }

protected:
    EffectsAnswer on_request(const std::string& run) override { return host_->on_request(run); }
    void on_async_request(const std::string& run, std::uint64_t call) override {
        host_->on_async_request(run, call);
    }
    void on_outcome(const std::string& run, const EffectsOutcome& outcome) override {
        host_->on_outcome(run, outcome);
    }

    EffectsHost* host_ = nullptr;
    std::unique_ptr<EffectsAdapter> to_ = make_gyre_effects(simulated());
};

// Turns answers of one kind into another.
template <Kind from, Kind to>
struct Confuses : Passing {
    EffectsAnswer on_request(const std::string& run) override {
        EffectsAnswer answer = Passing::on_request(run);
        if (answer.kind == from) answer.kind = to;
        return answer;
    }
};
template <Kind from, Kind to>
struct ConfusesAsync : Passing {
    void answer(std::uint64_t call, const EffectsAnswer& given) override {
        EffectsAnswer changed = given;
        if (changed.kind == from) changed.kind = to;
        Passing::answer(call, changed);
    }
};
struct CapabilitiesAreRemapped : Passing {
    void add_handler(const std::string& op) override {
        Passing::add_handler(op);
        if (op == "other") Passing::add_handler("await");
    }
};

// Wraps a guest for the host.
struct ChangedGuest : EffectsGuest {
    explicit ChangedGuest(EffectsGuest& guest) : to(guest) {}
    virtual ~ChangedGuest() = default;
    Step start() override { return to.start(); }
    Step resume(int answer) override { return to.resume(answer); }
    void release() override { to.release(); }
    EffectsGuest& to;
};
template <class Guest>
struct ChangesGuests : Passing {
    void start(const std::string& run, EffectsGuest& guest) override {
        guests.push_front(Guest(guest));
        Passing::start(run, guests.front());
    }
    // The guests outlive the wrapped adapter, which uses them.
    ~ChangesGuests() override { to_.reset(); }
    std::list<Guest> guests;
};
struct GuestIsBelieved : ChangedGuest {
    using ChangedGuest::ChangedGuest;
    Step start() override {
        Step step = to.start();
        if (step.kind != Step::Kind::gives) step.kind = Step::Kind::asks;
        return step;
    }
};
struct GuestIsNotReleased : ChangedGuest {
    using ChangedGuest::ChangedGuest;
    void release() override {}
};
struct GuestIsResumedTwice : ChangedGuest {
    using ChangedGuest::ChangedGuest;
    Step resume(int answer) override {
        static_cast<void>(to.resume(answer));
        return to.resume(answer);
    }
};

struct CancelledIsFailed : Passing {
    void on_outcome(const std::string& run, const EffectsOutcome& outcome) override {
        EffectsOutcome changed = outcome;
        if (changed.kind == EffectsOutcome::Kind::cancelled) {
            changed = {.kind = EffectsOutcome::Kind::handler_failed, .message = "cancelled"};
        }
        Passing::on_outcome(run, changed);
    }
};
struct UnhandledHasNoName : Passing {
    void on_outcome(const std::string& run, const EffectsOutcome& outcome) override {
        EffectsOutcome changed = outcome;
        if (changed.kind == EffectsOutcome::Kind::unhandled) changed.message = "Unhandled effect";
        Passing::on_outcome(run, changed);
    }
};
struct CancelIsALabelOnly : Passing {
    void cancel(const std::string& run) override {
        if (!is_cancelled_) Passing::on_outcome(run, {.kind = EffectsOutcome::Kind::cancelled});
        is_cancelled_ = true;
    }
    void on_outcome(const std::string& run, const EffectsOutcome& outcome) override {
        if (!is_cancelled_) Passing::on_outcome(run, outcome);
    }
    bool is_cancelled_ = false;
};
struct LastOutcomeWins : Passing {
    void cancel(const std::string& run) override {
        if (has_ended_) Passing::on_outcome(run, {.kind = EffectsOutcome::Kind::cancelled});
        Passing::cancel(run);
    }
    void on_outcome(const std::string& run, const EffectsOutcome& outcome) override {
        has_ended_ = outcome.kind == EffectsOutcome::Kind::value;
        Passing::on_outcome(run, outcome);
    }
    bool has_ended_ = false;
};
struct HasNoBudget : Passing {
    void open(EffectsHost& host) override {
        Passing::open(host);
        Passing::set_budget(1'000'000);
    }
};
struct BudgetIsFixed : Passing {
    void set_budget(int /*steps*/) override {}
};
struct RunsGoOneByOne : Passing {
    void start(const std::string& run, EffectsGuest& guest) override {
        Passing::start(run, guest);
        settle();
    }
};
struct AsyncHandlersDoNotWait : Passing {
    void on_async_request(const std::string& run, std::uint64_t call) override {
        Passing::answer(call, {});
        Passing::on_async_request(run, call);
    }
    void answer(std::uint64_t /*call*/, const EffectsAnswer& /*answer*/) override {}
};
struct OtherThreadsAreNotHeard : Passing {
    void cancel_from_thread(const std::string& /*run*/) override {}
};
struct AnswersAreKept : Passing {
    void answer(std::uint64_t call, const EffectsAnswer& answer) override { kept_[call] = answer; }
    void settle() override {
        for (const auto& [call, answer] : std::exchange(kept_, {})) Passing::answer(call, answer);
        Passing::settle();
    }
    std::map<std::uint64_t, EffectsAnswer> kept_;
};
struct CancelTakesAll : Passing {
    void start(const std::string& run, EffectsGuest& guest) override {
        names_.push_back(run);
        Passing::start(run, guest);
    }
    void cancel(const std::string& run) override {
        Passing::cancel(run);
        for (const std::string& name : names_) Passing::cancel(name);
    }
    std::vector<std::string> names_;
};
struct CleansUpTwice : Passing {
    void on_end(Callback clean_up) override {
        Passing::on_end([clean_up] {
            clean_up();
            clean_up();
        });
    }
};
struct TimersFireBackwards : Passing {
    EffectsAnswer on_request(const std::string& run) override {
        EffectsAnswer answer = Passing::on_request(run);
        if (answer.delay_ms > 0) answer.delay_ms -= less_ += 0.1;
        return answer;
    }
    double less_ = 0;
};

template <class Kind>
Fault<EffectsAdapter> fault(std::string name, Names found_by, bool is_broad = false) {
    return {std::move(name), [] { return std::make_unique<Kind>(); }, std::move(found_by),
            is_broad};
}

TEST(EffectsTable, has_the_ten_scenarios_of_the_specification_and_they_hold_for_gyre) {
    // clause: V30
    const MakeEffectsAdapter make = [] { return make_gyre_effects(simulated()); };
    EXPECT_EQ(failed_in(run(effect_runs(), "sim", make)), Names{});
    const Names all = names_of(effect_runs());
    for (const char* name :
         {"Resume step", "Tail step", "Resume kind violation", "Tail kind violation",
          "Early host completion", "Missing capability", "Async handler rejection",
          "Protocol mismatch", "Explicit cancellation", "Fairness pressure"}) {
        EXPECT_TRUE(all.contains(name)) << name;
    }
}

TEST(EffectsTable, has_the_trace_of_the_specification_to_the_letter) {
    // clause: V31
    const auto rows = effect_runs().scenarios;
    const auto row = std::ranges::find(rows, std::string("Executable trace example"),
                                       [](const Scenario& each) { return each.name; });
    ASSERT_NE(row, rows.end());
    EXPECT_STREQ(row->trace, "h1:start, h1:end, h2:start");
}

TEST(EffectsTable, finds_every_planted_fault_and_nothing_else) {
    const std::vector<Fault<EffectsAdapter>> faults = {
        fault<Confuses<Kind::tail, Kind::resume>>("tail is resume",
                                                  {"Resume kind violation", "Tail step"}, true),
        fault<Confuses<Kind::resume, Kind::tail>>("resume is tail",
                                                  {"Resume step", "Tail kind violation"}, true),
        fault<Confuses<Kind::end, Kind::tail>>(
            "end is tail", {"Early host completion", "Tail kind violation: end"}),
        fault<Confuses<Kind::end, Kind::resume>>("end is resume", {"Early host completion"}),
        fault<Confuses<Kind::failed, Kind::resume>>("throwing is resume",
                                                    {"a handler that throws fails the run"}),
        fault<ConfusesAsync<Kind::failed, Kind::resume>>(
            "rejecting is resume",
            {"Async handler rejection", "clean-up runs once, however a run ends"}),
        fault<CapabilitiesAreRemapped>("capabilities are remapped", {"Missing capability"}),
        fault<UnhandledHasNoName>("an unhandled effect has no name", {"Missing capability"}),
        fault<ChangesGuests<GuestIsBelieved>>(
            "guests are believed",
            {"Protocol mismatch", "Protocol mismatch: op", "Protocol mismatch: payload"}),
        fault<ChangesGuests<GuestIsNotReleased>>(
            "guests are not released", {"Async handler rejection", "Early host completion",
                                        "Explicit cancellation", "Missing capability"}),
        fault<ChangesGuests<GuestIsResumedTwice>>(
            "guests are resumed twice", {"Resume step", "Tail step", "Executable trace example"},
            true),
        fault<CancelledIsFailed>(
            "cancelled is failed",
            {"Explicit cancellation", "a run can be cancelled from another thread, twice",
             "cancelling touches no other run", "clean-up runs once, however a run ends"}),
        fault<CancelIsALabelOnly>("cancelling is a label only",
                                  {"Explicit cancellation", "cancelling touches no other run",
                                   "clean-up runs once, however a run ends",
                                   "the first outcome of a run is its only one"}),
        fault<LastOutcomeWins>("the last outcome wins",
                               {"the first outcome of a run is its only one"}),
        fault<HasNoBudget>("there is no budget",
                           {"at the budget the host's other work goes first"}),
        fault<BudgetIsFixed>("the budget is fixed", {"the budget can be set"}),
        fault<RunsGoOneByOne>("runs go one by one",
                              {"Fairness pressure", "the start of a run is queued",
                               "timers of one instant fire as registered"}),
        fault<AsyncHandlersDoNotWait>(
            "async handlers do not wait",
            {"Executable trace example", "requests are served one after the other"}, true),
        fault<OtherThreadsAreNotHeard>("other threads are not heard",
                                       {"a run can be cancelled from another thread, twice"}),
        fault<AnswersAreKept>(
            "answers are kept until later",
            {"a second answer changes nothing", "completions apply in the order they arrived"}),
        fault<CancelTakesAll>("cancelling takes all", {"cancelling touches no other run"}),
        fault<CleansUpTwice>("clean-up runs twice", {"clean-up runs once, however a run ends"}),
        fault<TimersFireBackwards>("timers fire backwards",
                                   {"timers of one instant fire as registered"}),
    };
    expect_found(effect_runs(), faults);
}

}  // namespace
}  // namespace gyre::conform
