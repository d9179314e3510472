// SPDX-License-Identifier: Apache-2.0
#include "gyre/conform/effects.hpp"
#include "gyre/base/failure.hpp"

#include <utility>

#include "gyre/conform/internal/player.hpp"

namespace gyre::conform {
namespace {

using Answer = EffectsAnswer;

// A guest whose function is a list of steps.
class ListedGuest final : public EffectsGuest {
public:
    explicit ListedGuest(std::function<void(int)> on_resumed)
        : on_resumed_(std::move(on_resumed)) {}

    void add(Step step) { steps_.push_back(std::move(step)); }
    void give_last() { gives_last_ = true; }
    // The op of the last step.
    [[nodiscard]] const std::string& op() const { return op_; }
    [[nodiscard]] bool is_held() const { return is_held_; }

private:
    Step start() override { return next(0); }
    Step resume(int answer) override {
        on_resumed_(answer);
        return next(answer);
    }
    void release() override { is_held_ = false; }

    [[nodiscard]] Step next(int last) {
        if (at_ == steps_.size()) {
            is_held_ = false;
            return {Step::Kind::gives, {}, gives_last_ ? last : 0};
        }
        const Step& step = steps_[at_++];
        is_held_ = step.kind != Step::Kind::gives;
        if (is_held_) op_ = step.op;
        return step;
    }

    std::function<void(int)> on_resumed_;
    std::vector<Step> steps_;
    std::size_t at_ = 0;
    std::string op_;
    bool gives_last_ = false;
    bool is_held_ = false;
};

class EffectsPlayer final : public Player, private EffectsHost {
public:
    EffectsPlayer(const Scenario& scenario, std::unique_ptr<EffectsAdapter> adapter)
        : Player(scenario), effects_(std::move(adapter)) {}

private:
    using Verb = void (*)(EffectsPlayer&, const Action&);
    static const Verbs<Verb> verbs;

    // One call of a handler.
    struct Call {
        std::string run;
        bool is_async;
        std::uint64_t id = 0;
        Answer answer = {};  // of a handler that is not async
    };

    [[nodiscard]] const Adapter& adapter() const override { return *effects_; }
    void play_main() override {
        effects_->open(*this);
        Player::play_main();
    }
    [[nodiscard]] bool has_verb(const std::string& verb) const override {
        return verbs.contains(verb);
    }
    void act(const Action& action) override { verbs.at(action.verb)(*this, action); }

    Answer on_request(const std::string& run) override {
        return call({.run = run, .is_async = false}).answer;
    }
    void on_async_request(const std::string& run, std::uint64_t id) override {
        call({.run = run, .is_async = true, .id = id});
    }
    void on_outcome(const std::string& run, const EffectsOutcome& outcome) override {
        if (watched_.contains("outcome")) happened(run + " " + in_words(run, outcome));
    }

    const Call& call(Call made) {
        const std::size_t number = calls_.size() + 1;
        calls_[number] = std::move(made);
        handle(number, "start");
        return calls_[number];
    }
    // Runs the actions of the script in a handler, at its start or after its wait.
    void handle(std::size_t number, const char* place) {
        Call* const outer = std::exchange(current_, &calls_.at(number));
        std::string event = "h";
        event.append(std::to_string(number)).append(":").append(place);
        if (is_quiet_) {
            do_actions_of(event);
        } else {
            happened(event);
        }
        current_ = outer;
    }
    void answer(Answer answer) {
        if (current_ == nullptr) throw Failure("an answer outside of a handler");
        if (current_->is_async) {
            effects_->answer(current_->id, answer);
        } else {
            current_->answer = std::move(answer);
        }
    }
    void clean_up() {
        effects_->on_end([this, run = current_->run] { happened(run + " cleaned"); });
    }

    [[nodiscard]] ListedGuest& guest(const Action& action) {
        const std::string& run = action.word(0);
        std::unique_ptr<ListedGuest>& guest = guests_[run];
        if (guest == nullptr) {
            guest = std::make_unique<ListedGuest>([this, run](int answer) {
                if (watched_.contains("guest")) {
                    happened(run + " resumes " + std::to_string(answer));
                }
            });
        }
        return *guest;
    }
    [[nodiscard]] std::string in_words(const std::string& run, const EffectsOutcome& outcome) {
        switch (outcome.kind) {
            case EffectsOutcome::Kind::value:
                return "value " + std::to_string(outcome.value);
            case EffectsOutcome::Kind::unhandled: {
                // The message must name the op.
                const bool says_so =
                    outcome.message.find("Unhandled effect") == 0 &&
                    outcome.message.find(guests_.at(run)->op()) != std::string::npos;
                return says_so ? "failed: unhandled effect" : "failed: " + outcome.message;
            }
            case EffectsOutcome::Kind::handler_failed:
                return "failed: " + outcome.message;
            case EffectsOutcome::Kind::protocol_error:
                return "failed: protocol error";
            case EffectsOutcome::Kind::cancelled:
                break;
        }
        return "cancelled";
    }
    [[nodiscard]] static EffectsGuest::Step lie_of(const Action& action) {
        using Kind = EffectsGuest::Step::Kind;
        const std::string& about = action.word(1);
        const Kind kind = about == "status" ? Kind::lies_status
                          : about == "op"   ? Kind::lies_op
                                            : Kind::lies_payload;
        return {kind, "await", 0};
    }

