// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/internal/frames.hpp"

#include <cmath>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/effect/run_outcome.hpp"
#include "lang/wasm/internal/effect_table.hpp"
#include "lang/wasm/internal/schema.hpp"

namespace gyre::wasm {
namespace {

using effect::Arguments;
using effect::ErrorKind;
using effect::MessagePackLimits;
using effect::MessagePackReader;
using effect::MessagePackWriter;
using effect::ProtocolError;
using effect::Value;

[[noreturn]] void refuse_decoding(const std::string& what) {
    throw ProtocolError(ErrorKind::decode_failed, what);
}
void check(const MessagePackReader& reader, const char* frame) {
    if (!reader.has_failed()) return;
    refuse_decoding(std::string(frame) + ": " + reader.error().message + " at byte " +
                    std::to_string(reader.error().offset));
}

[[noreturn]] void refuse_request() {
    throw ProtocolError(ErrorKind::op_mismatch,
                        "effect request frame does not match the effect table");
}

// A payload: a fingerprint and a value. `schema` may be null: then anything fits.
void write_payload(MessagePackWriter& out, std::string_view fingerprint, const Schema* schema,
                   const Value& value, const std::string& path) {
    out.list(2);
    out.text(fingerprint);
    if (schema == nullptr) {
        out.value(value);
        return;
    }
    try {
        schema->write(out, value, path);
    } catch (const Failure& failure) {
        throw ProtocolError(ErrorKind::encode_failed, failure.what());
    }
}

Value read_payload(MessagePackReader& reader, const Schema* schema, const std::string& path,
                   const char* frame) {
    if (reader.list() != 2) reader.fail("a payload that is not a pair");
    const std::string_view fingerprint = reader.text();
    Value value = reader.value();
    check(reader, frame);
    if (schema == nullptr) return value;
    if (!schema->fingerprint().empty() && schema->fingerprint() != fingerprint) {
        refuse_decoding(path + " fingerprint mismatch");
    }
    try {
        return schema->check(std::move(value), path);
    } catch (const Failure& failure) {
        refuse_decoding(failure.what());
    }
}

// Checks the head of a frame, which ends with its fields.
void read_head(MessagePackReader& reader, std::size_t size, FrameTag tag) {
    if (reader.list() != size) reader.fail("a frame of another length");
    if (reader.integer() != frame_version) reader.fail("a frame of another version");
    if (reader.integer() != static_cast<std::int64_t>(tag)) reader.fail("a frame of another kind");
}

Value read_outcome(MessagePackReader& reader, const Schema* schema, const std::string& path) {
    if (reader.list() != 2) reader.fail("an outcome that is not a pair");
    const std::int64_t kind = reader.integer();
    if (!reader.has_failed() && kind != 0 && kind != 1) reader.fail("an outcome of another kind");
    check(reader, "completion frame");
    if (kind == 0) return read_payload(reader, schema, path, "completion frame");
    const Value failure = reader.value();
    check(reader, "completion frame");
    const bool is_whole = failure.is(Value::Kind::list) && failure.list().size() == 8 &&
                          failure.list()[6].is(Value::Kind::text);
    if (!is_whole) refuse_decoding("completion frame: a failure that is not whole");
    throw ProtocolError(ErrorKind::guest_failed, "the module failed: " + failure.list()[6].text());
}

void write_head(MessagePackWriter& out, std::size_t size, FrameTag tag) {
    out.list(size);
    out.integer(frame_version);
    out.integer(static_cast<int>(tag));
}

}  // namespace

void write_invocation(std::string& out, const ExportedFunction& function,
                      const Arguments& arguments) {
    if (function.has_types && function.params.size() != arguments.size()) {
        throw ProtocolError(ErrorKind::decode_failed,
                            "typed export " + function.name + " expected " +
                                std::to_string(function.params.size()) + " args, got " +
                                std::to_string(arguments.size()));
    }
    MessagePackWriter writer(out);
    write_head(writer, 4, FrameTag::export_invocation);
    writer.unsigned_integer(function.id);
    writer.list(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Schema* schema = function.has_types ? function.params[i].get() : nullptr;
        const std::string place = "arg" + std::to_string(i);
        const std::string fingerprint = schema != nullptr
                                            ? schema->fingerprint()
                                            : "export:" + std::to_string(function.id) + ":" + place;
        write_payload(writer, fingerprint, schema, arguments[i],
                      "typed export " + function.name + " " + place);
    }
}

void write_outcome(std::string& out, std::size_t request, std::string_view fingerprint,
                   const Schema* schema, const Value& value, const std::string& path) {
    MessagePackWriter writer(out);
    write_head(writer, 4, FrameTag::effect_outcome);
    writer.unsigned_integer(request);
    writer.list(2);
    writer.integer(0);
    write_payload(writer, fingerprint, schema, value, path);
}

EffectRequest read_request(const Program& program, std::string_view frame,
                           MessagePackLimits limits) {
    MessagePackReader reader(frame, limits);
    read_head(reader, 9, FrameTag::effect_request);
    EffectRequest request;
    request.op_index = static_cast<std::size_t>(reader.integer());
    const std::string_view effect_id = reader.text();
    const auto op_id = static_cast<std::uint32_t>(reader.integer());
    const auto signature = static_cast<std::uint32_t>(reader.integer());  // arrives signed
    const std::int64_t kind = reader.integer();
    check(reader, "effect request frame");
    if (request.op_index >= program.ops().size()) refuse_request();
    const EffectOp& entry = program.entry(request.op_index);
    const bool is_same = entry.effect == effect_id && entry.op_id == op_id &&
                         entry.signature == signature &&
                         kind == (entry.kind == effect::ResumeKind::tail ? 1 : 0);
    if (!is_same) refuse_request();
    const OpTypes& types = program.types(request.op_index);
    const std::size_t count = reader.list();
    if (types.is_known && types.params.size() != count) reader.fail("another number of arguments");
    for (std::size_t i = 0; i < count && !reader.has_failed(); ++i) {
        const Schema* schema = types.is_known ? types.params[i].get() : nullptr;
        request.arguments.push_back(
            read_payload(reader, schema, entry.label, "effect request frame"));
    }
    request.result_fingerprint = reader.text();
    if (!reader.has_failed() && !reader.is_at_end()) reader.fail("bytes after the frame");
    check(reader, "effect request frame");
    if (types.result != nullptr && types.result->fingerprint() != request.result_fingerprint) {
        refuse_decoding(entry.label + " result fingerprint mismatch");
    }
    return request;
}

Value read_completion(std::string_view frame, FrameTag tag, std::uint32_t id, const Schema* schema,
                      const std::string& path, MessagePackLimits limits) {
    MessagePackReader reader(frame, limits);
    read_head(reader, 4, tag);
    if (static_cast<std::uint32_t>(reader.integer()) != id) reader.fail("of another function");
    check(reader, "completion frame");
    Value value = read_outcome(reader, schema, path);
    if (!reader.is_at_end()) reader.fail("bytes after the frame");
    check(reader, "completion frame");
    return value;
}

EffectRequest read_bare_request(const Program& program, std::string_view payload,
                                MessagePackLimits limits) {
    auto decoded = effect::decode_msgpack(payload, limits);
    if (!decoded) refuse_decoding("effect request: " + decoded.error().message);
    const auto field = [&](const char* name) -> const Value& {
        const Value* found = decoded->is(Value::Kind::record) ? decoded->field(name) : nullptr;
        if (found == nullptr) refuse_decoding("effect request: it has no " + std::string(name));
        return *found;
    };
    const auto number = [&](const char* name) {
        const Value& found = field(name);
        if (!found.is(Value::Kind::integer)) {
            refuse_decoding("effect request: " + std::string(name) + " is no integer");
        }
        return found.integer();
    };
    const std::size_t count = program.ops().size();
    const auto handle = static_cast<std::size_t>(number("handle"));
    EffectRequest request;
    const auto op_index = static_cast<std::size_t>(number("opIndex"));
    request.op_index = handle < count ? handle : op_index;
    if (request.op_index >= count) refuse_request();
    const EffectOp& entry = program.entry(request.op_index);
    const bool is_same = static_cast<std::uint64_t>(number("effectId")) == entry.effect_hash &&
                         op_index == request.op_index && number("opId") == entry.op_id &&
                         number("resumeKind") == (entry.kind == effect::ResumeKind::tail ? 1 : 0);
    if (!is_same) refuse_request();
    const Value& arguments = field("args");
    if (!arguments.is(Value::Kind::list)) refuse_decoding("effect request: args is no list");
    for (const Value& argument : arguments.list()) request.arguments.push_back(argument);
    return request;
}

// A real without a fraction is an integer on the wire, as the reference host writes numbers.
void write_bare_value(std::string& out, const Value& value) {
    MessagePackWriter writer(out);
    const bool is_whole = value.is(Value::Kind::real) && std::abs(value.real()) < 9.0e15 &&
                          value.real() == std::trunc(value.real()) && !std::signbit(value.real());
    if (is_whole) {
        writer.integer(static_cast<std::int64_t>(value.real()));
    } else {
        writer.value(value);
    }
}

}  // namespace gyre::wasm
