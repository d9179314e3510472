// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/standard/internal/first_generation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lang/wasm/detail/records.hpp"
#include "lang/wasm/detail/standard_effects.hpp"

namespace gyre::wasm {

using effect::Answer;
using effect::Arguments;
using effect::OpInfo;
using effect::Value;

namespace {

// A number modulo 256; anything else is 0.
std::byte byte_of(const Value& value) noexcept {
    if (value.is(Value::Kind::integer)) {
        return static_cast<std::byte>(static_cast<std::uint64_t>(value.integer()) & 0xFFu);
    }
    if (!value.is(Value::Kind::real) || !std::isfinite(value.real())) return std::byte{0};
    const double rest = std::fmod(std::trunc(value.real()), 256.0);
    return static_cast<std::byte>(static_cast<int>(rest < 0 ? rest + 256 : rest));
}

Value numbers_of(const Value& bytes) {
    Value::List numbers;
    for (const std::byte byte : bytes.bytes()) numbers.emplace_back(std::to_integer<int>(byte));
    return Value(std::move(numbers));
}

// `{ok, value, error_code, error_message}` and `{ok, code, message}` of the second generation.
Value result_of(const Value& given) {
    const Value* ok = given.field("ok");
    const bool is_file = given.field("error_code") != nullptr;
    if (!ok->boolean()) {
        return record({{"ok", false},
                       {"code", *given.field(is_file ? "error_code" : "code")},
                       {"message", *given.field(is_file ? "error_message" : "message")}});
    }
    const Value* value = given.field("value");
    const bool is_unit =
        value == nullptr || (value->is(Value::Kind::record) && value->record().empty());
    if (is_unit) return record({{"ok", true}});
    return record(
        {{"ok", true}, {"value", value->is(Value::Kind::bytes) ? numbers_of(*value) : *value}});
}

Value translated(const OpInfo& op, const Value& given) {
    if (standard_effect(op.effect) == "voyd.std.env" && op.op == "get") {
        return given.field("found")->boolean() ? *given.field("value") : Value();
    }
    if (given.is(Value::Kind::bytes)) return numbers_of(given);
    const bool is_result = given.is(Value::Kind::record) && given.field("ok") != nullptr;
    return is_result ? result_of(given) : given;
}

}  // namespace

Arguments from_first_generation(const OpInfo& op, Arguments arguments) {
    if (arguments.size() != 1) return arguments;
    const Value& given = arguments[0];
    if (standard_effect(op.effect) == "voyd.std.random" && given.is(Value::Kind::integer)) {
        // A request for more gets fewer bytes, and the module asks again.
        return {std::clamp<std::int64_t>(given.integer(), 0, random_bytes_max)};
    }
    const Value* numbers = given.is(Value::Kind::record) ? given.field("bytes") : nullptr;
    if (numbers == nullptr || !numbers->is(Value::Kind::list)) return arguments;
    Value::Blob bytes;
    for (const Value& number : numbers->list()) bytes.push_back(byte_of(number));
    Value::Record made;
    for (const auto& [name, item] : given.record()) {
        made.emplace_back(name, name == "bytes" ? Value(std::move(bytes)) : item);
    }
    return {Value(std::move(made))};
}

Answer to_first_generation(const OpInfo& op, Answer answer) {
    const Duration delay = answer.delay();
    return Answer(answer.kind(), translated(op, answer.value())).after(delay);
}

}  // namespace gyre::wasm
