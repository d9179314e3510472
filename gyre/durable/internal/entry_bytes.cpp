// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/internal/entry_bytes.hpp"

#include <bit>
#include <string>
#include <utility>

#include "gyre/durable/error.hpp"

namespace gyre::durable {

namespace {

using effect::Arguments;
using effect::JournalEntry;
using effect::Value;

constexpr std::uint8_t format = 1;

[[noreturn]] void damaged(const char* what) {
    throw DurableError(DurableError::Kind::damaged,
                       std::string("the store holds bytes that are no entry: ") + what);
}

class Writer {
public:
    void byte(std::uint8_t value) { bytes_.push_back(std::byte{value}); }
    void number(std::uint64_t value) {  // seven bits a byte, the lowest first
        for (; value >= 0x80U; value >>= 7U) byte(static_cast<std::uint8_t>(value | 0x80U));
        byte(static_cast<std::uint8_t>(value));
    }
    void word(std::uint64_t value) {
        for (unsigned shift = 0; shift < 64; shift += 8) {
            byte(static_cast<std::uint8_t>(value >> shift));
        }
    }
    void block(ConstBytes of) {
        number(of.size());
        bytes_.insert(bytes_.end(), of.begin(), of.end());
    }
    void text(std::string_view of) { block(bytes_of_text(of)); }
    void value(const Value& of);
    void list(std::span<const Value> of) {
        number(of.size());
        for (const Value& item : of) value(item);
    }
    [[nodiscard]] const db::Blob& bytes() const noexcept { return bytes_; }
    [[nodiscard]] db::Blob take() noexcept { return std::move(bytes_); }

private:
    static ConstBytes bytes_of_text(std::string_view of) noexcept {
        return {reinterpret_cast<const std::byte*>(of.data()), of.size()};
    }
    db::Blob bytes_;
};

void Writer::value(const Value& of) {
    byte(static_cast<std::uint8_t>(of.kind()));
    switch (of.kind()) {
        case Value::Kind::nothing:
            return;
        case Value::Kind::boolean:
            byte(of.boolean() ? 1 : 0);
            return;
        case Value::Kind::integer:
            word(static_cast<std::uint64_t>(of.integer()));
            return;
        case Value::Kind::real:
            word(std::bit_cast<std::uint64_t>(of.real()));
            return;
        case Value::Kind::text:
            text(of.text());
            return;
        case Value::Kind::bytes:
            block(of.bytes());
            return;
        case Value::Kind::list:
            list(of.list());
            return;
        case Value::Kind::record:
            number(of.record().size());
            for (const auto& [name, item] : of.record()) {
                text(name);
                value(item);
            }
            return;
    }
}

class Reader {
public:
    explicit Reader(ConstBytes bytes) noexcept : left_(bytes) {}

    std::uint8_t byte() {
        if (left_.empty()) damaged("they end too early");
        const auto value = std::to_integer<std::uint8_t>(left_.front());
        left_ = left_.subspan(1);
        return value;
    }
    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint8_t next = byte();
            if (shift == 63 && next > 1) break;
            value |= std::uint64_t{next & 0x7FU} << shift;
            if ((next & 0x80U) == 0) return value;
        }
        damaged("a number is too large");
    }
    std::uint64_t word() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 8) value |= std::uint64_t{byte()} << shift;
        return value;
    }
    ConstBytes block() {
        const std::uint64_t size = number();
        if (size > left_.size()) damaged("they end too early");
        const ConstBytes found = left_.first(static_cast<std::size_t>(size));
        left_ = left_.subspan(found.size());
        return found;
    }
    std::string text() {
        const ConstBytes found = block();
        return {reinterpret_cast<const char*>(found.data()), found.size()};
    }
    // Each item takes a byte at least: a wrong count costs no memory.
    std::size_t count() {
        const std::uint64_t items = number();
        if (items > left_.size()) damaged("they end too early");
        return static_cast<std::size_t>(items);
    }
    Value value(unsigned depth = 0);
    Arguments arguments() {
        Arguments all;
        for (std::size_t left = count(); left > 0; --left) all.push_back(value());
        return all;
    }
    template <class Enum>
    Enum one_of(Enum last) {
        const std::uint8_t found = byte();
        if (found > static_cast<std::uint8_t>(last)) damaged("a kind is unknown");
        return static_cast<Enum>(found);
    }
    void expect_end() const {
        if (!left_.empty()) damaged("something follows them");
    }

private:
    ConstBytes left_;
};

