// SPDX-License-Identifier: Apache-2.0
// The table of the loop fails for each planted fault, and only for faults.
#include "gyre/conform/loop.hpp"

#include "gyre/conform/faults.test.hpp"
#include "gyre/conform/internal/gyre_adapters.hpp"

namespace gyre::conform {
namespace {

// Forwards every call; a fault overrides the call that it breaks.
class Passing : public LoopAdapter {
public:
    [[nodiscard]] bool has_simulated_time() const override { return to_->has_simulated_time(); }
    void start_timer(const Name& name, double delay_ms, double repeat_ms, Callback call) override {
        to_->start_timer(name, delay_ms, repeat_ms, std::move(call));
    }
    void start_idle(const Name& name, Callback call) override {
        to_->start_idle(name, std::move(call));
    }
    void start_prepare(const Name& name, Callback call) override {
        to_->start_prepare(name, std::move(call));
    }
    void start_check(const Name& name, Callback call) override {
        to_->start_check(name, std::move(call));
    }
    void start_wake(const Name& name, Callback call) override {
        to_->start_wake(name, std::move(call));
    }
    void send(const Name& wake) override { to_->send(wake); }
    void send_from_thread(const Name& wake) override { to_->send_from_thread(wake); }
    void stop(const Name& handle) override { to_->stop(handle); }
    void set_ref(const Name& handle, bool has_ref) override { to_->set_ref(handle, has_ref); }
    void close(const Name& handle, Callback on_closed) override {
        to_->close(handle, std::move(on_closed));
    }
    void defer(Callback call) override { to_->defer(std::move(call)); }
    void start_request(const Name& name, bool may_wait, OnDone done) override {
        to_->start_request(name, may_wait, std::move(done));
    }
    void finish(const Name& request, int status) override { to_->finish(request, status); }
    void cancel(const Name& request) override { to_->cancel(request); }
    void run(Mode mode) override { to_->run(mode); }
    void stop_loop() override { to_->stop_loop(); }
    [[nodiscard]] bool is_alive() override { return to_->is_alive(); }
    [[nodiscard]] std::optional<double> timeout_ms() override { return to_->timeout_ms(); }
    [[nodiscard]] double now_ms() override { return to_->now_ms(); }
    void update_now() override { to_->update_now(); }
    void block(double ms) override { to_->block(ms); }

protected:
    std::unique_ptr<LoopAdapter> to_ = make_gyre_loop(simulated());
};

struct NowIsNotCached : Passing {
    [[nodiscard]] double now_ms() override {
        update_now();
        return Passing::now_ms();
    }
};
struct IsAlwaysAlive : Passing {
    [[nodiscard]] bool is_alive() override { return true; }
};
struct IsAliveByTimersOnly : Passing {
    [[nodiscard]] bool is_alive() override {
        return Passing::is_alive() && !has_request_ && !is_closing_;
    }
    void start_request(const Name& name, bool may_wait, OnDone done) override {
        has_request_ = true;
        Passing::start_request(name, may_wait, std::move(done));
    }
    void close(const Name& handle, Callback on_closed) override {
        is_closing_ = true;
        Passing::close(handle, std::move(on_closed));
    }
    bool has_request_ = false;
    bool is_closing_ = false;
};
struct ReferencesAreCounted : Passing {
    void set_ref(const Name& handle, bool has_ref) override {
        count_ += has_ref ? 1 : -1;
        Passing::set_ref(handle, count_ > 0);
    }
    int count_ = 1;
};
struct HasNoReferences : Passing {
    void set_ref(const Name& /*handle*/, bool /*has_ref*/) override {}
    void run(Mode mode) override { Passing::run(mode == Mode::until_done ? Mode::no_wait : mode); }
};
struct DeferredRunsAtOnce : Passing {
    void defer(Callback call) override { call(); }
};
struct IdleIsCheck : Passing {
    void start_idle(const Name& name, Callback call) override {
        start_check(name, std::move(call));
    }
};
struct PrepareIsCheck : Passing {
    void start_prepare(const Name& name, Callback call) override {
        start_check(name, std::move(call));
    }
};
struct EveryRequestMayWait : Passing {
    void start_request(const Name& name, bool /*may_wait*/, OnDone done) override {
        Passing::start_request(name, true, std::move(done));
    }
};
struct NoRequestMayWait : Passing {
    void start_request(const Name& name, bool /*may_wait*/, OnDone done) override {
        Passing::start_request(name, false, std::move(done));
    }
};
struct WaitsWhileStopping : Passing {
    void stop_loop() override {
        is_stopping_ = true;
        Passing::stop_loop();
    }
    [[nodiscard]] std::optional<double> timeout_ms() override {
        return is_stopping_ ? 3'600'000 : Passing::timeout_ms();
    }
    bool is_stopping_ = false;
};
struct WaitsWithoutAnything : Passing {
    [[nodiscard]] std::optional<double> timeout_ms() override {
        return is_alive() ? Passing::timeout_ms() : std::nullopt;
    }
};
struct WaitsDespiteIdle : Passing {
    void start_idle(const Name& name, Callback call) override {
        has_idle_ = true;
        Passing::start_idle(name, std::move(call));
    }
    [[nodiscard]] std::optional<double> timeout_ms() override {
        return has_idle_ ? 3'600'000 : Passing::timeout_ms();
    }
    bool has_idle_ = false;
};
struct WaitsDespiteClosing : Passing {
    void close(const Name& handle, Callback on_closed) override {
        is_closing_ = true;
        Passing::close(handle, std::move(on_closed));
    }
    [[nodiscard]] std::optional<double> timeout_ms() override {
        return is_closing_ ? 7000 : Passing::timeout_ms();
    }
    bool is_closing_ = false;
};
struct WaitsForTheFirstTimer : Passing {
    void start_timer(const Name& name, double delay_ms, double repeat_ms, Callback call) override {
        if (first_ms_ == 0) first_ms_ = delay_ms;
        Passing::start_timer(name, delay_ms, repeat_ms, std::move(call));
    }
    [[nodiscard]] std::optional<double> timeout_ms() override {
        const std::optional<double> right = Passing::timeout_ms();
        return right && *right > 0 ? std::optional(first_ms_) : right;
    }
    double first_ms_ = 0;
};
struct WaitsTooLong : Passing {
    void run(Mode mode) override {
        Passing::run(mode);
        if (mode == Mode::once) {
            block(1);
            update_now();
        }
    }
};
struct ClosesAtOnce : Passing {
    void close(const Name& handle, Callback on_closed) override {
        Passing::close(handle, {[] {}});
        on_closed();
    }
};
struct ClosesALittleLater : Passing {
    void close(const Name& handle, Callback on_closed) override {
        Passing::close(handle, [this, call = std::move(on_closed)] { defer(call); });
    }
};
struct OnceDoesNotWait : Passing {
    void run(Mode mode) override { Passing::run(mode == Mode::once ? Mode::no_wait : mode); }
};
struct NoWaitWaits : Passing {
    void run(Mode mode) override { Passing::run(mode == Mode::no_wait ? Mode::once : mode); }
};
struct DefaultRunsOnce : Passing {
    void run(Mode mode) override { Passing::run(mode == Mode::until_done ? Mode::once : mode); }
};
struct StopsTheSecondTime : Passing {
    void stop_loop() override {
        if (std::exchange(was_asked_, true)) Passing::stop_loop();
    }
    bool was_asked_ = false;
};
struct SendsAreLost : Passing {
    void send(const Name& /*wake*/) override {}
    void send_from_thread(const Name& /*wake*/) override {}
};
struct StatusIsLost : Passing {
    void finish(const Name& request, int /*status*/) override { Passing::finish(request, 0); }
};
struct CancelledTwice : Passing {
    void start_request(const Name& name, bool may_wait, OnDone done) override {
        Passing::start_request(name, may_wait, [done](std::optional<int> status) {
            done(status);
            if (!status) done(status);
        });
    }
};

template <class Kind>
Fault<LoopAdapter> fault(std::string name, Names found_by, bool is_broad = false) {
    return {std::move(name), [] { return std::make_unique<Kind>(); }, std::move(found_by),
            is_broad};
}

TEST(LoopTable, holds_for_gyre) {
    const MakeLoopAdapter make = [] { return make_gyre_loop(simulated()); };
    EXPECT_EQ(failed_in(run(loop_phases(), "sim", make)), Names{});
}

TEST(LoopTable, finds_every_planted_fault_and_nothing_else) {
    const std::vector<Fault<LoopAdapter>> faults = {
        fault<NowIsNotCached>("now is not cached", {"now stands still until it is updated"}),
        fault<IsAlwaysAlive>(
            "it is always alive",
            {"a closing handle is alive", "a loop without anything is not alive",
             "a reference counts once, given or taken twice",
             "an active handle with a reference is alive", "an active request is alive"}),
        fault<IsAliveByTimersOnly>("it is alive by timers only",
                                   {"a closing handle is alive", "an active request is alive"}),
        fault<ReferencesAreCounted>("references are counted",
                                    {"a reference counts once, given or taken twice"}),
        fault<HasNoReferences>(
            "there are no references",
            {"a loop that is not alive runs nothing", "an active handle with a reference is alive",
             "the wait is 0 without active handles or requests"},
            true),
        fault<DeferredRunsAtOnce>("deferred callbacks run at once",
                                  {"default mode first runs timers that are due",
                                   "what is deferred while pending runs behind the wait"}),
        fault<IdleIsCheck>(
            "idle is check",
            {"an idle handle runs once in every iteration", "the phases of an iteration"}, true),
        fault<PrepareIsCheck>(
            "prepare is check",
            {"default mode first runs timers that are due",
             "prepare is right before the wait, check after it", "the phases of an iteration"}),
        fault<EveryRequestMayWait>("every request may wait",
                                   {"the wait is 0 for a request marked do-not-wait"}),
        fault<NoRequestMayWait>("no request may wait",
                                {"the wait is without limit where there is no timer"}),
        fault<WaitsWhileStopping>("it waits while it is stopping",
                                  {"the wait is 0 when the loop is stopping"}),
        fault<WaitsWithoutAnything>("it waits without anything",
                                    {"the wait is 0 without active handles or requests"}),
        fault<WaitsDespiteIdle>("it waits despite an idle handle",
                                {"the wait is 0 while an idle handle is active"}),
        fault<WaitsDespiteClosing>("it waits despite a closing handle",
                                   {"the wait is 0 while a handle is being closed"}),
        fault<WaitsForTheFirstTimer>("it waits for the first timer",
                                     {"the wait is else the nearest timer's"}),
        fault<WaitsTooLong>("it waits too long", {"the wait lasts no longer than computed"}),
        fault<ClosesAtOnce>(
            "it closes at once",
            {"a close callback is never inside the close call", "the phases of an iteration",
             "what is closed while closing waits an iteration"},
            true),
        fault<ClosesALittleLater>(
            "it closes a little later",
            {"default mode first runs timers that are due", "the phases of an iteration",
             "what is closed while closing waits an iteration"}),
        fault<OnceDoesNotWait>("once does not wait", {"once makes progress: a timer has run",
                                                      "the wait lasts no longer than computed"}),
        fault<NoWaitWaits>("no-wait waits", {"no-wait does not wait"}),
        fault<DefaultRunsOnce>("default runs once", {"default mode first runs timers that are due",
                                                     "default mode runs until nothing is alive"}),
        fault<StopsTheSecondTime>(
            "it stops when asked twice",
            {"a stop before the run lets nothing run", "a stop ends the run after its iteration",
             "default mode first runs timers that are due",
             "the wait is 0 when the loop is stopping"}),
        fault<SendsAreLost>(
            "sends are lost",
            {"a wake from another thread ends the wait", "the phases of an iteration"}, true),
        fault<StatusIsLost>("the status is lost", {"an operation's callback gets its status"}),
        fault<CancelledTwice>("a cancelled request calls back twice",
                              {"a request that is cancelled calls back once"}),
    };
    expect_found(loop_phases(), faults);
}

}  // namespace
}  // namespace gyre::conform