    std::map<std::string, std::unique_ptr<ListedGuest>> guests_;
    std::map<std::size_t, Call> calls_;
    Call* current_ = nullptr;
    std::set<std::string> watched_;
    bool is_quiet_ = false;
    std::unique_ptr<EffectsAdapter> effects_;
};

int number_of(const Action& action, std::size_t index) {
    return static_cast<int>(action.number(index));
}

const Verbs<EffectsPlayer::Verb> EffectsPlayer::verbs = {
    {"asks",
     [](EffectsPlayer& p, const Action& a) {
         p.guest(a).add({EffectsGuest::Step::Kind::asks, a.word(1), number_of(a, 2)});
     }},
    {"gives",
     [](EffectsPlayer& p, const Action& a) {
         p.guest(a).add({EffectsGuest::Step::Kind::gives, {}, number_of(a, 1)});
     }},
    {"gives_last", [](EffectsPlayer& p, const Action& a) { p.guest(a).give_last(); }},
    {"lies", [](EffectsPlayer& p, const Action& a) { p.guest(a).add(p.lie_of(a)); }},
    {"handle", [](EffectsPlayer& p, const Action& a) { p.effects_->add_handler(a.word(0)); }},
    {"handle_async",
     [](EffectsPlayer& p, const Action& a) { p.effects_->add_async_handler(a.word(0)); }},
    {"budget", [](EffectsPlayer& p, const Action& a) { p.effects_->set_budget(number_of(a, 0)); }},
    {"start", [](EffectsPlayer& p, const Action& a) { p.effects_->start(a.word(0), p.guest(a)); }},
    {"cancel", [](EffectsPlayer& p, const Action& a) { p.effects_->cancel(a.word(0)); }},
    {"cancel_from_thread",
     [](EffectsPlayer& p, const Action& a) { p.effects_->cancel_from_thread(a.word(0)); }},
    {"settle", [](EffectsPlayer& p, const Action&) { p.effects_->settle(); }},
    {"post",
     [](EffectsPlayer& p, const Action& a) {
         p.effects_->post([&p, name = a.word(0)] { p.happened(name); });
     }},
    {"finish", [](EffectsPlayer& p,
                  const Action& a) { p.handle(static_cast<std::size_t>(a.number(0)), "end"); }},
    {"watch",
     [](EffectsPlayer& p, const Action& a) { p.watched_.insert(a.words.begin(), a.words.end()); }},
    {"quiet", [](EffectsPlayer& p, const Action&) { p.is_quiet_ = true; }},
    {"held",
     [](EffectsPlayer& p, const Action& a) {
         p.happened(a.word(0) + (p.guest(a).is_held() ? " is held" : " is not held"));
     }},
    {"resume",
     [](EffectsPlayer& p, const Action& a) {
         p.answer({.kind = Answer::Kind::resume, .value = number_of(a, 0)});
     }},
    {"tail",
     [](EffectsPlayer& p, const Action& a) {
         p.answer({.kind = Answer::Kind::tail, .value = number_of(a, 0)});
     }},
    {"end",
     [](EffectsPlayer& p, const Action& a) {
         p.answer({.kind = Answer::Kind::end, .value = number_of(a, 0)});
     }},
    {"throw",
     [](EffectsPlayer& p, const Action& a) {
         p.answer({.kind = Answer::Kind::failed, .reason = a.word(0)});
     }},
    {"resume_after",
     [](EffectsPlayer& p, const Action& a) {
         p.answer({.value = number_of(a, 0), .delay_ms = a.number(1)});
     }},
    {"clean_up", [](EffectsPlayer& p, const Action&) { p.clean_up(); }},
};

}  // namespace

Results run(const Table& table, const std::string& platform, const MakeEffectsAdapter& make) {
    return play_all(table, platform, [&make](const Scenario& scenario) {
        return std::make_unique<EffectsPlayer>(scenario, make());
    });
}

}  // namespace gyre::conform
