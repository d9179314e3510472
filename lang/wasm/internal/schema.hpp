// SPDX-License-Identifier: Apache-2.0
// Schema: the type of a value that crosses the boundary of a module, as its ABI sections describe it; it writes
// values in the form the reference host writes them, and checks those that come back. Any thread; it is not
// changed after it was read.
//
// A union is a record whose first field `tag` names the variant; on the wire that field is `$variant`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "gyre/effect/detail/msgpack.hpp"
#include "gyre/effect/value.hpp"

namespace gyre::wasm {

// A number in the form that the reference host sends.
void write_wire_real(effect::MessagePackWriter& out, double real);

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

    // Of a value, in the measures of the reference host.
    static constexpr unsigned value_depth_max = 128;
    static constexpr std::size_t text_size_max = std::size_t{16} << 20u;  // and of bytes
    static constexpr std::size_t collection_size_max = 1'048'576;         // items or fields

    // Throws a CompileError.
    [[nodiscard]] static std::unique_ptr<Schema> read(const nlohmann::json& json);
    ~Schema();

    [[nodiscard]] const std::string& fingerprint() const noexcept { return fingerprint_; }
    [[nodiscard]] bool is(Kind kind) const noexcept { return resolved().kind_ == kind; }
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
    // schema_values.cpp
    static constexpr const char* wire_tag = "$variant";
    // Where a value is: `arg0.points[3].x`. Made into text only for an error.
    struct Path {
        const Path* outer = nullptr;
        std::string_view name = {};  // of a field; empty: an item of a list
        std::size_t index = 0;

        [[nodiscard]] std::string text() const;
    };
    [[noreturn]] static void refuse(const Path& path, const char* wanted,
                                    const effect::Value& found);
    static void check_limit(const Path& path, const char* limit, std::size_t size,
                            std::size_t most);
    static void check_container(const Path& path, std::size_t size, unsigned depth);
    static void check_size(const Path& path, std::size_t size);
    [[nodiscard]] const char* wanted_name() const noexcept;
    [[nodiscard]] std::string variant_names() const;
    [[nodiscard]] bool is_tagged() const noexcept;
    void write_at(effect::MessagePackWriter& out, const effect::Value& value, const Path& path,
                  unsigned depth) const;
    void write_record(effect::MessagePackWriter& out, const effect::Value& value, const Path& path,
                      unsigned depth) const;
    [[nodiscard]] effect::Value check_at(effect::Value value, const Path& path,
                                         unsigned depth) const;
    [[nodiscard]] effect::Value check_record(const effect::Value& value, const Path& path,
                                             unsigned depth) const;
    void expect_kind(const effect::Value& value, const Path& path) const;
    [[nodiscard]] static const effect::Value* tag_of(const effect::Value& value) noexcept;
    [[nodiscard]] const std::vector<Field>& fields_of(const effect::Value& value,
                                                      const Path& path) const;
    void refuse_unknown(const effect::Value& value, const std::vector<Field>& fields,
                        const Path& path) const;

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
