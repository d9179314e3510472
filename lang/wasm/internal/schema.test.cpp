// SPDX-License-Identifier: Apache-2.0
// The types of values that cross the boundary of a module: what is written, what is refused, and in which words.
#include "lang/wasm/internal/schema.hpp"

#include <gtest/gtest.h>

#include <functional>

#include <nlohmann/json.hpp>

#include "gyre/base/failure.hpp"
#include "lang/wasm/engine.hpp"

namespace gyre::wasm {
namespace {

using effect::MessagePackWriter;
using effect::Value;

std::unique_ptr<Schema> schema_of(const char* json) {
    return Schema::read(nlohmann::json::parse(json));
}
std::string written(const Schema& schema, const Value& value) {
    std::string out;
    MessagePackWriter writer(out);
    schema.write(writer, value, "it");
    return out;
}
std::string refused(const std::function<void()>& work) {
    try {
        work();
    } catch (const Failure& failure) {
        return failure.what();
    }
    return "";
}
Value record(Value::Record fields) {
    return Value(std::move(fields));
}

TEST(WireSchema, ignores_what_it_does_not_know_and_sees_through_custom_types) {
    const auto schema = schema_of(
        R"({"kind":"custom","documentation":"d","representation":{"kind":"array",
            "elementTypeId":4,"element":{"kind":"custom","representation":{"kind":"i32"}}}})");
    EXPECT_EQ(written(*schema, Value(Value::List{1, -1})), "\x92\x01\xff");
    EXPECT_EQ(schema->check(Value(Value::List{5}), "it"), Value(Value::List{5}));
    EXPECT_THROW(schema_of(R"({"kind":"new"})"), CompileError);
}

TEST(WireSchema, refers_to_types_of_its_root_also_by_aliases) {
    const auto schema = schema_of(
        R"({"kind":"record","name":"Node","typeId":7,"aliases":[8],"fields":[
            {"name":"value","schema":{"kind":"i32"}},
            {"name":"next","optional":true,"schema":{"kind":"ref","typeId":8}}]})");
    const Value inner = record({{"value", 2}});
    const Value outer = record({{"value", 1}, {"next", inner}});
    EXPECT_EQ(written(*schema, inner), "\x81\xa5value\x02");  // what is absent is left out
    EXPECT_EQ(schema->check(outer, "it"), outer);
    EXPECT_EQ(refused([&] { written(*schema, record({{"value", 1}, {"next", 3}})); }),
              "it.next expected object, got number");
    EXPECT_THROW(schema_of(R"({"kind":"ref","typeId":1})"), CompileError);
    EXPECT_THROW(
        schema_of(R"({"kind":"custom","typeId":1,"representation":{"kind":"ref","typeId":1}})"),
        CompileError);
}

TEST(WireSchema, writes_records_in_its_own_order_and_refuses_other_fields) {
    const auto schema = schema_of(
        R"({"kind":"record","fields":[{"name":"a","schema":{"kind":"i32"}},
                                      {"name":"b","schema":{"kind":"bool"}}]})");
    EXPECT_EQ(written(*schema, record({{"b", true}, {"a", 1}})),
              "\x82\xa1"
              "a\x01\xa1"
              "b\xc3");
    EXPECT_EQ(refused([&] { written(*schema, record({{"a", 1}})); }),
              "it.b expected bool, got undefined");
    const Value more = record({{"a", 1}, {"b", true}, {"c", 1}});
    EXPECT_EQ(refused([&] { written(*schema, more); }), "it has unknown field c");
    EXPECT_EQ(refused([&] { static_cast<void>(schema->check(more, "it")); }),
              "it has unknown field c");
}

TEST(WireSchema, names_a_variant_first) {
    const auto schema = schema_of(
        R"({"kind":"union","variants":[{"name":"Some","fields":[{"name":"value","schema":{"kind":"i32"}}]},
                                       {"name":"None","fields":[]}]})");
    EXPECT_EQ(written(*schema, record({{"value", 3}, {"tag", "Some"}})),
              "\x82\xa8$variant\xa4Some\xa5value\x03");
    EXPECT_EQ(schema->check(record({{"$variant", "None"}}), "it"), record({{"tag", "None"}}));
    EXPECT_EQ(schema->check(record({{"tag", "None"}}), "it"), record({{"tag", "None"}}));
    for (const Value& other : {record({{"tag", "Other"}}), record({{"tag", 1}}), record({})}) {
        EXPECT_EQ(refused([&] { written(*schema, other); }), "it expected variant tag Some | None");
        EXPECT_EQ(refused([&] { static_cast<void>(schema->check(other, "it")); }),
                  "it expected variant tag Some | None");
    }
    const auto tagged = schema_of(
        R"({"kind":"record","tag":"Point","fields":[{"name":"x","schema":{"kind":"i32"}}]})");
    EXPECT_EQ(written(*tagged, record({{"x", 1}, {"tag", "Point"}})),
              "\x82\xa8$variant\xa5Point\xa1x\x01");
    EXPECT_EQ(refused([&] { written(*tagged, record({{"x", 1}})); }),
              "it expected variant tag Point");
    EXPECT_EQ(tagged->check(record({{"$variant", "Point"}, {"x", 1}}), "it"),
              record({{"tag", "Point"}, {"x", 1}}));
}

