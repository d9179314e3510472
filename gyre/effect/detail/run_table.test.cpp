// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/detail/run.hpp"

#include <gtest/gtest.h>

#include <map>

#include "gyre/base/random.hpp"
#include "gyre/effect/effect_world.test.hpp"

namespace gyre::effect {
namespace {

using OneRun = Run;  // inside a test, Run is GoogleTest's

TEST(RunTable, finds_what_is_there_and_nothing_else) {
    EffectWorld world;
    ScriptedGuest guest(async_ops());
    RunTable table;
    std::map<RunId, std::unique_ptr<OneRun>> model;
    Random random(3);
    RunId last = 0;
    for (int round = 0; round < 5'000; ++round) {
        if (model.empty() || random.below(5) < 3) {
            auto run = std::make_unique<OneRun>(world.scheduler, ++last, guest, world.handlers);
            table.reserve_one();
            table.add(*run);
            model.emplace(last, std::move(run));
        } else {
            auto gone =
                std::next(model.begin(), static_cast<std::ptrdiff_t>(random.below(model.size())));
            table.remove(*gone->second);
            model.erase(gone);
        }
        const RunId asked = random.below(last + 2);
        const auto wanted = model.find(asked);
        ASSERT_EQ(table.find(asked), wanted == model.end() ? nullptr : wanted->second.get());
    }
    ASSERT_EQ(table.size(), model.size());
    std::vector<RunId> ids;
    for (const auto& [id, run] : model) {
        ids.push_back(id);
        EXPECT_EQ(table.find(id), run.get());
    }
    EXPECT_EQ(table.ids(), ids);
}

}  // namespace
}  // namespace gyre::effect
