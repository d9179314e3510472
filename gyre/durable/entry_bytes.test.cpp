// SPDX-License-Identifier: Apache-2.0
// Entries as bytes: back as they were, and an error wherever a byte is changed.
#include "gyre/durable/internal/entry_bytes.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "gyre/durable/error.hpp"

namespace gyre::durable {
namespace {

using effect::Arguments;
using effect::JournalEntry;
using effect::Value;

Value large_value() {
    Value::Record record;
    record.emplace_back("nothing", Value());
    record.emplace_back("true", true);
    record.emplace_back("least", std::numeric_limits<std::int64_t>::min());
    record.emplace_back("tiny", 5e-324);
    record.emplace_back("text", std::string("a\0b ☃", 7));
    record.emplace_back("bytes", Value::Blob(300, std::byte{7}));
    Value::List items;
    items.emplace_back(1);
    items.emplace_back(Value::List());
    record.emplace_back("items", Value(std::move(items)));
    return Value(std::move(record));
}

JournalEntry entry() {
    JournalEntry made;
    made.task = 300;
    made.effect = "com.example";
    made.op = "charge";
    made.signature = 0xFFFFFFFFU;
    made.arguments = Arguments::of(1, "two", large_value());
    made.kind = effect::AnswerKind::tail;
    made.value = large_value();
    return made;
}

std::string refusal_of(ConstBytes bytes, std::int64_t run, std::int64_t number) {
    try {
        static_cast<void>(entry_from(bytes, run, number));
    } catch (const DurableError& e) {
        EXPECT_EQ(e.kind(), DurableError::Kind::damaged);
        return e.what();
    }
    return "taken";
}

TEST(DurableEntry, comes_back_as_it_was) {
    const JournalEntry made = entry();
    EXPECT_EQ(entry_from(bytes_of(made, 7, 3), 7, 3), made);
    JournalEntry failed = entry();
    failed.is_failure = true;
    failed.failure_kind = effect::ErrorKind::panic;
    failed.failure = "refused";
    failed.kind = effect::AnswerKind::resume;
    failed.value = Value();
    EXPECT_EQ(entry_from(bytes_of(failed, 7, 3), 7, 3), failed);
    EXPECT_EQ(value_from(bytes_of(large_value())), large_value());
    EXPECT_EQ(arguments_from(bytes_of(made.arguments)), made.arguments);
}

TEST(DurableEntry, that_was_cut_changed_or_moved_is_an_error) {
    const db::Blob bytes = bytes_of(entry(), 7, 3);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        EXPECT_NE(refusal_of(ConstBytes(bytes).first(i), 7, 3), "taken");
        db::Blob changed = bytes;
        changed[i] ^= std::byte{1};
        EXPECT_NE(refusal_of(changed, 7, 3), "taken");
    }
    EXPECT_NE(refusal_of(bytes, 8, 3).find("checksum"), std::string::npos);
    EXPECT_NE(refusal_of(bytes, 7, 4).find("checksum"), std::string::npos);
    db::Blob longer = bytes;
    longer.push_back(std::byte{0});
    EXPECT_NE(refusal_of(longer, 7, 3), "taken");
}

TEST(DurableEntry, with_a_right_checksum_is_read_with_care) {
    const auto sealed_refusal = [](std::initializer_list<int> of) {
        db::Blob bytes;
        for (const int byte : of) bytes.push_back(static_cast<std::byte>(byte));
        return refusal_of(sealed(std::move(bytes), 7, 3), 7, 3);
    };
    EXPECT_NE(sealed_refusal({}).find("too early"), std::string::npos);
    EXPECT_NE(sealed_refusal({2}).find("format"), std::string::npos);
    EXPECT_NE(sealed_refusal({1, 1, 200, 1}).find("too early"), std::string::npos);
    EXPECT_NE(sealed_refusal({1, 1, 0, 0, 0, 0, 2}).find("kind"), std::string::npos);
    EXPECT_NE(sealed_refusal({1, 1, 0, 0, 0, 0, 0, 0, 0, 9}).find("follows"), std::string::npos);
    EXPECT_NE(sealed_refusal({1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}).find("large"),
              std::string::npos);
    db::Blob deep{std::byte{1}};
    for (unsigned i = 0; i < value_depth_max + 2; ++i) {
        deep.push_back(static_cast<std::byte>(Value::Kind::list));
        deep.push_back(std::byte{1});
    }
    deep.push_back(std::byte{0});
    EXPECT_THROW(static_cast<void>(value_from(deep)), DurableError);
}

}  // namespace
}  // namespace gyre::durable
