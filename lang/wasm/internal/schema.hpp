// SPDX-License-Identifier: Apache-2.0
// Schema: the type of a value that crosses the boundary of a module, as its ABI sections describe it; it writes
// values in the form the reference host writes them, and checks those that come back. Any thread; it is not
// changed after it was read.
//
// A union is a record whose first field `tag` names the variant; on the wire that field is `$variant`.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "gyre/effect/detail/msgpack.hpp"
#include "gyre/effect/value.hpp"

namespace gyre::wasm {

class Schema {
public:
    enum class Kind : std::uint8_t {
        nothing,
        boolean,
        i32,
        i64,
        f32,
        f64,
        text,
        bytes,
        array,
        record,
        variants,
        custom,
        reference
    };
    struct Field;
    struct Variant;

    // Throws a CompileError.
    [[nodiscard]] static std::unique_ptr<Schema> read(const nlohmann::json& json);
    ~Schema();

    [[nodiscard]] const std::string& fingerprint() const noexcept { return fingerprint_; }
    // `i32`, `Array<Point>`: for people.
    [[nodiscard]] std::string to_text() const;

    // Throws a Failure whose message is `<path> expected <type>, got <kind>`.
    void write(effect::MessagePackWriter& out, const effect::Value& value,
               const std::string& path) const;
    // Checks a decoded value, and gives unions their `tag`. Throws a Failure.
    [[nodiscard]] effect::Value check(effect::Value value, const std::string& path) const;

private:
    struct Names;  // the schemas of one root by their type ids

    static std::unique_ptr<Schema> read_part(const nlohmann::json& json, unsigned depth,
                                             std::map<std::int64_t, const Schema*>& names);
    static std::vector<Field> read_fields(const nlohmann::json& json, unsigned depth,
                                          std::map<std::int64_t, const Schema*>& names);
    void resolve(const std::map<std::int64_t, const Schema*>& names);
    [[nodiscard]] const Schema& resolved() const noexcept;
    [[nodiscard]] const char* kind_name() const noexcept;
    void write_fields(effect::MessagePackWriter& out, const effect::Value& value,
                      const std::vector<Field>& fields, const std::string& variant,
                      const std::string& path) const;
    void write_variant(effect::MessagePackWriter& out, const effect::Value& value,
                       const std::string& path) const;
    [[nodiscard]] effect::Value check_fields(const effect::Value& value,
                                             const std::vector<Field>& fields, bool has_variant,
                                             const std::string& path) const;
    [[nodiscard]] effect::Value check_record(const effect::Value& value,
                                             const std::string& path) const;

    Kind kind_ = Kind::nothing;
    std::int64_t type_id_ = 0;
    std::string fingerprint_;
    std::string name_;
    std::string tag_;                  // of a record that is always of one variant
    std::unique_ptr<Schema> element_;  // of an array; what a custom type is written as
    std::vector<Field> fields_;
    std::vector<Variant> variants_;
    const Schema* target_ = nullptr;  // of a reference, and of a custom type
};

struct Schema::Field {
    std::string name;
    std::unique_ptr<Schema> schema;
    bool is_optional = false;
};
struct Schema::Variant {
    std::string name;
    std::vector<Field> fields;
};

}  // namespace gyre::wasm
