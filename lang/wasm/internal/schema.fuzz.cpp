// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the input is a schema as JSON, a byte 0, and a value as MessagePack. Any text is a schema or a CompileError,
// any value fits it or is refused with a message, and a value that fits is the same after it was written and checked again.
#include "lang/wasm/internal/schema.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "gyre/base/assert.hpp"
#include "gyre/base/failure.hpp"
#include "lang/wasm/engine.hpp"

using namespace gyre::wasm;
using gyre::effect::Value;

namespace {

std::unique_ptr<Schema> read_schema(std::string_view text) {
    try {
        return Schema::read(nlohmann::json::parse(text, nullptr, false));
    } catch (const CompileError& error) {
        GYRE_ASSERT(error.what()[0] != '\0', "an error without a message");
    }
    return nullptr;
}

// The bytes of a value that fits; empty: it does not.
std::string write(const Schema& schema, const Value& value) {
    std::string out;
    gyre::effect::MessagePackWriter writer(out);
    try {
        schema.write(writer, value, "it");
    } catch (const gyre::Failure& failure) {
        GYRE_ASSERT(failure.what()[0] != '\0', "an error without a message");
        out.clear();
    }
    return out;
}

void check(const Schema& schema, const Value& given) {
    Value value;
    try {
        value = schema.check(given, "it");
    } catch (const gyre::Failure& failure) {
        GYRE_ASSERT(failure.what()[0] != '\0', "an error without a message");
        static_cast<void>(write(schema, given));
        return;
    }
    const std::string bytes = write(schema, value);
    if (bytes.empty()) return;
    const auto decoded = gyre::effect::decode_msgpack(bytes);
    GYRE_ASSERT(decoded.has_value(), "a written value cannot be decoded");
    const std::string again = write(schema, schema.check(*decoded, "it"));
    GYRE_ASSERT(again == bytes, "a value has changed on its way");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t mark = std::min(input.find('\0'), size);
    const auto schema = read_schema(input.substr(0, mark));
    if (schema == nullptr) return 0;
    GYRE_ASSERT(!schema->to_text().empty(), "a type without a name");
    const auto value = gyre::effect::decode_msgpack(input.substr(std::min(mark + 1, size)),
                                                    {.size_max_bytes = 4'096, .depth_max = 140});
    if (value) check(*schema, *value);
    return 0;
}
