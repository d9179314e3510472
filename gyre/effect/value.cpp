// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gyre::effect {

Value::Value(std::string text) : kind_(Kind::text) {
    held_.text = new std::string(std::move(text));
}
Value::Value(Blob bytes) : kind_(Kind::bytes) {
    held_.bytes = new Blob(std::move(bytes));
}
Value::Value(List list) : kind_(Kind::list) {
    held_.list = new List(std::move(list));
}
Value::Value(Record record) : kind_(Kind::record) {
    held_.record = new Record(std::move(record));
}

Value::Value(const Value& other) {
    switch (other.kind_) {
        case Kind::text:
            held_.text = new std::string(other.text());
            break;
        case Kind::bytes:
            held_.bytes = new Blob(other.bytes());
            break;
        case Kind::list:
            held_.list = new List(other.list());
            break;
        case Kind::record:
            held_.record = new Record(other.record());
            break;
        default:
            held_ = other.held_;
            break;
    }
    kind_ = other.kind_;  // last: if an allocation throws, the destructor must free nothing
}

void Value::drop() noexcept {
    switch (kind_) {
        case Kind::text:
            delete held_.text;
            break;
        case Kind::bytes:
            delete held_.bytes;
            break;
        case Kind::list:
            delete held_.list;
            break;
        case Kind::record:
            delete held_.record;
            break;
        default:
            break;
    }
}

const Value* Value::field(std::string_view name) const noexcept {
    for (const auto& [key, value] : record()) {
        if (key == name) return &value;
    }
    return nullptr;
}

bool operator==(const Value& left, const Value& right) noexcept {
    if (left.kind_ != right.kind_) return false;
    switch (left.kind_) {
        case Value::Kind::nothing:
            return true;
        case Value::Kind::boolean:
            return left.boolean() == right.boolean();
        case Value::Kind::integer:
            return left.integer() == right.integer();
        case Value::Kind::real:
            // Bitwise, so that a NaN equals itself: a replay must find it again.
            return left.real() == right.real() ||
                   (std::isnan(left.real()) && std::isnan(right.real()));
        case Value::Kind::text:
            return left.text() == right.text();
        case Value::Kind::bytes:
            return left.bytes() == right.bytes();
        case Value::Kind::list:
            return left.list() == right.list();
        case Value::Kind::record:
            return left.record() == right.record();
    }
    return false;
}

const char* Value::name_of(Kind kind) noexcept {
    constexpr std::array names = {"nothing", "a truth", "an integer", "a real",
                                  "text",    "bytes",   "a list",     "a record"};
    return names[static_cast<std::size_t>(kind) % names.size()];
}

namespace {

constexpr const char* hex_digits = "0123456789abcdef";

void write_text(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (code < 0x20) {
            out += "\\u00";
            out += hex_digits[code >> 4u];
            out += hex_digits[code & 15u];
        } else {
            out += c;
        }
    }
    out += '"';
}

template <class Number>
void write_number(std::string& out, Number number) {
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
}

void write(std::string& out, const Value& value) {
    switch (value.kind()) {
        case Value::Kind::nothing:
            out += "null";
            break;
        case Value::Kind::boolean:
            out += value.boolean() ? "true" : "false";
            break;
        case Value::Kind::integer:
            write_number(out, value.integer());
            break;
        case Value::Kind::real:
            write_number(out, value.real());
            if (std::isfinite(value.real()) && value.real() == std::trunc(value.real()) &&
                std::abs(value.real()) < 1e15) {
                out += ".0";
            }
            break;
        case Value::Kind::text:
            write_text(out, value.text());
            break;
        case Value::Kind::bytes:
            out += "0x";
            for (const std::byte byte : value.bytes()) {
                out += hex_digits[std::to_integer<unsigned>(byte) >> 4u];
                out += hex_digits[std::to_integer<unsigned>(byte) & 15u];
            }
            break;
        case Value::Kind::list: {
            const char* between = "[";
            for (const Value& item : value.list()) {
                out += std::exchange(between, ", ");
                write(out, item);
            }
            out += value.list().empty() ? "[]" : "]";
            break;
        }
        case Value::Kind::record: {
            const char* between = "{";
            for (const auto& [name, item] : value.record()) {
                out += std::exchange(between, ", ");
                write_text(out, name);
                out += ": ";
                write(out, item);
            }
            out += value.record().empty() ? "{}" : "}";
            break;
        }
    }
}

}  // namespace

std::string Value::to_text() const {
    std::string out;
    write(out, *this);
    return out;
}

[[gnu::noinline]] std::size_t Value::large_size_bytes(std::size_t size_max,
                                                      unsigned depth_max) const noexcept {
    constexpr std::size_t head = number_size_bytes;
    if (kind_ == Kind::text) return head + text().size();
    if (kind_ == Kind::bytes) return head + bytes().size();
    if (depth_max == 0) return size_max + 1;
    std::size_t size = head;
    if (kind_ == Kind::list) {
        for (const Value& item : list()) {
            size += item.size_bytes(size_max, depth_max - 1);
            if (size > size_max) break;
        }
    } else {
        for (const auto& [name, item] : record()) {
            size += head + name.size() + item.size_bytes(size_max, depth_max - 1);
            if (size > size_max) break;
        }
    }
    return size;
}

void Arguments::Drop::operator()(std::vector<Value>* many) const noexcept {
    delete many;
}

void Arguments::push_back_many(Value value) {
    if (many_ == nullptr) {
        decltype(many_) many(new std::vector<Value>);
        many->reserve(2 * few_.size());
        for (Value& few : few_) many->push_back(std::move(few));
        few_count_ = 0;
        many_ = std::move(many);
    }
    many_->push_back(std::move(value));
}

bool operator==(const Arguments& left, const Arguments& right) noexcept {
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

std::string Arguments::to_text() const {
    std::string out = "(";
    const char* between = "";
    for (const Value& value : *this) {
        out += std::exchange(between, ", ");
        out += value.to_text();
    }
    return out + ")";
}

}  // namespace gyre::effect