TEST(WireSchema, takes_every_form_of_an_integer_and_integers_for_reals) {
    using namespace std::string_literals;
    const auto i32 = schema_of(R"({"kind":"i32"})");
    for (const std::string& form :
         {"\x05"s, "\xcc\x05"s, "\xcd\0\x05"s, "\xce\0\0\0\x05"s, "\xcf\0\0\0\0\0\0\0\x05"s,
          "\xd0\x05"s, "\xd1\0\x05"s, "\xd2\0\0\0\x05"s, "\xd3\0\0\0\0\0\0\0\x05"s}) {
        EXPECT_EQ(i32->check(effect::decode_msgpack(form, {}).value(), "it"), Value(5));
    }
    EXPECT_EQ(refused([&] { static_cast<void>(i32->check(Value(1.5), "it")); }),
              "it expected i32, got number");
    EXPECT_NE(refused([&] { static_cast<void>(i32->check(Value(2'147'483'648), "it")); }), "");
    const auto f64 = schema_of(R"({"kind":"f64"})");
    EXPECT_EQ(f64->check(Value(5), "it"), Value(5.0));
    EXPECT_EQ(written(*f64, Value(5.0)), "\x05");  // as the reference host sends it
    EXPECT_EQ(written(*f64, Value(-0.0)), "\xcb\x80\0\0\0\0\0\0\0"s);
    EXPECT_EQ(written(*f64, Value(4'294'967'295.0)), "\xce\xff\xff\xff\xff"s);
    EXPECT_EQ(written(*f64, Value(-2'147'483'648.0)), "\xd2\x80\0\0\0"s);
    // A number of more than 32 bits stays a real.
    EXPECT_EQ(written(*f64, Value(4'294'967'296.0)), "\xcb\x41\xf0\0\0\0\0\0\0"s);
    EXPECT_EQ(written(*f64, Value(std::int64_t{4'294'967'296})), "\xcb\x41\xf0\0\0\0\0\0\0"s);
    EXPECT_EQ(written(*f64, Value(-2'147'483'649.0)), "\xcb\xc1\xe0\0\0\0\x20\0\0"s);
    EXPECT_EQ(written(*schema_of(R"({"kind":"f32"})"), Value(1.5)), "\xcb\x3f\xf8\0\0\0\0\0\0"s);
    EXPECT_EQ(written(*schema_of(R"({"kind":"i64"})"), Value(5)), "\xcf\0\0\0\0\0\0\0\x05"s);
}

TEST(WireSchema, names_types_as_the_reference_host_does) {
    const auto wrong = [](const char* kind, const Value& value) {
        const auto schema = schema_of(kind);
        const std::string refusal = refused([&] { written(*schema, value); });
        EXPECT_EQ(refused([&] { static_cast<void>(schema->check(value, "it")); }), refusal);
        return refusal;
    };
    const Value bytes(Value::Blob{std::byte{1}});
    EXPECT_EQ(wrong(R"({"kind":"string"})", 5), "it expected String, got number");
    EXPECT_EQ(wrong(R"({"kind":"string"})", bytes), "it expected String, got object");
    EXPECT_EQ(wrong(R"({"kind":"bytes"})", "x"), "it expected Uint8Array, got string");
    EXPECT_EQ(wrong(R"({"kind":"bool"})", 1), "it expected bool, got number");
    EXPECT_EQ(wrong(R"({"kind":"i64"})", 1.5), "it expected i64, got number");
    EXPECT_EQ(wrong(R"({"kind":"f64"})", Value()), "it expected f64, got undefined");
    EXPECT_EQ(wrong(R"({"kind":"array","element":{"kind":"i32"}})", record({})),
              "it expected array, got object");
    EXPECT_EQ(wrong(R"({"kind":"array","element":{"kind":"i32"}})", Value(Value::List{1, true})),
              "it[1] expected i32, got boolean");
    EXPECT_EQ(wrong(R"({"kind":"record","fields":[]})", Value(Value::List{})),
              "it expected object, got array");
}

// Each limit: a value at it passes, one beyond it does not, in either direction.
TEST(WireSchema, limits_texts_bytes_collections_and_depth) {
    const auto is_refused = [](const Schema& schema, const Value& value, const char* words) {
        const std::string refusal = refused([&] { written(schema, value); });
        EXPECT_EQ(refused([&] { static_cast<void>(schema.check(value, "it")); }), refusal);
        EXPECT_EQ(refusal, words);
    };
    const auto text = schema_of(R"({"kind":"string"})");
    const auto bytes = schema_of(R"({"kind":"bytes"})");
    const auto list = schema_of(R"({"kind":"array","element":{"kind":"bool"}})");
    is_refused(*text, std::string(16'777'216, 'x'), "");
    is_refused(*text, std::string(16'777'217, 'x'), "it exceeds maximum byte length 16777216");
    is_refused(*bytes, Value(Value::Blob(16'777'216)), "");
    is_refused(*bytes, Value(Value::Blob(16'777'217)), "it exceeds maximum byte length 16777216");
    is_refused(*list, Value(Value::List(1'048'576, Value(true))), "");
    is_refused(*list, Value(Value::List(1'048'577, Value(true))),
               "it exceeds maximum collection length 1048576");
    const auto nested =
        schema_of(R"({"kind":"array","typeId":1,"element":{"kind":"ref","typeId":1}})");
    const auto deep = [](int depth) {
        Value value(Value::List{});
        for (int i = 1; i < depth; ++i) {
            Value::List outer;
            outer.push_back(std::move(value));
            value = Value(std::move(outer));
        }
        return value;
    };
    is_refused(*nested, deep(128), "");
    std::string path = "it";
    for (int i = 0; i < 128; ++i) path += "[0]";
    is_refused(*nested, deep(129),
               (path.substr(0, 160) + "... exceeds maximum DTO depth 128").c_str());
}

}  // namespace
}  // namespace gyre::wasm
