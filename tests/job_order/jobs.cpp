// SPDX-License-Identifier: Apache-2.0
// Runs a program on the scheduler and the pump, with promises of the module.
#include <map>
#include <optional>
#include <stdexcept>

#include "gyre/job/promise.hpp"
#include "gyre/job/pump.hpp"
#include "gyre/sim/platform.hpp"
#include "tests/job_order/program.hpp"

namespace gyre::job_order {
namespace {

using job::Promise;
using job::Value;

class Player final : public job::Host {
public:
    Player(const JobProgram& program, std::uint32_t slice)
        : program_(program), jobs_(clock_, *this, {.slice = slice}) {}
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;
    ~Player() override { loop_.close(); }

    Order play() {
        pump_.start([this] { run(0); });
        static_cast<void>(job::run_to_exit(loop_, pump_));
        return std::move(lines_);
    }

private:
    job::AfterError on_error(std::exception_ptr error) override {
        try {
            std::rethrow_exception(error);
        } catch (const int body) {
            lines_.push_back(line_of_error(body));
        }
        return job::AfterError::go_on;
    }
    void on_rejection(job::PromiseId /*promise*/, const std::any& reason) override {
        lines_.push_back(line_of_rejection(std::any_cast<int>(reason)));
    }
    void on_rejection_handled(job::PromiseId /*promise*/) override {
        lines_.emplace_back(line_of_handled);
    }
    void on_before_exit() override {
        if (program_.before_exit != 0 && !std::exchange(was_dry_, true)) run(program_.before_exit);
    }
    void on_exit() override { lines_.emplace_back(line_of_exit); }

    void run(int body) {
        lines_.push_back(line_of_body(body));
        const Body& what = program_.bodies[static_cast<std::size_t>(body)];
        if (what.kind == Kind::interval && ++runs_[body] == interval_runs) {
            jobs_.clear_interval(started_[body]);
        }
        for (const Action& action : what.actions) {
            if (action.kind == Kind::fail) throw body;
            act(action);
        }
    }

    void act(const Action& action) {
        const auto callback = [this, body = action.body] { run(body); };
        const auto handler = [this, body = action.body](const Value&) {
            run(body);
            return Value();
        };
        const auto delay = std::chrono::milliseconds(action.number);
        switch (action.kind) {
            case Kind::tick:
                jobs_.next_tick(callback);
                break;
            case Kind::microtask:
                jobs_.queue_microtask(callback);
                break;
            case Kind::then: {
                Promise promise = Promise::resolve(jobs_);
                for (int i = 1; i < action.number; ++i) {
                    promise = promise.then([](const Value&) { return Value(); });
                }
                promise.then(handler);
                break;
            }
            case Kind::adopt: {
                const auto [promise, resolvers] = Promise::with_resolvers(jobs_);
                resolvers.resolve(Promise::resolve(jobs_));
                promise.then(handler);
                break;
            }
            case Kind::immediate:
                started_[action.body] = jobs_.set_immediate(callback);
                break;
            case Kind::timeout:
                started_[action.body] = jobs_.set_timeout(callback, delay);
                break;
            case Kind::interval:
                runs_[action.body] = 0;
                started_[action.body] = jobs_.set_interval(callback, delay);
                break;
            case Kind::clear:
                jobs_.clear_timeout(started_[action.body]);
                jobs_.clear_immediate(started_[action.body]);
                break;
            case Kind::unref:
                jobs_.set_ref(started_[action.body], false);
                break;
            case Kind::refresh:
                if (refreshes_[action.body] < refresh_count_max &&
                    jobs_.refresh(started_[action.body])) {
                    ++refreshes_[action.body];
                }
                break;
            case Kind::block:
                clock_.advance(delay);
                break;
            case Kind::reject:
                promises_.insert_or_assign(action.number, Promise::reject(jobs_, action.number));
                break;
            case Kind::handle:
                if (promises_.contains(action.number)) {
                    promises_.at(action.number).catch_error([](const Value&) { return Value(); });
                }
                break;
            case Kind::main:
            case Kind::fail:
                break;
        }
    }

    const JobProgram& program_;
    Order lines_;
    bool was_dry_ = false;
    sim::VirtualClock clock_;
    sim::SimPlatform platform_{clock_};
    job::Scheduler jobs_;
    job::Pump pump_{jobs_};
    Loop loop_{platform_, pump_};
    std::map<int, job::JobId> started_;
    std::map<int, int> runs_;
    std::map<int, int> refreshes_;
    std::map<int, Promise> promises_;
};

}  // namespace

Order order_of_jobs(const JobProgram& program, std::uint32_t slice) {
    return Player(program, slice).play();
}

}  // namespace gyre::job_order
