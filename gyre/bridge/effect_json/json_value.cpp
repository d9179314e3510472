// SPDX-License-Identifier: Apache-2.0
#include "gyre/bridge/effect_json/json_value.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "gyre/base/detail/json_depth.hpp"
#include "gyre/base/failure.hpp"
#include "gyre/bridge/effect_json/internal/json_tree.hpp"

namespace gyre::effect {
namespace {

Value bytes_from(const std::string& digits) {
    Value::Blob bytes;
    if (digits.size() % 2 != 0) throw Failure("$bytes has an odd number of digits");
    for (std::size_t at = 0; at < digits.size(); at += 2) {
        unsigned byte = 0;
        const char* const begin = digits.data() + at;
        const auto [end, error] = std::from_chars(begin, begin + 2, byte, 16);
        if (error != std::errc() || end != begin + 2) throw Failure("$bytes is not hexadecimal");
        bytes.push_back(static_cast<std::byte>(byte));
    }
    return Value(std::move(bytes));
}

Value real_from(const std::string& name) {
    if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (name == "inf") return std::numeric_limits<double>::infinity();
    if (name == "-inf") return -std::numeric_limits<double>::infinity();
    throw Failure("$real is nan, inf or -inf");
}

std::string hex_from(const Value::Blob& bytes) {
    std::string digits;
    for (const std::byte byte : bytes) {
        digits += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4u];
        digits += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15u];
    }
    return digits;
}

}  // namespace

Value value_from(const nlohmann::ordered_json& json) {
    if (json.is_null()) return {};
    if (json.is_boolean()) return json.get<bool>();
    if (json.is_number_unsigned() &&
        json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
        throw Failure("a number beyond 64 bits with a sign");
    }
    if (json.is_number_integer()) return json.get<std::int64_t>();
    if (json.is_number()) return json.get<double>();
    if (json.is_string()) return Value(json.get<std::string>());
    if (json.is_array()) {
        Value::List list;
        for (const auto& item : json) list.push_back(value_from(item));
        return Value(std::move(list));
    }
    if (json.size() == 1 && json.begin().value().is_string()) {
        if (json.contains("$bytes")) return bytes_from(json["$bytes"].get<std::string>());
        if (json.contains("$real")) return real_from(json["$real"].get<std::string>());
    }
    Value::Record record;
    for (const auto& [name, item] : json.items()) record.emplace_back(name, value_from(item));
    return Value(std::move(record));
}

nlohmann::ordered_json json_from(const Value& value) {
    using Tree = nlohmann::ordered_json;
    switch (value.kind()) {
        case Value::Kind::nothing:
            return nullptr;
        case Value::Kind::boolean:
            return value.boolean();
        case Value::Kind::integer:
            return value.integer();
        case Value::Kind::real:
            if (std::isnan(value.real())) return Tree{{"$real", "nan"}};
            if (std::isinf(value.real())) return Tree{{"$real", value.real() < 0 ? "-inf" : "inf"}};
            return value.real();
        case Value::Kind::text:
            return value.text();
        case Value::Kind::bytes:
            return Tree{{"$bytes", hex_from(value.bytes())}};
        case Value::Kind::list: {
            Tree list = Tree::array();
            for (const Value& item : value.list()) list.push_back(json_from(item));
            return list;
        }
        case Value::Kind::record: {
            Tree record = Tree::object();
            for (const auto& [name, item] : value.record()) record[name] = json_from(item);
            return record;
        }
    }
    return nullptr;
}

Value value_from_json(std::string_view text, int depth_max) {
    using Tree = nlohmann::ordered_json;
    if (json_depth(text) > static_cast<std::size_t>(depth_max)) {
        throw Failure("nested deeper than depth_max");
    }
    try {
        return value_from(Tree::parse(text));
    } catch (const Tree::exception& error) {
        throw Failure(error.what());
    }
}

std::string to_json(const Value& value) {
    return json_from(value).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace gyre::effect
