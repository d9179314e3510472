// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/detail/msgpack.hpp"

#include <array>
#include <bit>
#include <utility>

namespace gyre::effect {

void MessagePackWriter::number(std::uint64_t bits, unsigned size_bytes) {
    GYRE_ASSERT(size_bytes <= 8, "MessagePack has no number of more than 8 bytes");
    std::array<char, 8> big_endian;
    for (unsigned i = 0; i < size_bytes; ++i) {
        big_endian[i] = static_cast<char>(bits >> (8 * (size_bytes - 1 - i)));
    }
    out_.append(big_endian.data(), size_bytes);
}

void MessagePackWriter::integer(std::int64_t number_to_write) {
    if (number_to_write >= 0) {
        unsigned_integer(static_cast<std::uint64_t>(number_to_write));
        return;
    }
    const auto bits = static_cast<std::uint64_t>(number_to_write);
    if (number_to_write >= -32) {
        byte(static_cast<unsigned>(bits & 0xFFu));
    } else if (number_to_write >= INT8_MIN) {
        byte(0xD0);
        number(bits, 1);
    } else if (number_to_write >= INT16_MIN) {
        byte(0xD1);
        number(bits, 2);
    } else if (number_to_write >= INT32_MIN) {
        byte(0xD2);
        number(bits, 4);
    } else {
        byte(0xD3);
        number(bits, 8);
    }
}

void MessagePackWriter::unsigned_integer(std::uint64_t bits) {
    if (bits < 0x80) {
        byte(static_cast<unsigned>(bits));
    } else if (bits <= UINT8_MAX) {
        byte(0xCC);
        number(bits, 1);
    } else if (bits <= UINT16_MAX) {
        byte(0xCD);
        number(bits, 2);
    } else if (bits <= UINT32_MAX) {
        byte(0xCE);
        number(bits, 4);
    } else {
        byte(0xCF);
        number(bits, 8);
    }
}

void MessagePackWriter::wide_integer(std::int64_t number_to_write) {
    byte(number_to_write < 0 ? 0xD3 : 0xCF);
    number(static_cast<std::uint64_t>(number_to_write), 8);
}

void MessagePackWriter::real(double number_to_write) {
    byte(0xCB);
    number(std::bit_cast<std::uint64_t>(number_to_write), 8);
}

void MessagePackWriter::short_real(float number_to_write) {
    byte(0xCA);
    number(std::bit_cast<std::uint32_t>(number_to_write), 4);
}

void MessagePackWriter::head(std::size_t size, Forms forms) {
    GYRE_ASSERT(size <= UINT32_MAX, "MessagePack has at most 2^32 - 1 items or bytes in one value");
    if (forms.fixed != 0 && size <= forms.fixed_max) {
        byte(forms.fixed | static_cast<unsigned>(size));
    } else if (forms.in_8 != 0 && size <= UINT8_MAX) {
        byte(forms.in_8);
        number(size, 1);
    } else if (size <= UINT16_MAX) {
        byte(forms.in_16);
        number(size, 2);
    } else {
        byte(forms.in_32);
        number(size, 4);
    }
}

void MessagePackWriter::text(std::string_view content) {
    head(content.size(), {0xA0, 31, 0xD9, 0xDA, 0xDB});
    out_ += content;
}

void MessagePackWriter::bytes(std::string_view content) {
    head(content.size(), {0, 0, 0xC4, 0xC5, 0xC6});
    out_ += content;
}

void MessagePackWriter::value(const Value& content) {
    switch (content.kind()) {
        case Value::Kind::nothing:
            nothing();
            return;
        case Value::Kind::boolean:
            boolean(content.boolean());
            return;
        case Value::Kind::integer:
            integer(content.integer());
            return;
        case Value::Kind::real:
            real(content.real());
            return;
        case Value::Kind::text:
            text(content.text());
            return;
        case Value::Kind::bytes:
            bytes({reinterpret_cast<const char*>(content.bytes().data()), content.bytes().size()});
            return;
        case Value::Kind::list:
            list(content.list().size());
            for (const Value& item : content.list()) value(item);
            return;
        case Value::Kind::record:
            record(content.record().size());
            for (const auto& [name, item] : content.record()) {
                text(name);
                value(item);
            }
            return;
    }
}

MessagePackReader::MessagePackReader(std::string_view input, MessagePackLimits limits) noexcept
    : input_(input), limits_(limits) {
    if (input.size() > limits.size_max_bytes) fail("the input is beyond size_max_bytes");
}

void MessagePackReader::fail(std::string message) {
    if (has_failed()) return;
    error_ = {std::move(message), at_};
    at_ = input_.size();
}

std::uint64_t MessagePackReader::number(unsigned size_bytes) {
    const std::string_view digits = take(size_bytes);
    std::uint64_t bits = 0;
    for (const char digit : digits) bits = bits << 8u | static_cast<unsigned char>(digit);
    return bits;
}

std::string_view MessagePackReader::take(std::size_t size) {
    GYRE_ASSERT(at_ <= input_.size(), "a reader never passes the end of its input");
    if (size > input_.size() - at_) {
        fail("the input ends inside a value");
        return {};
    }
    const std::string_view taken = input_.substr(at_, size);
    at_ += size;
    return taken;
}

MessagePackReader::Head MessagePackReader::sized(Item item, std::uint64_t size) {
    // Each item takes a byte at least: a length that lies is found before anything is allocated.
    const std::uint64_t bytes = item == Item::record ? 2 * size : size;
    if (bytes > input_.size() - at_) fail("a length is beyond the end of the input");
    if (has_failed()) return {};
    return {.item = item, .number = static_cast<std::int64_t>(size)};
}

MessagePackReader::Head MessagePackReader::head() {
    if (++count_ > limits_.count_max) fail("more values than count_max");
    if (at_ == input_.size()) fail("the input ends where a value begins");
    if (has_failed()) return {};
    const auto code = static_cast<unsigned char>(input_[at_++]);
    if (code < 0x80) return {.item = Item::integer, .number = code};
    if (code < 0x90) return sized(Item::record, code & 15u);
    if (code < 0xA0) return sized(Item::list, code & 15u);
    if (code < 0xC0) return sized(Item::text, code & 31u);
    if (code >= 0xE0) return {.item = Item::integer, .number = static_cast<std::int8_t>(code)};
    return head_of(code);
}

MessagePackReader::Head MessagePackReader::head_of(unsigned code) {
    const unsigned width = 1u << (code & 3u);  // of the unsigned and the signed forms
    switch (code) {
        case 0xC0:
            return {};
        case 0xC2:
        case 0xC3:
            return {.item = Item::boolean, .number = code == 0xC3 ? 1 : 0};
        case 0xC4:
        case 0xC5:
        case 0xC6:
            return sized(Item::bytes, number(width));
        case 0xCA:
            return {.item = Item::real,
                    .real = std::bit_cast<float>(static_cast<std::uint32_t>(number(4)))};
        case 0xCB:
            return {.item = Item::real, .real = std::bit_cast<double>(number(8))};
        case 0xCC:
        case 0xCD:
        case 0xCE:
        case 0xCF:
            return {.item = Item::integer, .number = static_cast<std::int64_t>(number(width))};
        case 0xD0:
            return {.item = Item::integer, .number = static_cast<std::int8_t>(number(1))};
        case 0xD1:
            return {.item = Item::integer, .number = static_cast<std::int16_t>(number(2))};
        case 0xD2:
            return {.item = Item::integer, .number = static_cast<std::int32_t>(number(4))};
        case 0xD3:
            return {.item = Item::integer, .number = static_cast<std::int64_t>(number(8))};
        case 0xD9:
        case 0xDA:
        case 0xDB:
            return sized(Item::text, number(1u << (code - 0xD9)));
        case 0xDC:
        case 0xDD:
            return sized(Item::list, number(code == 0xDC ? 2 : 4));
        case 0xDE:
        case 0xDF:
            return sized(Item::record, number(code == 0xDE ? 2 : 4));
        default:
            fail("a value of an unknown form");
            return {};
    }
}

MessagePackReader::Head MessagePackReader::expect(Item item, const char* name) {
    const std::size_t began = at_;
    const Head found = head();
    if (!has_failed() && found.item != item) {
        at_ = began;
        fail(std::string("a value that is not ") + name);
    }
    return has_failed() ? Head{} : found;
}

std::int64_t MessagePackReader::integer() {
    return expect(Item::integer, "an integer").number;
}
bool MessagePackReader::boolean() {
    return expect(Item::boolean, "a truth").number != 0;
}
std::string_view MessagePackReader::text() {
    return take(static_cast<std::size_t>(expect(Item::text, "text").number));
}
std::size_t MessagePackReader::list() {
    return static_cast<std::size_t>(expect(Item::list, "a list").number);
}
std::size_t MessagePackReader::record() {
    return static_cast<std::size_t>(expect(Item::record, "a record").number);
}

bool MessagePackReader::skip_nothing() noexcept {
    if (is_at_end() || static_cast<unsigned char>(input_[at_]) != 0xC0) return false;
    ++at_;
    return true;
}

Value MessagePackReader::value() {
    return value_at(limits_.depth_max);
}

Value MessagePackReader::value_at(std::uint32_t depth) {
    const Head found = head();
    if (has_failed()) return {};
    const auto size = static_cast<std::size_t>(found.number);
    switch (found.item) {
        case Item::nothing:
            return {};
        case Item::boolean:
            return found.number != 0;
        case Item::integer:
            return found.number;
        case Item::real:
            return found.real;
        case Item::text:
            return Value(take(size));
        case Item::bytes: {
            const std::string_view content = take(size);
            const auto* first = reinterpret_cast<const std::byte*>(content.data());
            return Value(Value::Blob(first, first + content.size()));
        }
        default:
            break;
    }
    GYRE_ASSERT(depth <= limits_.depth_max, "a value is read from the outside inwards");
    if (depth == 0) {
        fail("nested deeper than depth_max");
        return {};
    }
    if (found.item == Item::list) {
        Value::List list;
        for (std::size_t i = 0; i < size && !has_failed(); ++i) list.push_back(value_at(depth - 1));
        return Value(std::move(list));
    }
    Value::Record record;
    for (std::size_t i = 0; i < size && !has_failed(); ++i) {
        std::string name(text());
        record.emplace_back(std::move(name), value_at(depth - 1));
    }
    return Value(std::move(record));
}

std::string encode_msgpack(const Value& value) {
    std::string out;
    MessagePackWriter(out).value(value);
    return out;
}

std::expected<Value, MessagePackError> decode_msgpack(std::string_view input,
                                                      MessagePackLimits limits) {
    MessagePackReader reader(input, limits);
    Value value = reader.value();
    if (!reader.has_failed() && !reader.is_at_end()) reader.fail("bytes after the value");
    if (reader.has_failed()) return std::unexpected(reader.error());
    return value;
}

}  // namespace gyre::effect
