// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/internal/schema.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "lang/wasm/engine.hpp"

namespace gyre::wasm {
namespace {

using Json = nlohmann::json;

constexpr unsigned schema_depth_max = 64;
constexpr std::array<const char*, 13> kind_names = {"void",  "bool",   "i32",   "i64",   "f32",
                                                    "f64",   "string", "bytes", "array", "record",
                                                    "union", "custom", "ref"};

std::string text_of(const Json& json, const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
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

}  // namespace gyre::wasm
