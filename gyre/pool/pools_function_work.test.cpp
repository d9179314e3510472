// SPDX-License-Identifier: Apache-2.0
// Functions as work: return values and exceptions arrive with the op.
#include "gyre/pool/pools.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "gyre/pool/pool_world.test.hpp"
#include "gyre/pool/thread_pool.hpp"

namespace gyre::pool {
namespace {

using test::Gate;
using test::GatedWork;
using test::World;

class FunctionWorks : public testing::Test {
protected:
    ThreadPool pool{{.thread_count = 1}};
    World world{pool};

    std::int32_t run(Op& op) {
        world.app.submit(op);
        return world.finish(op);
    }
};

TEST_F(FunctionWorks, bring_what_the_function_returns) {
    FunctionWork work([text = std::string("a text")] { return text + " of its own"; });
    EXPECT_EQ(run(work), 0);
    EXPECT_EQ(work.value(), "a text of its own");
    EXPECT_EQ(work.error(), nullptr);
}

TEST_F(FunctionWorks, bring_an_exception_as_an_error) {
    FunctionWork work([]() -> int { throw std::runtime_error("no luck"); });
    EXPECT_EQ(run(work), failure(std::errc::state_not_recoverable));
    EXPECT_NE(work.error(), nullptr);
    try {
        (void)work.value();
        FAIL() << "value throws what the function threw";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "no luck");
    }
}

TEST_F(FunctionWorks, name_the_error_where_the_exception_does) {
    FunctionWork not_there([] {
        throw std::system_error(std::make_error_code(std::errc::no_such_file_or_directory));
    });
    EXPECT_EQ(run(not_there), failure(std::errc::no_such_file_or_directory));
    FunctionWork no_memory([] { throw std::bad_alloc(); });
    EXPECT_EQ(run(no_memory), failure(std::errc::not_enough_memory));
    FunctionWork not_even_an_exception([] { throw 5; });
    EXPECT_EQ(run(not_even_an_exception), failure(std::errc::state_not_recoverable));
}

TEST_F(FunctionWorks, run_again_without_the_error_of_the_time_before) {
    int runs = 0;
    FunctionWork work([&runs] {
        if (++runs == 1) throw std::runtime_error("the first time");
        return runs;
    });
    EXPECT_LT(run(work), 0);
    EXPECT_EQ(run(work), 0);
    EXPECT_EQ(work.value(), 2);
}

TEST_F(FunctionWorks, that_are_withdrawn_never_run) {
    Gate gate;
    GatedWork running(gate);
    bool ran = false;
    FunctionWork queued([&ran] { ran = true; });
    world.hand_over(running);
    gate.await_arrived(1);
    world.hand_over(queued);
    world.app.cancel(queued);
    EXPECT_TRUE(world.finish(queued) == failure(std::errc::operation_canceled));
    gate.open();
    world.finish(running);
    EXPECT_FALSE(ran);
    EXPECT_EQ(queued.error(), nullptr);
}

}  // namespace
}  // namespace gyre::pool
