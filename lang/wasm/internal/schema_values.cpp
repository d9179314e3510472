// SPDX-License-Identifier: Apache-2.0
// Values by their schema: written as the reference host writes them, and checked when they come back, with its limits and in
// its words.
#include <algorithm>
#include <cmath>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/failure.hpp"
#include "lang/wasm/internal/schema.hpp"

namespace gyre::wasm {
namespace {

using effect::MessagePackWriter;
using effect::Value;

constexpr double safe_integer_max = 9'007'199'254'740'991.0;

// In the words of the reference host, which calls bytes an object.
const char* found_name(const Value& value) noexcept {
    switch (value.kind()) {
        case Value::Kind::nothing:
            return "undefined";
        case Value::Kind::boolean:
            return "boolean";
        case Value::Kind::integer:
        case Value::Kind::real:
            return "number";
        case Value::Kind::text:
            return "string";
        case Value::Kind::list:
            return "array";
        case Value::Kind::bytes:
        case Value::Kind::record:
            return "object";
    }
    return "unknown";
}

// Whole numbers may come as reals, as in a script that says 5.0.
bool is_whole(const Value& value) noexcept {
    if (value.is(Value::Kind::integer)) return true;
    return value.is(Value::Kind::real) && std::abs(value.real()) <= safe_integer_max &&
           value.real() == std::trunc(value.real());
}
std::int64_t whole_of(const Value& value) noexcept {
    return value.is(Value::Kind::integer) ? value.integer()
                                          : static_cast<std::int64_t>(value.real());
}

}  // namespace

// As the reference host: a number without a fraction that has at most 32 bits is an integer on the wire. Zero keeps its
// sign, which that host loses.
void write_wire_real(MessagePackWriter& out, double real) {
    const bool is_minus_zero = real == 0 && std::signbit(real);
    if (real >= INT32_MIN && real <= UINT32_MAX && real == std::trunc(real) && !is_minus_zero) {
        out.integer(static_cast<std::int64_t>(real));
    } else {
        out.real(real);
    }
}

// A type, as the reference host names it where a value is of another one.
const char* Schema::wanted_name() const noexcept {
    switch (kind_) {
        case Kind::text:
            return "String";
        case Kind::bytes:
            return "Uint8Array";
        case Kind::record:
        case Kind::variants:
            return "object";
        default:
            return kind_name();
    }
}

std::string Schema::variant_names() const {
    if (kind_ == Kind::record) return tag_;
    std::string names;
    for (const Variant& variant : variants_) {
        names += (names.empty() ? "" : " | ") + variant.name;
    }
    return names;
}

std::string Schema::Path::text() const {
    if (outer == nullptr) return std::string(name);
    if (name.empty()) return outer->text() + "[" + std::to_string(index) + "]";
    return outer->text() + "." + std::string(name);
}

void Schema::refuse(const Path& path, const char* wanted, const Value& found) {
    throw Failure(path.text() + " expected " + wanted + ", got " + found_name(found));
}

void Schema::check_limit(const Path& path, const char* limit, std::size_t size, std::size_t most) {
    if (size <= most) return;
    constexpr std::size_t path_size_max = 160;  // that of a deep value is long
    const std::string whole = path.text();
    const std::string shown =
        whole.size() <= path_size_max ? whole : whole.substr(0, path_size_max) + "...";
    throw Failure(shown + " exceeds maximum " + limit + " " + std::to_string(most));
}
void Schema::check_container(const Path& path, std::size_t size, unsigned depth) {
    check_limit(path, "collection length", size, collection_size_max);
    check_limit(path, "DTO depth", depth + 1, value_depth_max);
}
void Schema::check_size(const Path& path, std::size_t size) {
    check_limit(path, "byte length", size, text_size_max);
}

void Schema::write(MessagePackWriter& out, const Value& value, const std::string& path) const {
    write_at(out, value, {.name = path}, 0);
}
Value Schema::check(Value value, const std::string& path) const {
    return check_at(std::move(value), {.name = path}, 0);
}

void Schema::write_at(MessagePackWriter& out, const Value& value, const Path& path,
                      unsigned depth) const {
    const Schema& self = resolved();
    self.expect_kind(value, path);
    switch (self.kind_) {
        case Kind::nothing:
            out.nothing();
            return;
        case Kind::boolean:
            out.boolean(value.boolean());
            return;
        case Kind::i32:
            out.integer(whole_of(value));
            return;
        case Kind::i64:
            out.wide_integer(whole_of(value));
            return;
        case Kind::f32:
        case Kind::f64:
            write_wire_real(out, value.is(Value::Kind::real)
                                     ? value.real()
                                     : static_cast<double>(value.integer()));
            return;
        case Kind::text:
            check_size(path, value.text().size());
            out.text(value.text());
            return;
        case Kind::bytes:
            check_size(path, value.bytes().size());
            out.value(value);
            return;
        case Kind::array: {
            check_container(path, value.list().size(), depth);
            out.list(value.list().size());
            std::size_t at = 0;
            for (const Value& item : value.list()) {
                self.element_->write_at(out, item, {.outer = &path, .index = at++}, depth + 1);
            }
            return;
        }
        case Kind::record:
        case Kind::variants:
            self.write_record(out, value, path, depth);
            return;
        case Kind::custom:
        case Kind::reference:
            break;
    }
    GYRE_ASSERT(false, "resolved() follows references and custom types");
}

// Whether the value is of this type, apart from what is inside of it.
void Schema::expect_kind(const Value& value, const Path& path) const {
    bool fits = true;
    switch (kind_) {
        case Kind::boolean:
            fits = value.is(Value::Kind::boolean);
            break;
        case Kind::i32:
            fits = is_whole(value) && std::in_range<std::int32_t>(whole_of(value));
            break;
        case Kind::i64:
            fits = is_whole(value);
            break;
        case Kind::f32:
        case Kind::f64:
            fits = value.is(Value::Kind::integer) || value.is(Value::Kind::real);
            break;
        case Kind::text:
            fits = value.is(Value::Kind::text);
            break;
        case Kind::bytes:
            fits = value.is(Value::Kind::bytes);
            break;
        case Kind::array:
            fits = value.is(Value::Kind::list);
            break;
        case Kind::record:
        case Kind::variants:
            fits = value.is(Value::Kind::record);
            break;
        default:
            break;
    }
    if (!fits) refuse(path, wanted_name(), value);
}

// A handler writes `tag`, a module `$variant`.
const Value* Schema::tag_of(const Value& value) noexcept {
    const Value* tag = value.field("tag");
    return tag != nullptr ? tag : value.field(wire_tag);
}

// The fields of a record or of the variant that the value names.
const std::vector<Schema::Field>& Schema::fields_of(const Value& value, const Path& path) const {
    const Value* tag = tag_of(value);
    const bool is_text = tag != nullptr && tag->is(Value::Kind::text);
    if (kind_ == Kind::record) {
        if (is_text && tag->text() == tag_) return fields_;
    } else {
        for (const Variant& variant : variants_) {
            if (is_text && variant.name == tag->text()) return variant.fields;
        }
    }
    throw Failure(path.text() + " expected variant tag " + variant_names());
}

bool Schema::is_tagged() const noexcept {
    return kind_ == Kind::variants || !tag_.empty();
}

void Schema::write_record(MessagePackWriter& out, const Value& value, const Path& path,
                          unsigned depth) const {
    const std::vector<Field>& fields = is_tagged() ? fields_of(value, path) : fields_;
    check_container(path, fields.size() + (is_tagged() ? 1 : 0), depth);
    refuse_unknown(value, fields, path);
    std::size_t count = is_tagged() ? 1 : 0;
    for (const Field& field : fields) {
        if (!field.is_optional || value.field(field.name) != nullptr) ++count;
    }
    out.record(count);
    if (is_tagged()) {
        out.text(wire_tag);
        out.text(tag_of(value)->text());
    }
    const Value nothing;
    for (const Field& field : fields) {
        const Value* item = value.field(field.name);
        if (item == nullptr && field.is_optional) continue;
        out.text(field.name);
        field.schema->write_at(out, item == nullptr ? nothing : *item,
                               {.outer = &path, .name = field.name}, depth + 1);
    }
}

void Schema::refuse_unknown(const Value& value, const std::vector<Field>& fields,
                            const Path& path) const {
    for (const auto& [name, item] : value.record()) {
        const bool is_tag = is_tagged() && (name == "tag" || name == wire_tag);
        if (is_tag || std::ranges::find(fields, name, &Field::name) != fields.end()) continue;
        throw Failure(path.text() + " has unknown field " + name);
    }
}

Value Schema::check_at(Value value, const Path& path, unsigned depth) const {
    const Schema& self = resolved();
    if (self.kind_ == Kind::nothing) return {};
    self.expect_kind(value, path);
    switch (self.kind_) {
        case Kind::i32:
        case Kind::i64:
            return whole_of(value);
        case Kind::f32:
        case Kind::f64:
            if (value.is(Value::Kind::integer)) return static_cast<double>(value.integer());
            return value;
        case Kind::text:
            check_size(path, value.text().size());
            return value;
        case Kind::bytes:
            check_size(path, value.bytes().size());
            return value;
        case Kind::array:
            check_container(path, value.list().size(), depth);
            for (std::size_t i = 0; i < value.list().size(); ++i) {
                Value& item = value.list()[i];
                item = self.element_->check_at(std::move(item), {.outer = &path, .index = i},
                                               depth + 1);
            }
            return value;
        case Kind::record:
        case Kind::variants:
            return self.check_record(value, path, depth);
        default:
            return value;
    }
}

// A tagged record need not name its only variant.
Value Schema::check_record(const Value& value, const Path& path, unsigned depth) const {
    const bool is_union = kind_ == Kind::variants;
    const std::vector<Field>& fields = is_union ? fields_of(value, path) : fields_;
    check_container(path, fields.size(), depth);
    refuse_unknown(value, fields, path);
    Value::Record checked;
    if (is_union) {
        checked.emplace_back("tag", *tag_of(value));
    } else if (is_tagged()) {
        checked.emplace_back("tag", tag_);
    }
    for (const Field& field : fields) {
        const Value* item = value.field(field.name);
        if (item == nullptr && field.is_optional) continue;
        checked.emplace_back(
            field.name, field.schema->check_at(item == nullptr ? Value() : *item,
                                               {.outer = &path, .name = field.name}, depth + 1));
    }
    return Value(std::move(checked));
}

}  // namespace gyre::wasm
