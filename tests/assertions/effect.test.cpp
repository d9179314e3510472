// SPDX-License-Identifier: Apache-2.0
// Assertions of gyre/effect.
#include <gtest/gtest.h>

#include "gyre/effect/detail/run.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/effect/scripted_guest.hpp"
#include "gyre/testing/virtual_time.hpp"
#include "tests/support/private_member.hpp"

namespace gyre::test {

struct MakeReady {
    friend constexpr auto member_of(MakeReady tag);
};
template struct PrivateMember<MakeReady, &effect::Scheduler::make_ready>;

}  // namespace gyre::test

namespace gyre::effect {
namespace {

using EffectAssertionDeathTest = gyre::testing::VirtualTimeTest;

TEST_F(EffectAssertionDeathTest, a_run_that_is_removed_from_an_empty_table) {
    Scheduler scheduler(executor());
    ScriptedGuest guest({});
    const Handlers handlers;
    const effect::Run run(scheduler, 1, guest, handlers);
    RunTable table;
    EXPECT_DEATH(table.remove(run), "remove only a run that was added");
}

TEST_F(EffectAssertionDeathTest, a_task_that_becomes_ready_after_its_end) {
    if (GYRE_DEBUG_CHECKS == 0) GTEST_SKIP() << "the check is compiled in debug builds only";
    Scheduler scheduler(executor());
    ScriptedGuest guest({});
    const Handlers handlers;
    effect::Run run(scheduler, 1, guest, handlers);
    RunTask task(run, 2);
    task.state = RunTask::State::ended;
    EXPECT_DEATH((scheduler.*member_of(test::MakeReady{}))(task),
                 "only a task that has not ended can become ready");
}

TEST_F(EffectAssertionDeathTest, a_continuation_that_is_released_and_was_never_held) {
    ScriptedGuest guest({});
    EXPECT_DEATH(guest.release(1), "a continuation is resumed, ended or released once");
}

}  // namespace
}  // namespace gyre::effect
