// SPDX-License-Identifier: Apache-2.0
// Random programs of handle operations, run on this library and on the installed libuv.
#include "compat/uv/against.test.hpp"

#include <gtest/gtest.h>

#include <random>

namespace gyre::uv::test {
namespace {

constexpr unsigned seed_count = 5000;
constexpr std::size_t steps_size = 160;

std::vector<std::uint8_t> program_of(unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> bytes(20 + random() % steps_size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
}

TEST(UvAgainst, random_programs_do_the_same_on_libuv) {
    const auto own = Library::open(GYRE_UV_OWN);
    ASSERT_NE(own, nullptr);
    const auto reference = Library::open(GYRE_UV_REFERENCE);
    if (reference == nullptr) GTEST_SKIP() << "no libuv at " GYRE_UV_REFERENCE " (Debian: libuv1)";
    for (unsigned seed = 0; seed < seed_count; ++seed) {
        const std::vector<std::uint8_t> input = program_of(seed);
        const std::string ours = RandomProgram(*own, input).run();
        const std::string theirs = RandomProgram(*reference, input).run();
        ASSERT_EQ(ours, theirs) << "seed " << seed;
    }
}

}  // namespace
}  // namespace gyre::uv::test
