// SPDX-License-Identifier: Apache-2.0
// The table of the kernel fails for each planted fault, and only for faults.
#include "gyre/conform/kernel.hpp"

#include "gyre/conform/faults.test.hpp"
#include "gyre/conform/internal/gyre_adapters.hpp"

namespace gyre::conform {
namespace {

// Forwards every call in both directions; a fault overrides the call that it breaks.
class Passing : public KernelAdapter, protected KernelObserver {
public:
    [[nodiscard]] bool has_simulated_time() const override { return to_->has_simulated_time(); }
    void start(KernelObserver& observer) override {
        observer_ = &observer;
        to_->start(*this);
    }
    void add_machine(const Name& name, const Name& parent) override {
        to_->add_machine(name, parent);
    }
    void add_echo(const Name& name) override { to_->add_echo(name); }
    void add_far_echo(const Name& name) override { to_->add_far_echo(name); }
    void submit(const Name& machine, const Name& op, const Name& server) override {
        to_->submit(machine, op, server);
    }
    void stand(const Name& machine, const Name& op, const Name& server) override {
        to_->stand(machine, op, server);
    }
    void start_timer(const Name& machine, const Name& op, double ms) override {
        to_->start_timer(machine, op, ms);
    }
    void cancel(const Name& machine, const Name& op) override { to_->cancel(machine, op); }
    void complete(const Name& server, const Name& op, std::optional<int> result) override {
        to_->complete(server, op, result);
    }
    void ring(const Name& server, const Name& op) override { to_->ring(server, op); }
    void settle() override { to_->settle(); }
    void close() override { to_->close(); }

protected:
    void gets(const Name& server, const Name& op) override { observer_->gets(server, op); }
    void is_asked_to_cancel(const Name& server, const Name& op) override {
        observer_->is_asked_to_cancel(server, op);
    }
    void has(const Name& machine, const Name& op, std::optional<int> result) override {
        observer_->has(machine, op, result);
    }
    void hears(const Name& machine, const Name& op, int items) override {
        observer_->hears(machine, op, items);
    }
    void passes(const Name& parent, const Name& op) override { observer_->passes(parent, op); }
    void closes(const Name& machine) override { observer_->closes(machine); }

