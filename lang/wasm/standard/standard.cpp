// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/standard/standard.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "gyre/base/failure.hpp"
#include "lang/wasm/detail/records.hpp"
#include "lang/wasm/detail/standard_effects.hpp"
#include "lang/wasm/standard/internal/files.hpp"
#include "lang/wasm/standard/internal/first_generation.hpp"
#include "lang/wasm/standard/internal/input.hpp"

namespace gyre::wasm {

using effect::Answer;
using effect::Arguments;
using effect::Context;
using effect::tail;
using effect::Value;

namespace {

constexpr std::size_t variable_size_max_bytes = 65'536;
constexpr std::string_view files_effect = "voyd.std.fs";
constexpr std::string_view input_effect = "voyd.std.input";

Value fine() {
    return record({{"ok", true}, {"code", 0}, {"message", ""}});
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
    {"voyd.std.env", "set", &Standard::set_variable, true},
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
    input_ = std::make_unique<Input>(options_.read_input, [this](std::string_view prompt) {
        write("stdout", prompt);
        if (!options_.write) std::fflush(stdout);
    });
}
Standard::~Standard() = default;

const Standard::Op* Standard::find(const effect::OpInfo& op) noexcept {
    for (const Op& one : ops) {
        if (one.effect == standard_effect(op.effect) && one.op == op.op) return &one;
    }
    return nullptr;
}
bool Standard::has(const effect::OpInfo& op) noexcept {
    return find(op) != nullptr ||
           (standard_effect(op.effect) == files_effect && Files::find(op.op) != nullptr) ||
           (op.effect == input_effect && Input::find(op.op) != nullptr);
}
bool Standard::needs_permission(const effect::OpInfo& op) noexcept {
    const Op* found = find(op);
    return found != nullptr ? found->needs_permission : standard_effect(op.effect) == files_effect;
}

namespace {

// A file op of a module of the first generation.
Future<Answer> answer_first(Files* files, Files::Op file_op, effect::OpInfo op,
                            Arguments arguments) {
    Arguments translated = from_first_generation(op, std::move(arguments));
    Answer answer = co_await (files->*file_op)(std::move(translated));
    co_return to_first_generation(op, std::move(answer));
}

}  // namespace

void Standard::add_to(effect::Handlers& handlers, const Program& program) {
    const bool is_first = program.generation() == Generation::first;
    for (const effect::OpInfo& op : program.ops()) {
        if (!has(op) || handlers.find(op) != nullptr) continue;
        const Op* found = find(op);
        if (op.effect == input_effect) {
            handlers.on(op.effect, op.op, op.signature,
                        [input = input_.get(), input_op = Input::find(op.op)](Context&,
                                                                              Arguments arguments) {
                            return (input->*input_op)(std::move(arguments));
                        });
        } else if (found == nullptr) {
            handlers.on(op.effect, op.op, op.signature,
                        [files = files_.get(), file_op = Files::find(op.op), is_first, op](
                            Context&, Arguments arguments) {
                            if (is_first) {
                                return answer_first(files, file_op, op, std::move(arguments));
                            }
                            return (files->*file_op)(std::move(arguments));
                        });
        } else if (is_first) {
            handlers.on(
                op.effect, op.op, op.signature,
                [this, found, op](Context& context, const Arguments& arguments) {
                    return to_first_generation(
                        op, (this->*found->answer)(context, from_first_generation(op, arguments)));
                });
        } else {
            handlers.on(op.effect, op.op, op.signature,
                        [this, found](Context& context, const Arguments& arguments) {
                            return (this->*found->answer)(context, arguments);
                        });
        }
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
    if (options_.read_wall_clock) return tail(options_.read_wall_clock() / 1'000'000);
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
    if (const auto own = variables_.find(name); own != variables_.end()) {
        return tail(record({{"found", true}, {"value", own->second}}));
    }
    const char* found = std::getenv(name.c_str());
    return tail(record({{"found", found != nullptr}, {"value", found == nullptr ? "" : found}}));
}

// The process keeps its environment: other threads may read it, and no module changes what another
// program of this process sees.
Answer Standard::set_variable(Context& /*context*/, const Arguments& arguments) {
    const Value& request = argument(arguments, Value::Kind::record);
    const std::string& name = text_field(request, "key");
    const std::string& value = text_field(request, "value");
    const auto refuse = [](const std::string& message) {
        return tail(record({{"ok", false}, {"code", 1}, {"message", message}}));
    };
    if (!is_allowed("env=", name)) {
        return refuse("the environment variable " + name +
                      " is not permitted: --allow env=" + name);
    }
    if (value.size() > variable_size_max_bytes) {
        return refuse("a variable has more than variable_size_max_bytes (" +
                      std::to_string(variable_size_max_bytes) + ")");
    }
    variables_[name] = value;
    return tail(fine());
}

Answer Standard::emit_log(Context& /*context*/, const Arguments& arguments) {
    const Value& event = argument(arguments, Value::Kind::record);
    std::string line = "[" + text_field(event, "level") + "] " + text_field(event, "message");
    const Value* fields = event.field("fields");
    if (fields != nullptr && fields->is(Value::Kind::list)) {
        for (const Value& field : fields->list()) {
            const Value* value = field.is(Value::Kind::record) ? field.field("value") : nullptr;
            if (value == nullptr) continue;
            // A variant such as LogInt; in the first generation the value itself.
            const Value* inner = value->is(Value::Kind::record) ? value->field("value") : value;
            line += " " + text_field(field, "key") + "=" +
                    (inner != nullptr ? *inner : *value).to_text();
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
    if (size < 0) throw Failure("fill_bytes takes a length that is not negative");
    if (size > random_bytes_max) {
        throw Failure("fill_bytes of " + std::to_string(size) +
                      " bytes is beyond random_bytes_max (" + std::to_string(random_bytes_max) +
                      "): ask for fewer at a time");
    }
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
    write(text_field(request, "target"), bytes_field(request, "bytes"));
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
