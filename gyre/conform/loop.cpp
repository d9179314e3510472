// SPDX-License-Identifier: Apache-2.0
#include "gyre/conform/loop.hpp"

#include <utility>

#include "gyre/conform/internal/player.hpp"

namespace gyre::conform {
namespace {

class LoopPlayer final : public Player {
public:
    LoopPlayer(const Scenario& scenario, std::unique_ptr<LoopAdapter> adapter)
        : Player(scenario), loop_(std::move(adapter)) {}

private:
    using Verb = void (*)(LoopPlayer&, const Action&);
    static const Verbs<Verb> verbs;

    [[nodiscard]] const Adapter& adapter() const override { return *loop_; }
    [[nodiscard]] bool has_verb(const std::string& verb) const override {
        return verbs.contains(verb);
    }
    void act(const Action& action) override { verbs.at(action.verb)(*this, action); }

    [[nodiscard]] LoopAdapter::Callback calls(const std::string& event) {
        return [this, event] { happened(event); };
    }
    void start_request(const std::string& name, bool may_wait) {
        loop_->start_request(name, may_wait, [this, name](std::optional<int> status) {
            happened(name + " " + (status ? std::to_string(*status) : "cancelled"));
        });
    }
    void run(const Action& action) {
        const std::string mode = action.words.empty() ? "" : action.word(0);
        loop_->run(mode == "once"      ? LoopAdapter::Mode::once
                   : mode == "no_wait" ? LoopAdapter::Mode::no_wait
                                       : LoopAdapter::Mode::until_done);
    }
    void tell_timeout() {
        const std::optional<double> timeout = loop_->timeout_ms();
        happened("timeout " + (timeout ? in_ms(*timeout) : "none"));
    }

    std::unique_ptr<LoopAdapter> loop_;
};

const Verbs<LoopPlayer::Verb> LoopPlayer::verbs = {
    {"timer",
     [](LoopPlayer& p, const Action& a) {
         const double repeat_ms = a.words.size() > 2 ? a.number(2) : 0;
         p.loop_->start_timer(a.word(0), a.number(1), repeat_ms, p.calls(a.word(0)));
     }},
    {"idle",
     [](LoopPlayer& p, const Action& a) { p.loop_->start_idle(a.word(0), p.calls(a.word(0))); }},
    {"prepare",
     [](LoopPlayer& p, const Action& a) { p.loop_->start_prepare(a.word(0), p.calls(a.word(0))); }},
    {"check",
     [](LoopPlayer& p, const Action& a) { p.loop_->start_check(a.word(0), p.calls(a.word(0))); }},
    {"wake",
     [](LoopPlayer& p, const Action& a) { p.loop_->start_wake(a.word(0), p.calls(a.word(0))); }},
    {"send", [](LoopPlayer& p, const Action& a) { p.loop_->send(a.word(0)); }},
    {"send_from_thread",
     [](LoopPlayer& p, const Action& a) { p.loop_->send_from_thread(a.word(0)); }},
    {"stop", [](LoopPlayer& p, const Action& a) { p.loop_->stop(a.word(0)); }},
    {"ref", [](LoopPlayer& p, const Action& a) { p.loop_->set_ref(a.word(0), true); }},
    {"unref", [](LoopPlayer& p, const Action& a) { p.loop_->set_ref(a.word(0), false); }},
    {"close", [](LoopPlayer& p,
                 const Action& a) { p.loop_->close(a.word(0), p.calls(a.word(0) + " closed")); }},
    {"defer", [](LoopPlayer& p, const Action& a) { p.loop_->defer(p.calls(a.word(0))); }},
    {"request", [](LoopPlayer& p, const Action& a) { p.start_request(a.word(0), true); }},
    {"request_no_wait", [](LoopPlayer& p, const Action& a) { p.start_request(a.word(0), false); }},
    {"finish", [](LoopPlayer& p,
                  const Action& a) { p.loop_->finish(a.word(0), static_cast<int>(a.number(1))); }},
    {"cancel", [](LoopPlayer& p, const Action& a) { p.loop_->cancel(a.word(0)); }},
    {"run", [](LoopPlayer& p, const Action& a) { p.run(a); }},
    {"stop_loop", [](LoopPlayer& p, const Action&) { p.loop_->stop_loop(); }},
    {"alive",
     [](LoopPlayer& p, const Action&) { p.happened(p.loop_->is_alive() ? "alive" : "not alive"); }},
    {"timeout", [](LoopPlayer& p, const Action&) { p.tell_timeout(); }},
    {"now", [](LoopPlayer& p, const Action&) { p.happened("now " + in_ms(p.loop_->now_ms())); }},
    {"update_now", [](LoopPlayer& p, const Action&) { p.loop_->update_now(); }},
    {"block", [](LoopPlayer& p, const Action& a) { p.loop_->block(a.number(0)); }},
};

}  // namespace

Results run(const Table& table, const std::string& platform, const MakeLoopAdapter& make) {
    return play_all(table, platform, [&make](const Scenario& scenario) {
        return std::make_unique<LoopPlayer>(scenario, make());
    });
}

}  // namespace gyre::conform
