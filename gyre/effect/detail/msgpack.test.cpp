// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/detail/msgpack.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

namespace gyre::effect {
namespace {

std::string hex(std::string_view bytes) {
    std::string out;
    for (const char c : bytes) {
        const auto code = static_cast<unsigned char>(c);
        out += "0123456789abcdef"[code >> 4u];
        out += "0123456789abcdef"[code & 15u];
    }
    return out;
}
std::string error_of(std::string_view input, MessagePackLimits limits = {}) {
    const auto value = decode_msgpack(input, limits);
    return value ? "" : value.error().message;
}

TEST(MessagePack, writes_integers_in_their_shortest_form) {
    const auto bytes_of = [](std::int64_t number) { return hex(encode_msgpack(number)); };
    EXPECT_EQ(bytes_of(0), "00");
    EXPECT_EQ(bytes_of(127), "7f");
    EXPECT_EQ(bytes_of(128), "cc80");
    EXPECT_EQ(bytes_of(256), "cd0100");
    EXPECT_EQ(bytes_of(300'000), "ce000493e0");
    EXPECT_EQ(bytes_of(std::int64_t{1} << 32), "cf0000000100000000");
    EXPECT_EQ(bytes_of(-32), "e0");
    EXPECT_EQ(bytes_of(-33), "d0df");
    EXPECT_EQ(bytes_of(-129), "d1ff7f");
    EXPECT_EQ(bytes_of(-32'769), "d2ffff7fff");
    EXPECT_EQ(bytes_of(std::numeric_limits<std::int64_t>::min()), "d38000000000000000");
}

TEST(MessagePack, writes_the_wide_forms_where_they_are_asked_for) {
    std::string out;
    MessagePackWriter writer(out);
    writer.wide_integer(9'007'199'254'740'993);
    writer.wide_integer(-1);
    writer.short_real(1.5F);
    writer.bytes("\x01");
    EXPECT_EQ(hex(out), "cf0020000000000001d3ffffffffffffffffca3fc00000c40101");
}

TEST(MessagePack, reads_every_form_of_an_integer) {
    using namespace std::string_view_literals;
    for (const std::string_view form :
         {"\x05"sv, "\xCC\x05"sv, "\xCD\0\x05"sv, "\xCE\0\0\0\x05"sv, "\xCF\0\0\0\0\0\0\0\x05"sv,
          "\xD0\x05"sv, "\xD1\0\x05"sv, "\xD2\0\0\0\x05"sv, "\xD3\0\0\0\0\0\0\0\x05"sv}) {
        EXPECT_EQ(decode_msgpack(form), Value(5)) << hex(form);
    }
    EXPECT_EQ(decode_msgpack("\xD2\xB1\x52\xD8\x25"sv)->integer(), -1'319'970'779);
    EXPECT_EQ(decode_msgpack("\xCA\x3F\xC0\0\0"sv)->real(), 1.5);
}

TEST(MessagePack, a_value_comes_back_as_it_was) {
    Value::Record record;
    record.emplace_back("a", Value::List{1, -2, 2.5, true, Value(), "wörld"});
    record.emplace_back(std::string(300, 'k'), Value::Blob(70'000, std::byte{7}));
    record.emplace_back("long", Value::List(70'000, Value(3)));
    const Value value(record);
    EXPECT_EQ(decode_msgpack(encode_msgpack(value)), value);
    rc::check("any integer and real", [](std::int64_t number, double real) {
        RC_ASSERT(decode_msgpack(encode_msgpack(number)).value() == Value(number));
        RC_ASSERT(decode_msgpack(encode_msgpack(real)).value() == Value(real));
    });
    rc::check("any text", [](const std::string& text) {
        RC_ASSERT(decode_msgpack(encode_msgpack(text)).value() == Value(text));
    });
}

TEST(MessagePack, what_ends_early_or_goes_on_is_an_error) {
    const std::string whole = encode_msgpack(Value::List{1, "two", 3.0, Value::List{4}});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        EXPECT_NE(error_of(whole.substr(0, size)), "") << size;
    }
    EXPECT_EQ(error_of(whole), "");
    EXPECT_EQ(error_of(whole + '\0'), "bytes after the value");
    EXPECT_EQ(error_of("\xC1"), "a value of an unknown form");
    EXPECT_EQ(error_of("\xC7"), "a value of an unknown form");
    EXPECT_EQ(error_of("\x81\x01\x01"), "a value that is not text");  // keys are text
}

TEST(MessagePack, a_length_that_lies_allocates_nothing) {
    EXPECT_EQ(error_of("\xDD\xFF\xFF\xFF\xFF"), "a length is beyond the end of the input");
    EXPECT_EQ(error_of("\xDF\x7F\xFF\xFF\xFF"), "a length is beyond the end of the input");
    EXPECT_EQ(error_of("\xDB\xFF\xFF\xFF\xFFxx"), "a length is beyond the end of the input");
}

TEST(MessagePack, size_depth_and_count_are_limited) {
    const std::string deep = std::string(200, '\x91') + '\x01';
    EXPECT_EQ(error_of(deep), "nested deeper than depth_max");
    EXPECT_EQ(error_of(deep, {.depth_max = 200}), "");
    EXPECT_EQ(error_of(deep, {.size_max_bytes = 200}), "the input is beyond size_max_bytes");
    const std::string many = encode_msgpack(Value::List(99, Value(1)));
    EXPECT_EQ(error_of(many, {.count_max = 99}), "more values than count_max");
    EXPECT_EQ(error_of(many, {.count_max = 100}), "");
}

}  // namespace
}  // namespace gyre::effect
