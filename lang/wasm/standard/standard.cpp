// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/standard/standard.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "gyre/base/failure.hpp"
#include "lang/wasm/standard/internal/files.hpp"
#include "lang/wasm/standard/internal/requests.hpp"

namespace gyre::wasm {

using effect::Answer;
using effect::Arguments;
using effect::Context;
using effect::tail;
using effect::Value;

namespace {

constexpr std::int64_t random_bytes_max = 1'000'000;
constexpr std::string_view files_effect = "voyd.std.fs";

Value fine() {
    return record({{"ok", true}, {"code", 0}, {"message", ""}});
}

const std::string& text_field(const Value& value, const char* name) {
    const Value* found = value.field(name);
    if (found == nullptr || !found->is(Value::Kind::text)) {
        throw Failure(std::string("the field ") + name + " is no text");
    }
    return found->text();
}

std::int64_t milliseconds(Instant instant) noexcept {
    return static_cast<std::int64_t>(instant.nanoseconds() / 1'000'000);
}

}  // namespace

struct Standard::Op {
    std::string_view effect;
    std::string_view op;
    Answer (Standard::*answer)(Context&, const Arguments&);
    bool needs_permission = false;
};

const Standard::Op Standard::ops[] = {
    {"voyd.std.time", "monotonic_now_millis", &Standard::monotonic_now},
    {"voyd.std.time", "system_now_millis", &Standard::system_now},
    {"voyd.std.time", "sleep_millis", &Standard::sleep},
    {"voyd.std.env", "get", &Standard::get_variable, true},
    {"voyd.std.log", "emit", &Standard::emit_log},
    {"voyd.std.random", "next_i64", &Standard::next_random},
    {"voyd.std.random", "next_u64", &Standard::next_random},
    {"voyd.std.random", "fill_bytes", &Standard::fill_random},
    {"voyd.std.output", "write_op", &Standard::write_text},
    {"voyd.std.output", "write_bytes_op", &Standard::write_bytes},
    {"voyd.std.output", "flush_op", &Standard::flush},
    {"voyd.std.output", "is_tty_op", &Standard::is_terminal},
};

Standard::Standard(StandardOptions options) : options_(std::move(options)), random_(options_.seed) {
    constexpr std::string_view prefix = "fs=";
    std::vector<std::string> folders;
    for (const std::string& one : options_.allowed) {
        if (one.starts_with(prefix)) folders.push_back(one.substr(prefix.size()));
    }
    files_ = std::make_unique<Files>(std::move(folders));
}
Standard::~Standard() = default;

const Standard::Op* Standard::find(const effect::OpInfo& op) noexcept {
    for (const Op& one : ops) {
        if (one.effect == op.effect && one.op == op.op) return &one;
    }
    return nullptr;
}
bool Standard::has(const effect::OpInfo& op) noexcept {
    return find(op) != nullptr || (op.effect == files_effect && Files::find(op.op) != nullptr);
}
bool Standard::needs_permission(const effect::OpInfo& op) noexcept {
    const Op* found = find(op);
    return found != nullptr ? found->needs_permission : op.effect == files_effect;
}

void Standard::add_to(effect::Handlers& handlers, const Program& program) {
    for (const effect::OpInfo& op : program.ops()) {
        if (!has(op) || handlers.find(op) != nullptr) continue;
        const Op* found = find(op);
        if (found == nullptr) {
            const Files::Op file_op = Files::find(op.op);
            handlers.on(op.effect, op.op, op.signature,
                        [files = files_.get(), file_op](Context&, Arguments arguments) {
                            return (files->*file_op)(std::move(arguments));
                        });
            continue;
        }
        handlers.on(op.effect, op.op, op.signature,
                    [this, found](Context& context, const Arguments& arguments) {
                        return (this->*found->answer)(context, arguments);
                    });
    }
}

Instant Standard::now(const Context& context) const {
    return options_.read_time ? options_.read_time() : context.now();
}

bool Standard::is_allowed(std::string_view kind, std::string_view name) const {
    return std::ranges::any_of(options_.allowed, [&](std::string_view one) {
        return one.starts_with(kind) && one.substr(kind.size()) == name;
    });
}

void Standard::write(std::string_view target, std::string_view bytes) const {
    if (target != "stdout" && target != "stderr") throw Failure("output goes to stdout or stderr");
    if (options_.write) {
        options_.write(target, bytes);
        return;
    }
    std::FILE* file = target == "stdout" ? stdout : stderr;
    if (std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) {
        throw Failure("the output cannot be written");
    }
}

Answer Standard::monotonic_now(Context& context, const Arguments& /*arguments*/) {
    return tail(milliseconds(now(context)));
}
Answer Standard::system_now(Context& context, const Arguments& /*arguments*/) {
    return tail(options_.system_start_ms + milliseconds(now(context)));
}
// A negative time is no time; a long one saturates.
Answer Standard::sleep(Context& /*context*/, const Arguments& arguments) {
    constexpr std::int64_t longest = 1'000'000'000'000;
    const std::int64_t given = argument(arguments, Value::Kind::integer).integer();
    const auto time = std::chrono::milliseconds(std::clamp<std::int64_t>(given, 0, longest));
    return tail(fine()).after(time);
}

Answer Standard::get_variable(Context& /*context*/, const Arguments& arguments) {
    const std::string& name = argument(arguments, Value::Kind::text).text();
    if (!is_allowed("env=", name)) {
        throw Failure("the environment variable " + name +
                      " is not permitted: --allow env=" + name);
    }
    const char* found = std::getenv(name.c_str());
    return tail(record({{"found", found != nullptr}, {"value", found == nullptr ? "" : found}}));
}

Answer Standard::emit_log(Context& /*context*/, const Arguments& arguments) {
    const Value& event = argument(arguments, Value::Kind::record);
    std::string line = "[" + text_field(event, "level") + "] " + text_field(event, "message");
    const Value* fields = event.field("fields");
    if (fields != nullptr && fields->is(Value::Kind::list)) {
        for (const Value& field : fields->list()) {
            const Value* value = field.is(Value::Kind::record) ? field.field("value") : nullptr;
            const Value* inner = value != nullptr && value->is(Value::Kind::record)
                                     ? value->field("value")
                                     : nullptr;
            if (inner == nullptr) continue;
            line += " " + text_field(field, "key") + "=" + inner->to_text();
        }
    }
    write("stderr", line + "\n");
    return tail();
}

Answer Standard::next_random(Context& /*context*/, const Arguments& /*arguments*/) {
    return tail(static_cast<std::int64_t>(random_.next()));
}
Answer Standard::fill_random(Context& /*context*/, const Arguments& arguments) {
    const std::int64_t size = argument(arguments, Value::Kind::integer).integer();
    if (size < 0 || size > random_bytes_max) throw Failure("more than 1000000 random bytes");
    Value::Blob bytes(static_cast<std::size_t>(size));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random_.next() >> 56u);
    return tail(Value(std::move(bytes)));
}

Answer Standard::write_text(Context& /*context*/, const Arguments& arguments) {
    const Value& request = argument(arguments, Value::Kind::record);
    write(text_field(request, "target"), text_field(request, "value"));
    return tail(fine());
}
Answer Standard::write_bytes(Context& /*context*/, const Arguments& arguments) {
    const Value& request = argument(arguments, Value::Kind::record);
    const Value* bytes = request.field("bytes");
    if (bytes == nullptr || !bytes->is(Value::Kind::bytes)) throw Failure("bytes is no bytes");
    write(text_field(request, "target"),
          {reinterpret_cast<const char*>(bytes->bytes().data()), bytes->bytes().size()});
    return tail(fine());
}
Answer Standard::flush(Context& /*context*/, const Arguments& arguments) {
    const Value& request = argument(arguments, Value::Kind::record);
    if (!options_.write) std::fflush(text_field(request, "target") == "stdout" ? stdout : stderr);
    return tail(fine());
}
Answer Standard::is_terminal(Context& /*context*/, const Arguments& /*arguments*/) {
    return tail(false);  // a module gets no terminal
}

}  // namespace gyre::wasm
