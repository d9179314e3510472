// SPDX-License-Identifier: Apache-2.0
// The conformance kit against a loop of your own, which keeps its timers in one heap by due time,
// as most loops do. The kit reports where its order differs from Node's.
//
//     $ build/release/bin/examples/26_conform
//     6: a due list runs whole before the next list
//         after 'a': expected 'c', got 'b'
//     8 pass, 1 FAIL, 42 skipped

// [head]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "gyre/conform/jobs.hpp"
#include "gyre/conform/scenario.hpp"

using namespace gyre::conform;
// [/head]

class MyLoop : public JobsAdapter {
public:
    bool has_simulated_time() const override { return true; }
    std::string lacks(const std::string& verb) const override {
        const std::set<std::string> known = {"tick", "micro", "timeout", "block", "say"};
        return known.contains(verb) ? "" : "no " + verb;
    }
    void next_tick(Job job) override { ticks_.push_back(job); }
    void queue_microtask(Job job) override { microtasks_.push_back(job); }
    Id set_timeout(Job job, double ms) override {
        timers_.emplace(now_ + std::max(1.0, std::trunc(ms)), job);
        return 0;
    }
    void block(double ms) override { now_ += ms; }
    void run(const Job& main_script, JobsHost& /*host*/) override {
        for (call(main_script); !timers_.empty(); call(timers_.extract(timers_.begin()).mapped()))
            now_ = std::max(now_, timers_.begin()->first);
    }

private:
    void call(const Job& job) {
        for (job(); !ticks_.empty() || !microtasks_.empty();) {
            std::deque<Job>& queue = ticks_.empty() ? microtasks_ : ticks_;
            for (; !queue.empty(); queue.pop_front()) queue.front()();
        }
    }
    std::deque<Job> ticks_, microtasks_;
    std::multimap<double, Job> timers_;
    double now_ = 0;
};
// [run]
int main() {
    const MakeJobsAdapter make = [] { return std::make_unique<MyLoop>(); };
    const Results results = run(jobs_as_node(), "mine", make);
    for (const Result& it : results) {
        if (it.verdict == Verdict::fail)
            std::printf("%s\n    %s\n", it.scenario->name, it.detail.c_str());
    }
    std::fputs(counts_in_words(results).c_str(), stdout);
}
// [/run]
