// SPDX-License-Identifier: Apache-2.0
#include "gyre/conform/kernel.hpp"

#include <utility>

#include "gyre/conform/internal/player.hpp"

namespace gyre::conform {
namespace {

// The prefix of the names of a flood's ops.
constexpr char flood_mark = '#';

class KernelPlayer final : public Player, private KernelObserver {
public:
    KernelPlayer(const Scenario& scenario, std::unique_ptr<KernelAdapter> adapter)
        : Player(scenario), kernel_(std::move(adapter)) {}

private:
    using Verb = void (*)(KernelPlayer&, const Action&);
    static const Verbs<Verb> verbs;

    [[nodiscard]] const Adapter& adapter() const override { return *kernel_; }
    void play_main() override {
        kernel_->start(*this);
        Player::play_main();
    }
    [[nodiscard]] bool has_verb(const std::string& verb) const override {
        return verbs.contains(verb);
    }
    void act(const Action& action) override { verbs.at(action.verb)(*this, action); }

    void gets(const std::string& server, const std::string& op) override {
        happened(server + " gets " + op);
    }
    void is_asked_to_cancel(const std::string& server, const std::string& op) override {
        happened(server + " cancels " + op);
    }
    void has(const std::string& machine, const std::string& op,
             std::optional<int> result) override {
        const std::string text = result ? std::to_string(*result) : "cancelled";
        if (op == flood_mark + text) {
            happened(machine + " has " + text);
        } else {
            happened(machine + " has " + op + " " + text);
        }
    }
    void hears(const std::string& machine, const std::string& op, int items) override {
        happened(machine + " hears " + op + " with " + std::to_string(items));
    }
    void passes(const std::string& parent, const std::string& op) override {
        happened(parent + " passes " + op);
    }
    void closes(const std::string& machine) override { happened(machine + " closes"); }

    void flood(const Action& action) {
        const int count = static_cast<int>(action.number(1));
        for (int i = 1; i <= count; ++i) {
            kernel_->submit(action.word(0), flood_mark + std::to_string(i), action.word(2));
        }
    }

    std::unique_ptr<KernelAdapter> kernel_;
};

std::optional<int> result_of(const Action& action) {
    if (action.word(2) == "cancelled") return std::nullopt;
    return static_cast<int>(action.number(2));
}

const Verbs<KernelPlayer::Verb> KernelPlayer::verbs = {
    {"machine",
     [](KernelPlayer& p, const Action& a) {
         p.kernel_->add_machine(a.word(0), a.words.size() > 1 ? a.word(1) : "app");
     }},
    {"echo", [](KernelPlayer& p, const Action& a) { p.kernel_->add_echo(a.word(0)); }},
    {"far_echo", [](KernelPlayer& p, const Action& a) { p.kernel_->add_far_echo(a.word(0)); }},
    {"submit",
     [](KernelPlayer& p, const Action& a) { p.kernel_->submit(a.word(0), a.word(1), a.word(2)); }},
    {"stand",
     [](KernelPlayer& p, const Action& a) { p.kernel_->stand(a.word(0), a.word(1), a.word(2)); }},
    {"timer", [](KernelPlayer& p,
                 const Action& a) { p.kernel_->start_timer(a.word(0), a.word(1), a.number(2)); }},
    {"cancel", [](KernelPlayer& p, const Action& a) { p.kernel_->cancel(a.word(0), a.word(1)); }},
    {"complete", [](KernelPlayer& p,
                    const Action& a) { p.kernel_->complete(a.word(0), a.word(1), result_of(a)); }},
    {"ring", [](KernelPlayer& p, const Action& a) { p.kernel_->ring(a.word(0), a.word(1)); }},
    {"flood", [](KernelPlayer& p, const Action& a) { p.flood(a); }},
    {"settle", [](KernelPlayer& p, const Action&) { p.kernel_->settle(); }},
    {"close", [](KernelPlayer& p, const Action&) { p.kernel_->close(); }},
};

}  // namespace

Results run(const Table& table, const std::string& platform, const MakeKernelAdapter& make) {
    return play_all(table, platform, [&make](const Scenario& scenario) {
        return std::make_unique<KernelPlayer>(scenario, make());
    });
}

}  // namespace gyre::conform
