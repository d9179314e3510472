// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/internal/schema.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "gyre/base/assert.hpp"
#include "gyre/base/failure.hpp"
#include "lang/wasm/engine.hpp"

namespace gyre::wasm {
namespace {

using effect::MessagePackWriter;
using effect::Value;
using Json = nlohmann::json;

constexpr unsigned schema_depth_max = 64;
constexpr double safe_integer_max = 9'007'199'254'740'991.0;
constexpr std::array<const char*, 13> kind_names = {"void",  "bool",   "i32",   "i64",   "f32",
                                                    "f64",   "string", "bytes", "array", "record",
                                                    "union", "custom", "ref"};

// In the words of the reference host.
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
        case Value::Kind::bytes:
            return "bytes";
        case Value::Kind::list:
            return "array";
        case Value::Kind::record:
            return "object";
    }
    return "unknown";
}

[[noreturn]] void refuse(const std::string& path, const std::string& wanted, const Value& found) {
    throw Failure(path + " expected " + wanted + ", got " + found_name(found));
}

std::string text_of(const Json& json, const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
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

// As the reference host: a number without a fraction is an integer on the wire.
void write_real(MessagePackWriter& out, const Value& value) {
    const bool is_minus_zero =
        value.is(Value::Kind::real) && value.real() == 0 && std::signbit(value.real());
    if (is_whole(value) && !is_minus_zero) {
        out.integer(whole_of(value));
    } else {
        out.real(value.real());
    }
}

}  // namespace

Schema::~Schema() = default;

std::unique_ptr<Schema> Schema::read(const Json& json) {
    std::map<std::int64_t, const Schema*> names;
    std::unique_ptr<Schema> root = read_part(json, 0, names);
    root->resolve(names);
    return root;
}

std::unique_ptr<Schema> Schema::read_part(const Json& json, unsigned depth,
                                          std::map<std::int64_t, const Schema*>& names) {
    if (depth > schema_depth_max) throw CompileError("a schema is nested too deeply");
    if (!json.is_object()) throw CompileError("a schema is no object");
    const std::string kind = text_of(json, "kind");
    const auto found = std::ranges::find(kind_names, kind);
    if (found == kind_names.end())
        throw CompileError("a schema of the unknown kind '" + kind + "'");
    auto schema = std::make_unique<Schema>();
    schema->kind_ = static_cast<Kind>(found - kind_names.begin());
    schema->fingerprint_ = text_of(json, "fingerprint");
    schema->name_ = text_of(json, "name");
    schema->tag_ = text_of(json, "tag");
    const auto name_by = [&](const Json& id) {
        if (id.is_number_integer() && schema->kind_ != Kind::reference) {
            names.emplace(id.get<std::int64_t>(), schema.get());
        }
    };
    if (json.contains("typeId") && json["typeId"].is_number_integer()) {
        schema->type_id_ = json["typeId"].get<std::int64_t>();
        name_by(json["typeId"]);
    }
    if (json.contains("aliases") && json["aliases"].is_array()) {
        for (const Json& alias : json["aliases"]) name_by(alias);
    }
    const char* inner = schema->kind_ == Kind::array    ? "element"
                        : schema->kind_ == Kind::custom ? "representation"
                                                        : nullptr;
    if (inner != nullptr) {
        if (!json.contains(inner)) throw CompileError("a schema without its " + std::string(inner));
        schema->element_ = read_part(json[inner], depth + 1, names);
    }
    if (schema->kind_ == Kind::record) schema->fields_ = read_fields(json, depth, names);
    if (schema->kind_ == Kind::variants && json.contains("variants")) {
        for (const Json& variant : json["variants"]) {
            schema->variants_.push_back(
                {text_of(variant, "name"), read_fields(variant, depth, names)});
        }
    }
    return schema;
}

