// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/internal/frames.hpp"

#include <algorithm>
#include <array>
#include <optional>
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

// `what` is named where the fingerprint is another one, `path` where the value is of another type.
Value read_payload(MessagePackReader& reader, const Schema* schema, const std::string& what,
                   const std::string& path, const char* frame) {
    if (reader.list() != 2) reader.fail("a payload that is not a pair");
    const std::string_view fingerprint = reader.text();
    Value value = reader.value();
    check(reader, frame);
    if (schema == nullptr) return value;
    if (!schema->fingerprint().empty() && schema->fingerprint() != fingerprint) {
        refuse_decoding(what + " fingerprint mismatch");
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
    if (kind == 0) {
        const std::string typed = schema == nullptr ? "" : "typed export " + path + " result";
        return read_payload(reader, schema, path + " result", typed, "completion frame");
    }
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

void write_callback_invocation(std::string& out, std::uint32_t invocation, const CallbackType& type,
                               const Arguments& arguments) {
    const std::string path = "retained callback " + type.name;
    if (type.params.size() != arguments.size()) {
        throw ProtocolError(ErrorKind::decode_failed,
                            path + " expected " + std::to_string(type.params.size()) +
                                " args, got " + std::to_string(arguments.size()));
    }
    constexpr int callback_id = 0;
    MessagePackWriter writer(out);
    write_head(writer, 5, FrameTag::callback_invocation);
    writer.unsigned_integer(invocation);
    writer.integer(callback_id);
    writer.list(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Schema* schema = type.params[i].get();
        write_payload(writer, schema->fingerprint(), schema, arguments[i],
                      path + " arg" + std::to_string(i));
    }
}

Arguments read_external_invocation(std::string_view frame, const ExternalFunction& function,
                                   MessagePackLimits limits) {
    constexpr const char* what = "external invocation frame";
    MessagePackReader reader(frame, limits);
    read_head(reader, 5, FrameTag::external_invocation);
    const std::string_view interface_id = reader.text();
    const std::string_view name = reader.text();
    const std::size_t count = reader.list();
    check(reader, what);
    if (interface_id != function.interface_id || name != function.name) {
        refuse_decoding("external function " + function.key() +
                        " received an incompatible host frame");
    }
    if (count != function.params.size()) {
        refuse_decoding("external function " + function.key() +
                        " argument count does not match the contract");
    }
    Arguments arguments;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string path = "external function " + function.key() + " arg" + std::to_string(i);
        arguments.push_back(read_payload(reader, function.params[i].get(), path, path, what));
    }
    if (!reader.is_at_end()) reader.fail("bytes after the frame");
    check(reader, what);
    return arguments;
}

void write_external_completion(std::string& out, const ExternalFunction& function,
                               const Value& value) {
    MessagePackWriter writer(out);
    write_head(writer, 5, FrameTag::external_completion);
    writer.text(function.interface_id);
    writer.text(function.name);
    writer.list(2);
    writer.integer(0);
    write_payload(writer, function.result->fingerprint(), function.result.get(), value,
                  "external function " + function.key() + " result");
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
    check(reader, "effect request frame");
    if (types.is_known && types.params.size() != count) {
        refuse_decoding("effect " + entry.label + " expected " +
                        std::to_string(types.params.size()) + " arguments, got " +
                        std::to_string(count));
    }
    std::string later_path;  // most requests have one argument
    for (std::size_t i = 0; i < count && !reader.has_failed(); ++i) {
        const Schema* schema = types.is_known ? types.params[i].get() : nullptr;
        if (i > 0) later_path = "typed export effect " + entry.label + " arg" + std::to_string(i);
        request.arguments.push_back(read_payload(reader, schema, entry.label,
                                                 i == 0 ? entry.answer_path : later_path,
                                                 "effect request frame"));
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

// A map with these keys and `args`, in any order. Read item by item: a tree of values would take most of the host's
// share of a step.
EffectRequest read_bare_request(const Program& program, std::string_view payload,
                                MessagePackLimits limits) {
    enum Key : std::uint8_t { effect_id, op_id, op_index, resume_kind, handle };
    constexpr std::array<std::string_view, 5> keys = {"effectId", "opId", "opIndex", "resumeKind",
                                                      "handle"};
    std::array<std::optional<std::int64_t>, keys.size()> numbers;
    bool has_arguments = false;
    EffectRequest request;
    MessagePackReader reader(payload, limits);
    for (std::size_t left = reader.record(); left > 0 && !reader.has_failed(); --left) {
        const std::string_view name = reader.text();
        const auto key = static_cast<std::size_t>(std::ranges::find(keys, name) - keys.begin());
        if (key < keys.size() && !numbers[key]) {
            numbers[key] = reader.integer();
        } else if (name == "args" && !std::exchange(has_arguments, true)) {
            for (std::size_t count = reader.list(); count > 0 && !reader.has_failed(); --count) {
                request.arguments.push_back(reader.value());
            }
        } else {
            static_cast<void>(reader.value());
        }
    }
    if (!reader.has_failed() && !reader.is_at_end()) reader.fail("bytes after the request");
    check(reader, "effect request");
    for (std::size_t key = 0; key < keys.size(); ++key) {
        if (!numbers[key]) refuse_decoding("effect request: it has no " + std::string(keys[key]));
    }
    if (!has_arguments) refuse_decoding("effect request: it has no args");
    const std::size_t count = program.ops().size();
    const auto told = static_cast<std::size_t>(*numbers[op_index]);
    const auto by_handle = static_cast<std::size_t>(*numbers[handle]);
    request.op_index = by_handle < count ? by_handle : told;
    if (request.op_index >= count) refuse_request();
    const EffectOp& entry = program.entry(request.op_index);
    const bool is_same = static_cast<std::uint64_t>(*numbers[effect_id]) == entry.effect_hash &&
                         told == request.op_index && *numbers[op_id] == entry.op_id &&
                         *numbers[resume_kind] == (entry.kind == effect::ResumeKind::tail ? 1 : 0);
    if (!is_same) refuse_request();
    return request;
}

namespace {

void write_bare(MessagePackWriter& writer, const Value& value) {
    switch (value.kind()) {
        case Value::Kind::real:
            write_wire_real(writer, value.real());
            return;
        case Value::Kind::list:
            writer.list(value.list().size());
            for (const Value& item : value.list()) write_bare(writer, item);
            return;
        case Value::Kind::record:
            writer.record(value.record().size());
            for (const auto& [name, item] : value.record()) {
                writer.text(name);
                write_bare(writer, item);
            }
            return;
        default:
            writer.value(value);
    }
}

}  // namespace

void write_bare_value(std::string& out, const Value& value, bool is_wide) {
    MessagePackWriter writer(out);
    if (is_wide && value.is(Value::Kind::integer)) {
        writer.wide_integer(value.integer());
    } else {
        write_bare(writer, value);
    }
}

void write_bare_arguments(std::string& out, const Arguments& arguments) {
    MessagePackWriter writer(out);
    writer.list(arguments.size());
    for (const Value& one : arguments) write_bare(writer, one);
}

}  // namespace gyre::wasm
