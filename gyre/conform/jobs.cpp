// SPDX-License-Identifier: Apache-2.0
#include "gyre/conform/jobs.hpp"

#include <stdexcept>
#include <utility>

#include "gyre/conform/internal/player.hpp"

namespace gyre::conform {
namespace {

class JobsPlayer final : public Player, private JobsHost {
public:
    JobsPlayer(const Scenario& scenario, std::unique_ptr<JobsAdapter> adapter)
        : Player(scenario), jobs_(std::move(adapter)) {}

private:
    using Verb = void (*)(JobsPlayer&, const Action&);
    static const Verbs<Verb> verbs;

    [[nodiscard]] const Adapter& adapter() const override { return *jobs_; }
    void play_main() override {
        jobs_->run([this] { do_actions_of("main"); }, *this);
    }
    [[nodiscard]] bool has_verb(const std::string& verb) const override {
        return verbs.contains(verb);
    }
    void act(const Action& action) override { verbs.at(action.verb)(*this, action); }

    void on_error(const std::string& what) override { happened("error " + what); }
    void on_rejection(const std::string& promise) override { happened("unhandled " + promise); }
    void on_rejection_handled(const std::string& promise) override {
        happened("handled " + promise);
    }
    void on_before_exit() override {
        if (knows("dry")) happened("dry");
    }
    void on_exit() override {
        if (knows("exit")) happened("exit");
    }

    [[nodiscard]] JobsAdapter::Job job_of(const Action& action) {
        return [this, name = action.word(0)] { happened(name); };
    }
    void keep(const Action& action, JobsAdapter::Id id) { ids_[action.word(0)] = id; }
    [[nodiscard]] JobsAdapter::Id id_of(const Action& action) { return ids_[action.word(0)]; }

    std::map<std::string, JobsAdapter::Id> ids_;
    std::unique_ptr<JobsAdapter> jobs_;
};

const Verbs<JobsPlayer::Verb> JobsPlayer::verbs = {
    {"tick", [](JobsPlayer& p, const Action& a) { p.jobs_->next_tick(p.job_of(a)); }},
    {"micro", [](JobsPlayer& p, const Action& a) { p.jobs_->queue_microtask(p.job_of(a)); }},
    {"immediate",
     [](JobsPlayer& p, const Action& a) { p.keep(a, p.jobs_->set_immediate(p.job_of(a))); }},
    {"timeout", [](JobsPlayer& p,
                   const Action& a) { p.keep(a, p.jobs_->set_timeout(p.job_of(a), a.number(1))); }},
    {"interval",
     [](JobsPlayer& p, const Action& a) {
         p.keep(a, p.jobs_->set_interval(p.job_of(a), a.number(1)));
     }},
    {"callback", [](JobsPlayer& p, const Action& a) { p.jobs_->host_callback(p.job_of(a)); }},
    {"close", [](JobsPlayer& p, const Action& a) { p.jobs_->close_callback(p.job_of(a)); }},
    {"post", [](JobsPlayer& p, const Action& a) { p.jobs_->post_from_thread(p.job_of(a)); }},
    {"then",
     [](JobsPlayer& p, const Action& a) {
         p.jobs_->after_reactions(p.job_of(a), static_cast<int>(a.number(1)));
     }},
    {"adopt", [](JobsPlayer& p, const Action& a) { p.jobs_->after_adopting(p.job_of(a)); }},
    {"thenable", [](JobsPlayer& p, const Action& a) { p.jobs_->after_thenable(p.job_of(a)); }},
    {"clear_timeout", [](JobsPlayer& p, const Action& a) { p.jobs_->clear_timeout(p.id_of(a)); }},
    {"clear_interval", [](JobsPlayer& p, const Action& a) { p.jobs_->clear_interval(p.id_of(a)); }},
    {"clear_immediate",
     [](JobsPlayer& p, const Action& a) { p.jobs_->clear_immediate(p.id_of(a)); }},
    {"refresh", [](JobsPlayer& p, const Action& a) { p.jobs_->refresh(p.id_of(a)); }},
    {"ref", [](JobsPlayer& p, const Action& a) { p.jobs_->set_ref(p.id_of(a), true); }},
    {"unref", [](JobsPlayer& p, const Action& a) { p.jobs_->set_ref(p.id_of(a), false); }},
    {"reject", [](JobsPlayer& p, const Action& a) { p.jobs_->make_rejected(a.word(0)); }},
    {"handle", [](JobsPlayer& p, const Action& a) { p.jobs_->handle_rejected(a.word(0)); }},
    {"context",
     [](JobsPlayer& p, const Action& a) { p.jobs_->set_context(static_cast<int>(a.number(0))); }},
    {"show", [](JobsPlayer& p,
                const Action&) { p.happened("context " + std::to_string(p.jobs_->context())); }},
    {"throw", [](JobsPlayer&, const Action& a) { throw std::runtime_error(a.word(0)); }},
    {"block", [](JobsPlayer& p, const Action& a) { p.jobs_->block(a.number(0)); }},
    {"now", [](JobsPlayer& p, const Action&) { p.happened("at " + in_ms(p.jobs_->passed_ms())); }},
    {"wait", [](JobsPlayer& p, const Action&) { p.happened("wait " + in_ms(p.jobs_->wait_ms())); }},
};

}  // namespace

Results run(const Table& table, const std::string& platform, const MakeJobsAdapter& make) {
    return play_all(table, platform, [&make](const Scenario& scenario) {
        return std::make_unique<JobsPlayer>(scenario, make());
    });
}

}  // namespace gyre::conform