std::vector<Schema::Field> Schema::read_fields(const Json& json, unsigned depth,
                                               std::map<std::int64_t, const Schema*>& names) {
    std::vector<Field> fields;
    if (!json.is_object() || !json.contains("fields")) return fields;
    for (const Json& field : json["fields"]) {
        if (!field.is_object() || !field.contains("schema")) {
            throw CompileError("a field of a schema has no schema");
        }
        fields.push_back({text_of(field, "name"), read_part(field["schema"], depth + 1, names),
                          field.contains("optional") && field["optional"] == true});
    }
    return fields;
}

void Schema::resolve(const std::map<std::int64_t, const Schema*>& names) {
    if (kind_ == Kind::reference) {
        const auto found = names.find(type_id_);
        if (found == names.end()) throw CompileError("a schema refers to a type it does not have");
        target_ = found->second;
    }
    if (element_ != nullptr) element_->resolve(names);
    if (kind_ == Kind::custom) target_ = element_.get();
    for (Field& field : fields_) field.schema->resolve(names);
    for (Variant& variant : variants_) {
        for (Field& field : variant.fields) field.schema->resolve(names);
    }
    // A custom type that is written as itself would have no end.
    const Schema* at = this;
    for (unsigned steps = 0; at != nullptr && at->target_ != nullptr; at = at->target_) {
        if (++steps > schema_depth_max) throw CompileError("a schema that is only itself");
    }
}

const Schema& Schema::resolved() const noexcept {
    const Schema* at = this;
    while (at->target_ != nullptr) at = at->target_;
    return *at;
}

const char* Schema::kind_name() const noexcept {
    return kind_names[static_cast<std::size_t>(kind_)];
}

std::string Schema::to_text() const {
    if (kind_ == Kind::array) return "Array<" + element_->to_text() + ">";
    if (!name_.empty()) return name_;
    if (!tag_.empty()) return tag_;
    return kind_name();
}

void Schema::write(MessagePackWriter& out, const Value& value, const std::string& path) const {
    const Schema& self = resolved();
    const auto expect = [&](bool fits) {
        if (!fits) refuse(path, self.kind_name(), value);
    };
    switch (self.kind_) {
        case Kind::nothing:
            out.nothing();
            return;
        case Kind::boolean:
            expect(value.is(Value::Kind::boolean));
            out.boolean(value.boolean());
            return;
        case Kind::i32:
            expect(is_whole(value) && std::in_range<std::int32_t>(whole_of(value)));
            out.integer(whole_of(value));
            return;
        case Kind::i64:
            expect(is_whole(value));
            out.wide_integer(whole_of(value));
            return;
        case Kind::f32:
        case Kind::f64:
            expect(value.is(Value::Kind::integer) || value.is(Value::Kind::real));
            write_real(out, value);
            return;
        case Kind::text:
            expect(value.is(Value::Kind::text));
            out.text(value.text());
            return;
        case Kind::bytes:
            expect(value.is(Value::Kind::bytes));
            out.value(value);
            return;
        case Kind::array: {
            expect(value.is(Value::Kind::list));
            out.list(value.list().size());
            std::size_t at = 0;
            for (const Value& item : value.list()) {
                self.element_->write(out, item, path + "[" + std::to_string(at++) + "]");
            }
            return;
        }
        case Kind::record:
            expect(value.is(Value::Kind::record));
            self.write_fields(out, value, self.fields_, self.tag_, path);
            return;
        case Kind::variants:
            expect(value.is(Value::Kind::record));
            self.write_variant(out, value, path);
            return;
        case Kind::custom:
        case Kind::reference:
            break;
    }
    GYRE_ASSERT(false, "resolved() follows references and custom types");
}

void Schema::write_variant(MessagePackWriter& out, const Value& value,
                           const std::string& path) const {
    const Value* tag = value.field("tag");
    if (tag == nullptr) tag = value.field("$variant");
    const std::string name = tag != nullptr && tag->is(Value::Kind::text) ? tag->text() : "";
    for (const Variant& variant : variants_) {
        if (variant.name == name) {
            write_fields(out, value, variant.fields, name, path);
            return;
        }
    }
    throw Failure(path + " expected union, got the variant '" + name + "'");
}

