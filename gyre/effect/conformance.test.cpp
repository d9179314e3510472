// SPDX-License-Identifier: Apache-2.0
// The conformance scenarios of the Voyd specification, by its names, and its trace.
#include <gtest/gtest.h>

#include "gyre/effect/effect_world.test.hpp"

namespace gyre::effect {
namespace {

using script::give_last;
using script::perform;

TEST(Conformance, resume_step) {
    // clause: V30
    EffectWorld world;
    world.handlers.on(Async::await, [](int n) { return resume(n + 1); });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), give_last()});
    EXPECT_EQ(world.run<int>(guest).value(), 2);
    EXPECT_EQ(guest.calls(), (Lines{"start main()", "resume 2"}));
}

TEST(Conformance, trace_example) {
    // clause: V31
    EffectWorld world;
    Lines trace;
    world.handlers.on(Async::await, [&](int n) -> Future<Answer> {
        if (n == 1) {
            trace.emplace_back("h1:start");
            co_await sleep(5ms);
            trace.emplace_back("h1:end");
            co_return resume(2);
        }
        trace.emplace_back("h2:start");
        co_return resume(4);
    });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), perform(0, {3}), script::give(40)});
    EXPECT_EQ(world.run<int>(guest).value(), 40);
    EXPECT_EQ(trace, (Lines{"h1:start", "h1:end", "h2:start"}));
}

}  // namespace
}  // namespace gyre::effect
