// SPDX-License-Identifier: Apache-2.0
// MessagePack: the bytes of a Value, and back. Integers are written in their shortest form, reals as
// 64 bits. A decoder has limits and takes every form; an extension type is an error. MessagePackWriter and
// MessagePackReader work item by item, for frames.
//
//     std::string bytes = encode_msgpack(Value::List{1, "two"});
//     std::expected<Value, MessagePackError> value = decode_msgpack(bytes);
//
// Thread: any; plain values.
// Lifetime: a reader and the text and bytes it returns refer to the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "gyre/effect/value.hpp"

namespace gyre::effect {

struct MessagePackLimits {
    std::size_t size_max_bytes = std::size_t{16} << 20u;  // of the whole input
    std::uint32_t depth_max = 128;                        // of lists and records in each other
    std::uint32_t count_max = 1'048'576;                  // of the values in the input
};

struct MessagePackError {
    std::string message;  // names the limit, or what was found
    std::size_t offset = 0;
};

// Appends to a text. The caller writes as many items as a list or record has.
class MessagePackWriter {
public:
    explicit MessagePackWriter(std::string& out) noexcept : out_(out) {}

    void nothing() { byte(0xC0); }
    void boolean(bool truth) { byte(truth ? 0xC3 : 0xC2); }
    void integer(std::int64_t number);  // the shortest form
    void unsigned_integer(std::uint64_t number);
    void wide_integer(std::int64_t number);  // 64 bits: unsigned unless it is negative
    void real(double number);
    void short_real(float number);  // 32 bits
    void text(std::string_view text);
    void bytes(std::string_view bytes);
    void list(std::size_t size) { head(size, {0x90, 15, 0, 0xDC, 0xDD}); }
    void record(std::size_t size) { head(size, {0x80, 15, 0, 0xDE, 0xDF}); }
    void value(const Value& value);

private:
    struct Forms {
        unsigned fixed, fixed_max, in_8, in_16, in_32;  // 0: there is no such form
    };
    void byte(unsigned code) { out_ += static_cast<char>(code); }
    void number(std::uint64_t bits, unsigned size_bytes);
    void head(std::size_t size, Forms forms);

    std::string& out_;
};

// Reads items one after another. After the first error `has_failed` stays true and every item is empty.
class MessagePackReader {
public:
    explicit MessagePackReader(std::string_view input, MessagePackLimits limits = {}) noexcept;

    [[nodiscard]] bool has_failed() const noexcept { return !error_.message.empty(); }
    [[nodiscard]] const MessagePackError& error() const noexcept { return error_; }
    [[nodiscard]] bool is_at_end() const noexcept { return at_ == input_.size(); }
    [[nodiscard]] std::size_t offset() const noexcept { return at_; }

    // An item of that kind; any other is an error.
    [[nodiscard]] std::int64_t integer();  // above the signed range: the two's complement
    [[nodiscard]] bool boolean();
    [[nodiscard]] std::string_view text();
    [[nodiscard]] std::size_t list();    // the number of items that follow
    [[nodiscard]] std::size_t record();  // the number of pairs that follow
    [[nodiscard]] Value value();         // of any kind
    // Whether the next item is nothing; then it is read.
    [[nodiscard]] bool skip_nothing() noexcept;
    // For a caller that finds more to object to. Keeps the first error.
    void fail(std::string message);

private:
    enum class Item : std::uint8_t { nothing, boolean, integer, real, text, bytes, list, record };
    struct Head {
        Item item = Item::nothing;
        std::int64_t number = 0;  // the integer, the truth, or the size
        double real = 0;
    };
    [[nodiscard]] Head head();
    [[nodiscard]] Head head_of(unsigned code);
    [[nodiscard]] std::uint64_t number(unsigned size_bytes);
    [[nodiscard]] Head sized(Item item, std::uint64_t size);
    [[nodiscard]] Head expect(Item item, const char* name);
    [[nodiscard]] std::string_view take(std::size_t size);
    [[nodiscard]] Value value_at(std::uint32_t depth);

    std::string_view input_;
    MessagePackLimits limits_;
    std::size_t at_ = 0;
    std::uint32_t count_ = 0;
    MessagePackError error_;
};

[[nodiscard]] std::string encode_msgpack(const Value& value);
// Of one value; anything after it is an error.
[[nodiscard]] std::expected<Value, MessagePackError> decode_msgpack(std::string_view input,
                                                                    MessagePackLimits limits = {});

}  // namespace gyre::effect
