// SPDX-License-Identifier: Apache-2.0
// Node's order once more, from its rules and not from gyre/job: vectors that are searched, time as
// a number, a throw as an exception. What throws leaves its phase, and the phase is entered again.
#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "tests/job_order/program.hpp"

namespace gyre::job_order {
namespace {

struct Timer {
    int body = 0;
    int start = 0;
    int period = 1;
    bool repeats = false;
    bool has_ref = true;
    bool is_over = false;
};

struct TimerList {
    int duration = 0;
    int expiry = 0;
    int age = 0;
    int number = 0;  // no two lists share one, though they may share a duration
    std::vector<std::shared_ptr<Timer>> timers;
};

struct Immediate {
    int body = -1;  // -1: nothing to call
    bool has_ref = true;
    bool is_over = false;
};

class Model {
public:
    explicit Model(const JobProgram& program) : program_(program) {}

    Order play() {
        take_errors([this] { run(0); });
        take_errors([this] { checkpoint(); });
        bool was_dry = false;
        for (;;) {
            loop();
            if (was_dry || program_.before_exit == 0) break;
            was_dry = true;
            run(program_.before_exit);
            take_errors([this] { checkpoint(); });
        }
        lines_.emplace_back(line_of_exit);
        return lines_;
    }

private:
    using Job = std::function<void()>;

    // True: nothing was thrown.
    bool take_errors(const Job& job) {
        try {
            job();
            return true;
        } catch (const int body) {
            lines_.push_back(line_of_error(body));
            immediates_.push_back(std::make_shared<Immediate>());
            return false;
        }
    }

    void loop() {
        if (is_alive()) timers_phase();
        while (is_alive()) {
            wait();
            check_phase();
            timers_phase();
        }
    }

    bool is_alive() const {
        const auto has_ref = [](const auto& job) { return job->has_ref && !job->is_over; };
        return std::ranges::any_of(immediates_, has_ref) ||
               std::ranges::any_of(lists_, [&](const TimerList& list) {
                   return std::ranges::any_of(list.timers, has_ref);
               });
    }

    void wait() {
        const bool must_look = std::ranges::any_of(
            immediates_, [](const auto& job) { return job->has_ref && !job->is_over; });
        if (must_look || armed_ == never) return;
        now_ = std::max(now_, armed_);
    }

    // Rule 1.
    void checkpoint() {
        do {
            while (!ticks_.empty()) take(ticks_)();
            while (!microtasks_.empty()) take_errors(take(microtasks_));
        } while (!ticks_.empty() || report_rejections());
    }
    static Job take(std::deque<Job>& queue) {
        Job job = std::move(queue.front());
        queue.pop_front();
        return job;
    }

    // Rule 12.
    bool report_rejections() {
        const bool has_reported = handled_ > 0 || !rejected_.empty();
        for (; handled_ > 0; --handled_) lines_.emplace_back(line_of_handled);
        for (const std::shared_ptr<int>& promise : std::exchange(rejected_, {})) {
            lines_.push_back(line_of_rejection(*promise));
            reported_.insert(promise);
        }
        return has_reported;
    }

    // Rules 9 and 13.
    void check_phase() {
        take_errors([this] { checkpoint(); });
        if (immediates_.empty()) return;
        bool is_done = false;
        while (!is_done) {
            if (batch_.empty()) batch_ = std::exchange(immediates_, {});
            is_done = take_errors([&] {
                for (bool is_first = true; !batch_.empty(); is_first = false) {
                    if (!is_first) checkpoint();
                    if (batch_.empty()) break;
                    const std::shared_ptr<Immediate> next = batch_.front();
                    batch_.pop_front();
                    if (next->is_over) continue;
                    next->is_over = true;
                    if (next->body >= 0) run(next->body);
                }
            });
        }
        take_errors([this] { checkpoint(); });
    }

    // Rules 5, 6, 8 and 13.
    void timers_phase() {
        const int phase_time = now_;
        if (armed_ > phase_time) return;
        while (!take_errors([this, phase_time] { process_timers(phase_time); })) continue;
        take_errors([this] { checkpoint(); });
    }
    void process_timers(int phase_time) {
        armed_ = never;
        bool has_run = false;
        while (!lists_.empty() && first_list()->expiry <= phase_time) {
            if (has_run) checkpoint();
            has_run = true;
            if (lists_.empty() || first_list()->expiry > phase_time) continue;
            process_list(first_list()->number, phase_time);
        }
        if (!lists_.empty()) armed_ = first_list()->expiry;
    }
    void process_list(int number, int phase_time) {
        const auto list = [this, number] {
            return std::ranges::find(lists_, number, &TimerList::number);
        };
        for (bool is_first = true; list() != lists_.end(); is_first = false) {
            if (list()->timers.empty()) {
                lists_.erase(list());
                return;
            }
            const std::shared_ptr<Timer> timer = list()->timers.front();
            if (timer->start + timer->period > phase_time) {
                list()->expiry = std::max(timer->start + timer->period, phase_time + 1);
                list()->age = ++last_age_;
                return;
            }
            if (!is_first) checkpoint();
            if (timer->is_over) continue;
            std::erase(list()->timers, timer);
            call(timer);
        }
    }
    void call(const std::shared_ptr<Timer>& timer) {
        const int start = now_;
        const auto finish = [&] {
            if (timer->repeats && !timer->is_over) {
                insert(timer, start);
            } else if (!is_waiting(timer)) {
                timer->is_over = true;
            }
        };
        try {
            run(timer->body);
        } catch (...) {
            finish();
            throw;
        }
        finish();
    }

