// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/value.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "gyre/effect/effect_op.hpp"

namespace gyre::effect {
namespace {

Value nested() {
    return Value::Record{{"list", Value::List{1, true, 2.5, Value()}},
                         {"text", "a \"b\"\n"},
                         {"bytes", Value::Blob{std::byte{0}, std::byte{255}}}};
}

TEST(Value, is_sixteen_bytes_and_its_copy_is_deep) {
    EXPECT_EQ(sizeof(Value), 16u);
    const Value original = nested();
    Value copy = original;
    EXPECT_EQ(copy, original);
    EXPECT_NE(copy.field("text")->text().data(), original.field("text")->text().data());
    const Value moved = std::move(copy);
    EXPECT_EQ(moved, original);
    copy = 3;
    EXPECT_EQ(copy, Value(3));
    EXPECT_NE(Value(3), Value(3.0));
    EXPECT_NE(Value("3"), Value(3));
}

TEST(Value, is_written_like_json) {
    EXPECT_EQ(nested().to_text(),
              "{\"list\": [1, true, 2.5, null], \"text\": \"a \\\"b\\\"\\u000a\", "
              "\"bytes\": 0x00ff}");
    EXPECT_EQ(Value(2.0).to_text(), "2.0");
    EXPECT_EQ(Value(std::numeric_limits<std::int64_t>::min()).to_text(), "-9223372036854775808");
    EXPECT_EQ(Value(Value::List{}).to_text(), "[]");
    EXPECT_EQ(Value(Value::Record{}).to_text(), "{}");
}

TEST(Value, a_size_beyond_the_limit_is_found_without_looking_at_all_of_it) {
    const Value list = Value::List(1'000, Value("0123456789"));
    EXPECT_EQ(list.size_bytes(1'000'000, 4), 9 + 1'000 * 19u);
    EXPECT_GT(list.size_bytes(100, 4), 100u);
    EXPECT_LT(list.size_bytes(100, 4), 200u);
    EXPECT_GT(Value(Value::List{Value(Value::List{1})}).size_bytes(100, 1), 100u);
}

TEST(Arguments, keep_their_order_however_many_there_are) {
    Arguments few = {1};
    Arguments many;
    for (int i = 0; i < 100; ++i) many.push_back(i);
    EXPECT_EQ(few.size(), 1u);
    EXPECT_EQ(many.size(), 100u);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(many[static_cast<std::size_t>(i)], Value(i));
    const Arguments copy = many;
    EXPECT_EQ(copy, many);
    few = std::move(many);
    EXPECT_EQ(few, copy);
    EXPECT_TRUE(many.empty());
    many = {7, "x"};
    EXPECT_EQ(many.to_text(), "(7, \"x\")");
}

TEST(Codec, takes_only_what_fits) {
    EXPECT_TRUE(Codec<std::int8_t>::fits(-128));
    EXPECT_FALSE(Codec<std::int8_t>::fits(128));
    EXPECT_FALSE(Codec<unsigned>::fits(-1));
    EXPECT_FALSE(Codec<int>::fits(true));
    EXPECT_FALSE(Codec<bool>::fits(1));
    EXPECT_TRUE(Codec<double>::fits(5));
    EXPECT_FALSE(Codec<int>::fits(5.0));
    EXPECT_EQ(Codec<std::uint64_t>::from(Codec<std::uint64_t>::to(~std::uint64_t{0})),
              ~std::uint64_t{0});
    const std::vector<std::string> words = {"a", "b"};
    EXPECT_EQ(Codec<std::vector<std::string>>::from(Codec<std::vector<std::string>>::to(words)),
              words);
    EXPECT_FALSE(Codec<std::vector<int>>::fits(Value::List{1, "2"}));
    EXPECT_EQ(Codec<std::optional<int>>::from(Value()), std::nullopt);
    EXPECT_EQ(Codec<std::optional<int>>::from(4), 4);
}

}  // namespace
}  // namespace gyre::effect
