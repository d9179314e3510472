// SPDX-License-Identifier: Apache-2.0
#include "gyre/conform/internal/gyre_adapters.hpp"

#include <any>
#include <map>
#include <thread>
#include <vector>

#include "gyre/job/promise.hpp"
#include "gyre/job/pump.hpp"

namespace gyre::conform {
namespace {

using job::Promise;
using job::Value;

// A thenable that resolves in the call of its `then`.
class SettledThenable final : public job::Thenable {
public:
    void then(job::Resolvers resolvers) override { resolvers.resolve(); }
};

class GyreJobs final : public JobsAdapter, private job::Host {
public:
    GyreJobs(std::unique_ptr<PlatformSetup> setup, const job::SchedulerOptions& options)
        : setup_(std::move(setup)), jobs_(setup_->clock(), *this, options) {}
    GyreJobs(const GyreJobs&) = delete;
    GyreJobs& operator=(const GyreJobs&) = delete;
    ~GyreJobs() override {
        join_threads();
        loop_.close();
    }

    [[nodiscard]] bool has_simulated_time() const override { return setup_->is_simulated(); }

    void run(const Job& main_script, JobsHost& host) override {
        host_ = &host;
        pump_.start(main_script);
        static_cast<void>(job::run_to_exit(loop_, pump_));
    }

    void next_tick(Job job) override { jobs_.next_tick(std::move(job)); }
    void queue_microtask(Job job) override { jobs_.queue_microtask(std::move(job)); }
    Id set_immediate(Job job) override { return jobs_.set_immediate(std::move(job)); }
    Id set_timeout(Job job, double delay_ms) override {
        return jobs_.set_timeout(std::move(job), delay_of(delay_ms));
    }
    Id set_interval(Job job, double period_ms) override {
        return jobs_.set_interval(std::move(job), delay_of(period_ms));
    }
    void clear_immediate(Id id) override { jobs_.clear_immediate(id); }
    void clear_timeout(Id id) override { jobs_.clear_timeout(id); }
    void clear_interval(Id id) override { jobs_.clear_interval(id); }
    void refresh(Id id) override { static_cast<void>(jobs_.refresh(id)); }
    void set_ref(Id id, bool has_ref) override { jobs_.set_ref(id, has_ref); }

    void host_callback(Job job) override { jobs_.queue_callback(std::move(job)); }
    void close_callback(Job job) override { jobs_.queue_close(std::move(job)); }
    void post_from_thread(Job job) override {
        jobs_.hold();
        threads_.emplace_back([this, callback = std::move(job)] {
            jobs_.post([this, callback] {
                jobs_.release();
                callback();
            });
        });
        // Simulated time cannot wait for a real thread.
        if (setup_->is_simulated()) join_threads();
    }

    void after_reactions(Job job, int count) override {
        Promise promise = Promise::resolve(jobs_);
        for (int i = 1; i < count; ++i) {
            promise = promise.then([](const Value&) { return Value(); });
        }
        promise.then(handler_of(std::move(job)));
    }
    void after_adopting(Job job) override {
        resolved_with(Promise::resolve(jobs_)).then(handler_of(std::move(job)));
    }
    void after_thenable(Job job) override {
        const std::shared_ptr<job::Thenable> thenable = std::make_shared<SettledThenable>();
        resolved_with(thenable).then(handler_of(std::move(job)));
    }
    void make_rejected(const std::string& promise) override {
        const Promise made = Promise::reject(jobs_, promise);
        names_[made.id()] = promise;
        promises_.insert_or_assign(promise, made);
    }
    void handle_rejected(const std::string& promise) override {
        promises_.at(promise).catch_error([](const Value&) { return Value(); });
    }

    void set_context(int context) override {
        jobs_.set_context(reinterpret_cast<void*>(static_cast<std::intptr_t>(context)));
    }
    [[nodiscard]] int context() override {
        return static_cast<int>(reinterpret_cast<std::intptr_t>(jobs_.context()));
    }

    void block(double ms) override { setup_->block(ms); }
    [[nodiscard]] double passed_ms() override { return setup_->passed_ms(); }
    [[nodiscard]] double wait_ms() override {
        return to_ms(pump_.wait_time(setup_->clock().now()));
    }

private:
    job::AfterError on_error(std::exception_ptr error) override {
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& exception) {
            host_->on_error(exception.what());
        }
        return job::AfterError::go_on;
    }
    void on_rejection(job::PromiseId /*promise*/, const std::any& reason) override {
        host_->on_rejection(std::any_cast<std::string>(reason));
    }
    void on_rejection_handled(job::PromiseId promise) override {
        host_->on_rejection_handled(names_.at(promise));
    }
    void on_before_exit() override { host_->on_before_exit(); }
    void on_exit() override { host_->on_exit(); }

    [[nodiscard]] Duration delay_of(double ms) const {
        if (jobs_.profile() == job::Profile::node) return job::Scheduler::delay_of(ms);
        return from_ms(ms > 0 ? ms : 0);  // NaN becomes 0.
    }
    [[nodiscard]] Promise resolved_with(Value value) {
        const auto [promise, resolvers] = Promise::with_resolvers(jobs_);
        resolvers.resolve(std::move(value));
        return promise;
    }
    [[nodiscard]] static Promise::Handler handler_of(Job job) {
        return [job = std::move(job)](const Value&) {
            job();
            return Value();
        };
    }
    void join_threads() {
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }

    std::unique_ptr<PlatformSetup> setup_;
    JobsHost* host_ = nullptr;
    job::Scheduler jobs_;
    job::Pump pump_{jobs_};
    Loop loop_{setup_->platform(), pump_};
    std::map<std::string, Promise> promises_;
    std::map<job::PromiseId, std::string> names_;
    std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<JobsAdapter> make_gyre_jobs(std::unique_ptr<PlatformSetup> setup,
                                            const job::SchedulerOptions& options) {
    return std::make_unique<GyreJobs>(std::move(setup), options);
}

}  // namespace gyre::conform