Value Reader::value(unsigned depth) {
    if (depth > value_depth_max) damaged("a value is nested too deeply");
    switch (one_of(Value::Kind::record)) {
        case Value::Kind::nothing:
            return {};
        case Value::Kind::boolean:
            return one_of(std::uint8_t{1}) != 0;
        case Value::Kind::integer:
            return static_cast<std::int64_t>(word());
        case Value::Kind::real:
            return std::bit_cast<double>(word());
        case Value::Kind::text:
            return text();
        case Value::Kind::bytes: {
            const ConstBytes found = block();
            return Value::Blob(found.begin(), found.end());
        }
        case Value::Kind::list: {
            Value::List items;
            const std::size_t size = count();
            for (std::size_t i = 0; i < size; ++i) items.push_back(value(depth + 1));
            return items;
        }
        case Value::Kind::record: {
            Value::Record fields;
            const std::size_t size = count();
            for (std::size_t i = 0; i < size; ++i) {
                std::string name = text();
                fields.emplace_back(std::move(name), value(depth + 1));
            }
            return fields;
        }
    }
    damaged("a kind is unknown");
}

// FNV-1a, over the place of an entry and its bytes.
std::uint64_t seal_of(ConstBytes bytes, std::int64_t run, std::int64_t number) {
    Writer place;
    place.word(static_cast<std::uint64_t>(run));
    place.word(static_cast<std::uint64_t>(number));
    std::uint64_t hash = effect::mix_begin;
    for (const ConstBytes part : {ConstBytes(place.bytes()), bytes}) {
        for (const std::byte byte : part) {
            hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001B3U;
        }
    }
    return hash;
}

}  // namespace

db::Blob bytes_of(const Value& value) {
    Writer out;
    out.byte(format);
    out.value(value);
    return out.take();
}

Value value_from(ConstBytes bytes) {
    Reader in(bytes);
    if (in.byte() != format) damaged("their format is unknown");
    Value value = in.value();
    in.expect_end();
    return value;
}

db::Blob bytes_of(const Arguments& arguments) {
    Writer out;
    out.byte(format);
    out.list(arguments);
    return out.take();
}

Arguments arguments_from(ConstBytes bytes) {
    Reader in(bytes);
    if (in.byte() != format) damaged("their format is unknown");
    Arguments all = in.arguments();
    in.expect_end();
    return all;
}

db::Blob bytes_of(const JournalEntry& entry, std::int64_t run, std::int64_t number) {
    Writer out;
    out.byte(format);
    out.number(entry.task);
    out.text(entry.effect);
    out.text(entry.op);
    out.number(entry.signature);
    out.list(entry.arguments);
    out.byte(entry.is_failure ? 1 : 0);
    if (entry.is_failure) {
        out.byte(static_cast<std::uint8_t>(entry.failure_kind));
        out.text(entry.failure);
    } else {
        out.byte(static_cast<std::uint8_t>(entry.kind));
        out.value(entry.value);
    }
    return sealed(out.take(), run, number);
}

db::Blob sealed(db::Blob bytes, std::int64_t run, std::int64_t number) {
    Writer seal;
    seal.word(seal_of(bytes, run, number));
    bytes.insert(bytes.end(), seal.bytes().begin(), seal.bytes().end());
    return bytes;
}

JournalEntry entry_from(ConstBytes bytes, std::int64_t run, std::int64_t number) {
    constexpr std::size_t seal_size = 8;
    if (bytes.size() < seal_size) damaged("they end too early");
    Reader seal(bytes.last(seal_size));
    if (seal.word() != seal_of(bytes.first(bytes.size() - seal_size), run, number)) {
        damaged("the checksum is wrong");
    }
    Reader in(bytes.first(bytes.size() - seal_size));
    if (in.byte() != format) damaged("their format is unknown");
    JournalEntry entry;
    entry.task = static_cast<std::uint32_t>(in.number());
    entry.effect = in.text();
    entry.op = in.text();
    entry.signature = static_cast<std::uint32_t>(in.number());
    entry.arguments = in.arguments();
    entry.is_failure = in.one_of(std::uint8_t{1}) != 0;
    if (entry.is_failure) {
        entry.failure_kind = in.one_of(effect::ErrorKind::panic);
        entry.failure = in.text();
    } else {
        entry.kind = in.one_of(effect::AnswerKind::end);
        entry.value = in.value();
    }
    in.expect_end();
    return entry;
}

}  // namespace gyre::durable
