// SPDX-License-Identifier: Apache-2.0
// Promises by ECMA-262: the job of each reaction, and the number of jobs before it.
#include "gyre/job/promise.hpp"

#include <gtest/gtest.h>

#include "gyre/job/job_world.test.hpp"

namespace gyre::job {
namespace {

// A handler that writes a line.
Promise::Handler saying(JobWorld& world, const char* line) {
    return [&world, line](const Value&) {
        world.log(line);
        return Value();
    };
}

// One line for each microtask that passes.
void count_jobs(JobWorld& world, int count) {
    Promise promise = Promise::resolve(world.jobs);
    for (int i = 1; i <= count; ++i) {
        promise = promise.then([&world, i](const Value&) {
            world.log(std::to_string(i));
            return Value();
        });
    }
}

TEST(Promise, reactions_are_jobs_in_the_order_of_their_settling) {
    // clause: J05
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        auto [promise, resolvers] = Promise::with_resolvers(world.jobs);
        promise.then(saying(world, "first"));
        promise.then(saying(world, "second"));
        Promise::resolve(world.jobs).then(saying(world, "settled before"));
        resolvers.resolve();
        world.jobs.queue_microtask(world.says("queued after"));
        world.log("main");
    }),
              (Lines{"main", "settled before", "first", "second", "queued after"}));
}

// A host that only records its calls.
class RecordingHost : public PromiseHost {
public:
    PromiseId next_promise_id() noexcept override { return ++last_id; }
    Context make_context() override { return nullptr; }
    void drop_context(Context) noexcept override {}
    void enqueue_promise_job(Callback<> job, Context) override { jobs.push_back(std::move(job)); }
    void track_rejected(PromiseId promise, std::any) override { rejected.push_back(promise); }
    void track_handled(PromiseId promise) override { handled.push_back(promise); }

    PromiseId last_id = 0;
    std::vector<Callback<>> jobs;
    std::vector<PromiseId> rejected;
    std::vector<PromiseId> handled;
};

TEST(Promise, every_job_goes_through_the_hook_of_the_host) {
    // clause: J05
    RecordingHost host;
    int reactions = 0;
    const Promise::Handler count = [&reactions](const Value&) { return Value(++reactions); };
    const auto [promise, resolvers] = Promise::with_resolvers(host);
    promise.then(count);
    promise.then(count);
    EXPECT_EQ(host.jobs.size(), 0u);
    resolvers.resolve();
    EXPECT_EQ(host.jobs.size(), 2u);
    EXPECT_EQ(reactions, 0);
    for (Callback<>& job : host.jobs) job();
    EXPECT_EQ(reactions, 2);
}

TEST(Promise, tells_the_tracker_of_a_rejection_of_its_first_handler_and_of_its_end) {
    // clause: J16
    RecordingHost host;
    {
        const Promise promise = Promise::reject(host, 1);
        EXPECT_EQ(host.rejected, (std::vector<PromiseId>{promise.id()}));
        promise.when_settled({}, [](const Value&) { return Value(); });
        promise.when_settled({}, [](const Value&) { return Value(); });
        EXPECT_EQ(host.handled, (std::vector<PromiseId>{promise.id()}));
    }
    static_cast<void>(Promise::reject(host, 2));
    host.jobs.clear();
}

TEST(Promise, a_promise_is_adopted_two_jobs_later_than_a_value) {
    // clause: J05
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        auto [outer, resolvers] = Promise::with_resolvers(world.jobs);
        resolvers.resolve(Promise::resolve(world.jobs));
        outer.then(saying(world, "adopted"));
        count_jobs(world, 4);
    }),
              (Lines{"1", "2", "adopted", "3", "4"}));
}

TEST(Promise, a_handler_that_returns_a_promise_costs_the_same_two_jobs) {
    // clause: J05
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        Promise::resolve(world.jobs)
            .then([&world](const Value&) { return Value(Promise::resolve(world.jobs)); })
            .then(saying(world, "adopted"));
        count_jobs(world, 5);
    }),
              (Lines{"1", "2", "3", "adopted", "4", "5"}));
}

class TestThenable : public Thenable {
public:
    explicit TestThenable(JobWorld& world) : world_(world) {}
    void then(Resolvers resolvers) override {
        world_.log("then is called");
        resolvers.resolve();
        resolvers.reject(std::string("too late"));
    }

private:
    JobWorld& world_;
};

TEST(Promise, a_thenable_is_adopted_one_job_later_and_never_called_at_once) {
    // clause: J05
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        auto [outer, resolvers] = Promise::with_resolvers(world.jobs);
        resolvers.resolve(std::shared_ptr<Thenable>(std::make_shared<TestThenable>(world)));
        outer.then(saying(world, "adopted"));
        count_jobs(world, 3);
        world.log("main");
    }),
              (Lines{"main", "then is called", "1", "adopted", "2", "3"}));
}

TEST(Promise, awaiting_a_promise_takes_one_job) {
    // clause: J05
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        Promise::resolve(world.jobs).when_settled(saying(world, "resumed"), {});
        count_jobs(world, 2);
    }),
              (Lines{"resumed", "1", "2"}));
}

TEST(Promise, values_reasons_and_errors_pass_through_to_the_next_handler) {
    JobWorld world;
    EXPECT_EQ(world.run([&world] {
        Promise::resolve(world.jobs, 20)
            .catch_error(saying(world, "not called"))
            .then([](const Value& value) { return Value(std::any_cast<int>(value) + 1); })
            .then([&world](const Value& value) -> Value {
                world.log(std::to_string(std::any_cast<int>(value)));
                throw Rejection{std::string("a reason")};
            })
            .then(saying(world, "not called"))
            .catch_error([&world](const Value& reason) -> Value {
                world.log(std::any_cast<std::string>(reason));
                fail("an exception");
            })
            .catch_error([&world](const Value& reason) -> Value {
                try {
                    std::rethrow_exception(std::any_cast<std::exception_ptr>(reason));
                } catch (const std::exception& error) {
                    world.log(error.what());
                }
                return {};
            });
    }),
              (Lines{"21", "a reason", "an exception"}));
}

TEST(Promise, resolved_with_itself_is_rejected) {
    JobWorld world;
    world.run([&world] {
        auto [promise, resolvers] = Promise::with_resolvers(world.jobs);
        resolvers.resolve(promise);
        EXPECT_EQ(promise.state(), Promise::State::rejected);
        promise.catch_error(saying(world, "rejected"));
    });
    EXPECT_EQ(world.host.lines, (Lines{"rejected"}));
}

}  // namespace
}  // namespace gyre::job
