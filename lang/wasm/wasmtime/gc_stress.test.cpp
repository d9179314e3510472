// SPDX-License-Identifier: Apache-2.0
// Random programs that allocate, link, cast and forget: each collector gives the same result. GYRE_TEST_SEED=<seed> runs one
// program alone and prints it; GYRE_TEST_LONG=1 tries 5,000, GYRE_GC_PROGRAMS=<n> as many as it says, from the seed
// GYRE_GC_FIRST=<seed> on, otherwise 50 from 1 on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "lang/wasm/wasmtime/gc_program.test.hpp"
#include "lang/wasm/wasmtime/wasm_world.test.hpp"

namespace gyre::wasm {
namespace {

std::uint64_t variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? 0 : std::strtoull(value, nullptr, 10);
}

// A heap that starts small is collected often.
std::unique_ptr<Engine> engine_with(Collector collector) {
    return make_wasmtime({.gc_heap_size_bytes = std::size_t{64} << 10u, .collector = collector});
}

std::int32_t result_in(Engine& engine, const std::string& text) {
    const std::shared_ptr<Module> module = engine.compile(text);
    const auto instance = module->make_instance(
        {.memory_max_bytes = std::size_t{512} << 20u, .is_preemptible = false}, {});
    static_cast<void>(instance->begin());
    EXPECT_EQ(instance->begin_call(*instance->find("main"), {}), Progress::done);
    return instance->result(0).i32;
}

// A part of all programs: a test has a limit of time.
constexpr std::uint64_t part_count = 5;
class GcStress : public testing::TestWithParam<std::uint64_t> {};

TEST_P(GcStress, every_collector_gives_the_same_result) {
    if (!has_copying_collector()) GTEST_SKIP() << "this library has no copying collector";
    constexpr int rounds = 150;
    const auto copying = engine_with(Collector::copying);
    const auto counting = engine_with(Collector::reference_counting);
    const auto none = engine_with(Collector::none);
    const std::uint64_t only = variable("GYRE_TEST_SEED");
    const std::uint64_t wanted_count = variable("GYRE_GC_PROGRAMS");
    const std::uint64_t all = wanted_count > 0                           ? wanted_count
                              : std::getenv("GYRE_TEST_LONG") != nullptr ? 5'000
                                                                         : 50;
    const std::uint64_t begin = std::max<std::uint64_t>(variable("GYRE_GC_FIRST"), 1);
    const std::uint64_t first = only > 0 ? only : begin + GetParam() * all / part_count;
    const std::uint64_t end = only > 0 ? only + 1 : begin + (GetParam() + 1) * all / part_count;
    std::uint64_t distinct = 0;
    std::int32_t last = 0;
    for (std::uint64_t seed = first; seed < end; ++seed) {
        const std::string text = GcProgram(seed).text(rounds);
        if (only > 0) std::puts(text.c_str());
        const std::int32_t wanted = result_in(*none, text);
        ASSERT_EQ(result_in(*copying, text), wanted) << "GYRE_TEST_SEED=" << seed;
        ASSERT_EQ(result_in(*counting, text), wanted) << "GYRE_TEST_SEED=" << seed;
        if (std::exchange(last, wanted) != wanted) ++distinct;
    }
    if (only == 0) {
        EXPECT_GE(distinct, (end - first) / 2);  // the programs differ
    }
    std::printf("programs without a difference: %llu\n",
                static_cast<unsigned long long>(end - first));
}
INSTANTIATE_TEST_SUITE_P(Parts, GcStress, testing::Range<std::uint64_t>(0, part_count));

}  // namespace
}  // namespace gyre::wasm
