// SPDX-License-Identifier: Apache-2.0
// The front end takes memory in proportion to its source: bytes are counted, not times. And what
// cannot grow further has a limit, whose error names it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "lang/vela/check/check.hpp"
#include "lang/vela/lower/lower.hpp"
#include "lang/vela/syntax/diagnostic.hpp"
#include "tests/allocation/counting.hpp"
#include "tests/vela/growth/shapes.hpp"

namespace gyre::vela {
namespace {

class NoFiles final : public SourceFiles {
public:
    std::expected<std::string, std::string> read(const std::string& path) override {
        return std::unexpected(path + ": not there");
    }
};

// The bytes that the front end allocates for a program: checked and lowered.
double bytes_for(const std::string& text) {
    NoFiles files;
    const allocation::Since before;
    const auto program = check("a.vela", text, files);
    if (program->diagnostics.has_errors()) {
        EXPECT_FALSE(report(program->diagnostics.sorted()).empty());
        return static_cast<double>(before.size_bytes());
    }
    const auto lowered = lower(*program);
    EXPECT_FALSE(lowered->codes.empty());
    return static_cast<double>(before.size_bytes());
}

std::string errors_of(const std::string& text) {
    NoFiles files;
    return report(check("a.vela", text, files)->diagnostics.sorted());
}

TEST(VelaGrowth, memory_grows_no_faster_than_the_source_times_its_logarithm) {
    const double small = 1'000;
    const double large = std::getenv("GYRE_TEST_LONG") != nullptr ? 16'000 : 4'000;
    const double base = bytes_for("fn main() -> void { }\n");
    const double growth_max = large / small * std::log(large) / std::log(small);
    const std::vector<Shape> shapes = all_shapes();
    ASSERT_GE(shapes.size(), 20U);
    for (const Shape& shape : shapes) {
        const double first = bytes_for(shape.text(static_cast<std::size_t>(small))) - base;
        const double second = bytes_for(shape.text(static_cast<std::size_t>(large))) - base;
        // A vector that doubles may hold twice of what it needs.
        EXPECT_LE(second, first * growth_max * 1.25) << shape.name << ": " << first << " bytes for "
                                                     << small << ", " << second << " for " << large;
    }
}

TEST(VelaGrowth, what_cannot_grow_has_a_limit_that_the_error_names) {
    const std::map<std::string_view, std::string_view> limits = {
        {"type parameters", "the limit on type parameters is 255"},
        {"parameters", "the limit on the parameters of a function is 255"},
        {"a tuple", "the limit on the items of a tuple is 255"},
        {"a tuple type", "the limit on the items of a tuple is 255"},
        {"classes below each other", "the limit on classes above a class is 256"},
    };
    std::size_t found_count = 0;
    for (const Shape& shape : all_shapes()) {
        const auto limit = limits.find(shape.name);
        if (limit == limits.end()) continue;
        ++found_count;
        EXPECT_EQ(errors_of(shape.text(255)), "") << shape.name;
        EXPECT_NE(errors_of(shape.text(300)).find(limit->second), std::string::npos) << shape.name;
    }
    EXPECT_EQ(found_count, limits.size());
}

// Each arm compares two positions that are beside each other: what is left has exponentially many
// parts.
TEST(VelaGrowth, a_match_of_too_many_combinations_is_refused) {
    std::string text = "fn f(t: (" + repeated(40, "Bool", ", ") + ")) -> Number {\n  match t {\n";
    for (std::size_t i = 0; i < 39; ++i) {
        text += "    (" + (i == 0 ? "" : repeated(i, "_", ", ") + ", ") + "true, true";
        text += (i == 38 ? "" : ", " + repeated(38 - i, "_", ", ")) + ") => 1\n";
        text += "    (" + (i == 0 ? "" : repeated(i, "_", ", ") + ", ") + "false, false";
        text += (i == 38 ? "" : ", " + repeated(38 - i, "_", ", ")) + ") => 2\n";
    }
    text += "    (true, false" + repeated(38, ", _") + ") => 3\n    (false, true" +
            repeated(38, ", _") + ") => 4\n";
    const std::string errors = errors_of(text + "  }\n}\n");
    EXPECT_NE(errors.find("too many combinations: the limit is 500"), std::string::npos) << errors;
    EXPECT_EQ(errors_of(text + "    _ => 5\n  }\n}\n").find("error"), std::string::npos);
}

TEST(VelaGrowth, a_chain_of_aliases_counts_for_itself) {
    std::string text = "type A0 = Number\n";
    for (std::size_t i = 1; i < 100; ++i) {
        text += "type A" + std::to_string(i) + " = A" + std::to_string(i - 1) + "\n";
    }
    EXPECT_EQ(errors_of(text), "");
}

TEST(VelaGrowth, only_files_of_vela_are_imported) {
    const std::string errors = errors_of("import '../secret.txt'\nfn main() -> void { }\n");
    EXPECT_EQ(errors.substr(0, errors.find('\n')),
              "a.vela:1:8: error[E0314]: cannot import `../secret.txt`: only `.vela` files are "
              "imported");
}

}  // namespace
}  // namespace gyre::vela