    std::unique_ptr<KernelAdapter> to_ = make_gyre_kernel(simulated());
    KernelObserver* observer_ = nullptr;
};

struct SubmitsRunAtOnce : Passing {
    void submit(const Name& machine, const Name& op, const Name& server) override {
        Passing::submit(machine, op, server);
        settle();
    }
};
struct OpsComeBackWhileServed : Passing {
    void gets(const Name& server, const Name& op) override {
        ++held_;
        Passing::gets(server, op);
    }
    void complete(const Name& server, const Name& op, std::optional<int> result) override {
        --held_;
        Passing::complete(server, op, result);
    }
    void settle() override {
        Passing::settle();
        if (held_ > 0) observer_->has("app", "a", 7);
    }
    int held_ = 0;
};
struct ChildrenGoPastTheirParent : Passing {
    void passes(const Name& /*parent*/, const Name& /*op*/) override {}
};
struct CancelsAreNotConfirmed : Passing {
    void cancel(const Name& machine, const Name& op) override {
        observer_->has(machine, op, std::nullopt);
        Passing::cancel(machine, op);
    }
};
struct CancelledWinsOverTheResult : Passing {
    void cancel(const Name& machine, const Name& op) override {
        is_cancelled_ = true;
        Passing::cancel(machine, op);
    }
    void has(const Name& machine, const Name& op, std::optional<int> result) override {
        Passing::has(machine, op, is_cancelled_ ? std::nullopt : result);
    }
    bool is_cancelled_ = false;
};
struct TimersCannotBeCancelled : Passing {
    void start_timer(const Name& machine, const Name& op, double ms) override {
        is_timer_ = true;
        Passing::start_timer(machine, op, ms);
    }
    void cancel(const Name& machine, const Name& op) override {
        if (!is_timer_) Passing::cancel(machine, op);
    }
    bool is_timer_ = false;
};
struct TimersRunInStartOrder : Passing {
    void start_timer(const Name& machine, const Name& op, double ms) override {
        Passing::start_timer(machine, op, ms < 1000 ? last_ms_ += 10 : ms);
    }
    double last_ms_ = 0;
};
struct LosesOneInFiveThousand : Passing {
    void has(const Name& machine, const Name& op, std::optional<int> result) override {
        if (result != 5000) Passing::has(machine, op, result);
    }
};
struct FarAnswersOvertake : Passing {
    void add_far_echo(const Name& name) override {
        is_far_ = true;
        Passing::add_far_echo(name);
    }
    void has(const Name& machine, const Name& op, std::optional<int> result) override {
        if (is_far_ && op == "#7") return;
        Passing::has(machine, op, result);
        if (is_far_ && op == "#8") Passing::has(machine, "#7", 7);
    }
    bool is_far_ = false;
};
struct ParentsCloseFirst : Passing {
    void closes(const Name& machine) override {
        closed_.insert(closed_.begin(), machine);
        if (machine != "app") return;
        for (const Name& each : closed_) Passing::closes(each);
    }
    std::vector<Name> closed_;
};
struct TimersAreLeftBehind : Passing {
    void close() override { is_closing_ = true, Passing::close(); }
    void has(const Name& machine, const Name& op, std::optional<int> result) override {
        if (!is_closing_ || op != "t") Passing::has(machine, op, result);
    }
    bool is_closing_ = false;
};
struct EachRingIsHeard : Passing {
    void hears(const Name& machine, const Name& op, int items) override {
        for (int i = 0; i < items; ++i) Passing::hears(machine, op, 1);
    }
};
struct RingsWhileHeardAreLost : Passing {
    void ring(const Name& server, const Name& op) override {
        if (!is_hearing_) Passing::ring(server, op);
    }
    void hears(const Name& machine, const Name& op, int items) override {
        is_hearing_ = true;
        Passing::hears(machine, op, items);
        is_hearing_ = false;
    }
    bool is_hearing_ = false;
};
struct RingsBeforeTheEndAreLost : Passing {
    void complete(const Name& server, const Name& op, std::optional<int> result) override {
        is_over_ = true;
        Passing::complete(server, op, result);
    }
    void hears(const Name& machine, const Name& op, int items) override {
        if (!is_over_) Passing::hears(machine, op, items);
    }
    bool is_over_ = false;
};
struct StandingOpsEndTwice : Passing {
    void stand(const Name& machine, const Name& op, const Name& server) override {
        standing_ = op;
        Passing::stand(machine, op, server);
    }
    void has(const Name& machine, const Name& op, std::optional<int> result) override {
        Passing::has(machine, op, result);
        if (op == standing_ && !result) Passing::has(machine, op, result);
    }
    Name standing_;
};
struct OpsComeBackOnce : Passing {
    void submit(const Name& machine, const Name& op, const Name& server) override {
        if (server != "server" || !std::exchange(was_used_, op == "a")) {
            Passing::submit(machine, op, server);
        }
    }
    bool was_used_ = false;
};
template <class Kind>
Fault<KernelAdapter> fault(std::string name, Names found_by, bool is_broad = false) {
    return {std::move(name), [] { return std::make_unique<Kind>(); }, std::move(found_by),
            is_broad};
}

TEST(KernelTable, holds_for_gyre) {
    const MakeKernelAdapter make = [] { return make_gyre_kernel(simulated()); };
    EXPECT_EQ(failed_in(run(kernel_properties(), "sim", make)), Names{});
}

TEST(KernelTable, finds_every_planted_fault_and_nothing_else) {
    const std::vector<Fault<KernelAdapter>> faults = {
        fault<SubmitsRunAtOnce>("submits run at once",
                                {"1 no data races: an op is handed over, not shared",
                                 "ops of one pair of machines keep their order"}),
        fault<OpsComeBackWhileServed>("ops come back while they are served",
                                      {"2 no allocation races: it is the server's till then"},
                                      true),
        fault<OpsComeBackOnce>("an op can be used once",
                               {"2 no allocation races: the owner gets its op back",
                                "ops of one pair of machines keep their order"}),
        fault<ChildrenGoPastTheirParent>("children go past their parent",
                                         {"1 no data races: a child writes to its parent only",
                                          "6 no resource leaks: children close first"}),
        fault<CancelsAreNotConfirmed>("cancels are not confirmed",
                                      {"3 no cancellation races: a timer comes back too",
                                       "3 no cancellation races: it waits to be confirmed",
                                       "3 no cancellation races: one answer, asked late",
                                       "3 no cancellation races: one answer, asked twice",
                                       "3 no cancellation races: the result may come first",
                                       "7 no lost completions: cancelled, it ends once"}),
        fault<CancelledWinsOverTheResult>("cancelled wins over the result",
                                          {"3 no cancellation races: one answer, asked late",
                                           "3 no cancellation races: the result may come first"}),
        fault<TimersCannotBeCancelled>("timers cannot be cancelled",
                                       {"3 no cancellation races: a timer comes back too"}),
        fault<TimersRunInStartOrder>("timers run in start order",
                                     {"timers fire by deadline, then in start order"}),
        fault<LosesOneInFiveThousand>("one in five thousand is lost",
                                      {"4 no queue overflow: ten thousand at once"}),
        fault<FarAnswersOvertake>("answers of another thread overtake",
                                  {"5 no cross-thread corruption: all back, in order"}),
        fault<ParentsCloseFirst>("parents close first",
                                 {"6 no resource leaks: children close first"}),
        fault<TimersAreLeftBehind>("timers are left behind",
                                   {"6 no resource leaks: closing brings timers back"}),
        fault<EachRingIsHeard>("each ring is heard",
                               {"7 no lost completions: a ring while it is heard",
                                "7 no lost completions: rings before a look are one"}),
        fault<RingsWhileHeardAreLost>("rings while it is heard are lost",
                                      {"7 no lost completions: a ring while it is heard"}),
        fault<RingsBeforeTheEndAreLost>("rings before the end are lost",
                                        {"7 no lost completions: a ring before the end"}),
        fault<StandingOpsEndTwice>("standing ops end twice",
                                   {"7 no lost completions: cancelled, it ends once"}),
    };
    expect_found(kernel_properties(), faults);
}

}  // namespace
}  // namespace gyre::conform