void Schema::write_fields(MessagePackWriter& out, const Value& value,
                          const std::vector<Field>& fields, const std::string& variant,
                          const std::string& path) const {
    std::size_t count = variant.empty() ? 0 : 1;
    for (const Field& field : fields) {
        if (value.field(field.name) != nullptr) {
            ++count;
        } else if (!field.is_optional) {
            throw Failure(path + " misses the field " + field.name);
        }
    }
    for (const auto& [name, item] : value.record()) {
        const bool is_tag = !variant.empty() && (name == "tag" || name == "$variant");
        if (!is_tag && std::ranges::find(fields, name, &Field::name) == fields.end()) {
            throw Failure(path + " has the unknown field " + name);
        }
    }
    out.record(count);
    if (!variant.empty()) {
        out.text("$variant");
        out.text(variant);
    }
    for (const Field& field : fields) {
        const Value* item = value.field(field.name);
        if (item == nullptr) continue;
        out.text(field.name);
        field.schema->write(out, *item, path + "." + field.name);
    }
}

Value Schema::check(Value value, const std::string& path) const {
    const Schema& self = resolved();
    bool fits = false;
    switch (self.kind_) {
        case Kind::nothing:
            fits = value.is(Value::Kind::nothing);
            break;
        case Kind::boolean:
            fits = value.is(Value::Kind::boolean);
            break;
        case Kind::i32:
            fits = value.is(Value::Kind::integer) && std::in_range<std::int32_t>(value.integer());
            break;
        case Kind::i64:
            fits = value.is(Value::Kind::integer);
            break;
        case Kind::f32:
        case Kind::f64:
            if (value.is(Value::Kind::integer)) return static_cast<double>(value.integer());
            fits = value.is(Value::Kind::real);
            break;
        case Kind::text:
            fits = value.is(Value::Kind::text);
            break;
        case Kind::bytes:
            fits = value.is(Value::Kind::bytes);
            break;
        case Kind::array:
            if (!value.is(Value::Kind::list)) break;
            for (std::size_t i = 0; i < value.list().size(); ++i) {
                Value& item = value.list()[i];
                item = self.element_->check(std::move(item), path + "[" + std::to_string(i) + "]");
            }
            return value;
        default:
            if (!value.is(Value::Kind::record)) break;
            return self.check_record(value, path);
    }
    if (!fits) refuse(path, self.kind_name(), value);
    return value;
}

Value Schema::check_record(const Value& value, const std::string& path) const {
    if (kind_ == Kind::record) return check_fields(value, fields_, !tag_.empty(), path);
    const Value* tag = value.record().empty() ? nullptr : value.field("$variant");
    const std::string name = tag != nullptr && tag->is(Value::Kind::text) ? tag->text() : "";
    for (const Variant& variant : variants_) {
        if (variant.name == name) return check_fields(value, variant.fields, true, path);
    }
    throw Failure(path + " expected union, got the variant '" + name + "'");
}

Value Schema::check_fields(const Value& value, const std::vector<Field>& fields, bool has_variant,
                           const std::string& path) const {
    Value::Record checked;
    for (const auto& [name, item] : value.record()) {
        if (has_variant && name == "$variant") {
            checked.emplace_back("tag", item);
            continue;
        }
        const auto field = std::ranges::find(fields, name, &Field::name);
        if (field == fields.end()) throw Failure(path + " has the unknown field " + name);
        checked.emplace_back(name, field->schema->check(item, path + "." + name));
    }
    for (const Field& field : fields) {
        if (!field.is_optional && value.field(field.name) == nullptr) {
            throw Failure(path + " misses the field " + field.name);
        }
    }
    return Value(std::move(checked));
}

}  // namespace gyre::wasm