    std::vector<TimerList>::iterator find(int duration) {
        return std::ranges::find(lists_, duration, &TimerList::duration);
    }
    std::vector<TimerList>::iterator first_list() {
        return std::ranges::min_element(lists_, [](const TimerList& left, const TimerList& right) {
            return std::pair(left.expiry, left.age) < std::pair(right.expiry, right.age);
        });
    }
    bool is_waiting(const std::shared_ptr<Timer>& timer) {
        const auto list = find(timer->period);
        return list != lists_.end() && std::ranges::count(list->timers, timer) > 0;
    }
    // One that was refreshed moves to the end.
    void insert(const std::shared_ptr<Timer>& timer, int start) {
        timer->start = start;
        if (find(timer->period) != lists_.end()) std::erase(find(timer->period)->timers, timer);
        if (find(timer->period) == lists_.end()) {
            ++last_age_;
            armed_ = std::min(armed_, start + timer->period);
            lists_.push_back({timer->period, start + timer->period, last_age_, last_age_, {}});
        }
        find(timer->period)->timers.push_back(timer);
    }

    void run(int body) {
        lines_.push_back(line_of_body(body));
        const Body& what = program_.bodies[static_cast<std::size_t>(body)];
        if (what.kind == Kind::interval && ++runs_[body] == interval_runs) clear(body);
        for (const Action& action : what.actions) {
            if (action.kind == Kind::fail) throw body;
            act(action);
        }
    }

    void act(const Action& action) {
        const int body = action.body;
        switch (action.kind) {
            case Kind::tick:
                ticks_.emplace_back([this, body] { run(body); });
                break;
            case Kind::microtask:
                after_microtasks(1, body);
                break;
            case Kind::then:
                after_microtasks(action.number, body);
                break;
            case Kind::adopt:
                after_microtasks(3, body);
                break;  // rule 11
            case Kind::immediate:
                immediate_of_[body] = std::make_shared<Immediate>(Immediate{.body = body});
                immediates_.push_back(immediate_of_[body]);
                break;
            case Kind::interval:
                runs_[body] = 0;
                [[fallthrough]];
            case Kind::timeout:
                timer_of_[body] =
                    std::make_shared<Timer>(Timer{.body = body,
                                                  .period = std::max(action.number, 1),  // rule 7
                                                  .repeats = action.kind == Kind::interval});
                insert(timer_of_[body], now_);
                break;
            case Kind::clear:
                clear(body);
                break;
            case Kind::unref:
                if (timer_of_.contains(body)) timer_of_[body]->has_ref = false;
                if (immediate_of_.contains(body)) immediate_of_[body]->has_ref = false;
                break;
            case Kind::refresh:
                refresh(body);
                break;
            case Kind::block:
                now_ += action.number;
                break;
            case Kind::reject:
                promise_of_[action.number] = std::make_shared<int>(action.number);
                rejected_.push_back(promise_of_[action.number]);
                break;
            case Kind::handle:
                handle(action.number);
                break;
            case Kind::main:
            case Kind::fail:
                break;
        }
    }

    void after_microtasks(int count, int body) {
        microtasks_.emplace_back([this, count, body] {
            if (count > 1) return after_microtasks(count - 1, body);
            run(body);
        });
    }

    void handle(int promise) {
        if (!promise_of_.contains(promise)) return;
        microtasks_.emplace_back([] {});
        std::erase(rejected_, promise_of_[promise]);
        if (reported_.erase(promise_of_[promise]) > 0) ++handled_;
    }

    void refresh(int body) {
        if (!timer_of_.contains(body) || timer_of_[body]->is_over) return;
        if (refreshes_[body]++ < refresh_count_max) insert(timer_of_[body], now_);
    }

    // Rule 10.
    void clear(int body) {
        if (immediate_of_.contains(body)) {
            immediate_of_[body]->is_over = true;
            std::erase(immediates_, immediate_of_[body]);
            std::erase(batch_, immediate_of_[body]);
        }
        if (!timer_of_.contains(body) || timer_of_[body]->is_over) return;
        const std::shared_ptr<Timer> timer = timer_of_[body];
        timer->is_over = true;
        const auto list = find(timer->period);
        if (list == lists_.end()) return;
        std::erase(list->timers, timer);
        if (list->timers.empty() && timer->has_ref) lists_.erase(list);
    }

    const JobProgram& program_;
    Order lines_;
    int now_ = 0;
    int last_age_ = 0;
    // Of the one timer of libuv: stays when the timers that it was armed for are cleared.
    static constexpr int never = std::numeric_limits<int>::max();
    int armed_ = never;
    std::deque<Job> ticks_;
    std::deque<Job> microtasks_;
    std::deque<std::shared_ptr<Immediate>> immediates_;
    std::deque<std::shared_ptr<Immediate>> batch_;  // of the check phase under way
    std::vector<TimerList> lists_;
    std::map<int, std::shared_ptr<Immediate>> immediate_of_;
    std::map<int, std::shared_ptr<Timer>> timer_of_;
    std::map<int, int> runs_;
    std::map<int, int> refreshes_;
    std::map<int, std::shared_ptr<int>> promise_of_;
    std::vector<std::shared_ptr<int>> rejected_;
    std::set<std::shared_ptr<int>> reported_;
    int handled_ = 0;
};

}  // namespace

Order order_of_model(const JobProgram& program) {
    return Model(program).play();
}

}  // namespace gyre::job_order
