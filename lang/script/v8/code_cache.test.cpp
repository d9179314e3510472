// SPDX-License-Identifier: Apache-2.0
// Kept code of the library: taken where it fits, refused and compiled again where it does not.
#include "lang/script/v8/code_cache.hpp"

#include <gtest/gtest.h>

#include "lang/script/v8/engine.hpp"
#include "lang/script/v8/internal/v8_engine.hpp"

namespace gyre::script::v8 {
namespace {

constexpr LibraryFile library[] = {
    {.name = "first", .text = "function add(a, b) { return a + b; } shelf.sum = add(1, 2);"},
    {.name = "second", .text = "host.shared[0] = shelf.sum;"},
};

struct Recorded {
    std::vector<std::pair<std::string, std::string>> code;
    std::vector<CodeCache> caches;

    Recorded() {
        const auto engine = make_recording_engine({});
        EXPECT_EQ(engine->start(library, {}, nullptr, "{}"), Outcome::done);
        code = recorded_code(*engine);
    }
    void use() {
        for (const auto& [name, bytes] : code) {
            const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
            caches.push_back({name, {data, bytes.size()}});
        }
        use_code_cache(caches);
    }
    ~Recorded() { use_code_cache({}); }
};

std::size_t start_and_count() {
    V8Engine engine({});
    EXPECT_EQ(engine.start(library, {}, nullptr, "{}"), Outcome::done) << engine.thrown_text();
    EXPECT_EQ(engine.shared_words()[0], 3);
    return engine.cached_file_count();
}

TEST(CodeCache, an_engine_takes_the_code_of_every_file_that_ran) {
    Recorded recorded;
    ASSERT_EQ(recorded.code.size(), 2u);
    EXPECT_EQ(recorded.code[0].first, "first");
    recorded.use();
    EXPECT_EQ(start_and_count(), 2u);
}

TEST(CodeCache, an_engine_without_a_cache_compiles_the_text) {
    EXPECT_EQ(start_and_count(), 0u);
}

TEST(CodeCache, code_that_was_damaged_is_refused_and_the_text_compiled) {
    Recorded recorded;
    recorded.code[0].second[recorded.code[0].second.size() / 2] ^= 1;
    recorded.code[1].second.resize(5);
    recorded.use();
    EXPECT_EQ(start_and_count(), 0u);
}

TEST(CodeCache, code_of_another_text_is_refused) {
    Recorded recorded;
    std::swap(recorded.code[0].second, recorded.code[1].second);
    recorded.use();
    EXPECT_EQ(start_and_count(), 0u);
}

}  // namespace
}  // namespace gyre::script::v8
