// SPDX-License-Identifier: Apache-2.0
#include "gyre/bridge/effect_json/handler_script.hpp"
#include "gyre/base/failure.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

namespace gyre::effect {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
    throw Failure(where + ": " + what);
}

Value bytes_of(const std::string& digits, const std::string& where) {
    Value::Blob bytes;
    if (digits.size() % 2 != 0) refuse(where, "$bytes has an odd number of digits");
    for (std::size_t at = 0; at < digits.size(); at += 2) {
        unsigned byte = 0;
        const char* const begin = digits.data() + at;
        const auto [end, error] = std::from_chars(begin, begin + 2, byte, 16);
        if (error != std::errc() || end != begin + 2) refuse(where, "$bytes is not hexadecimal");
        bytes.push_back(static_cast<std::byte>(byte));
    }
    return Value(std::move(bytes));
}

Value value_of(const Json& json, const std::string& where) {
    if (json.is_null()) return {};
    if (json.is_boolean()) return json.get<bool>();
    if (json.is_number_unsigned() &&
        json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
        refuse(where, "a number beyond 64 bits with a sign");
    }
    if (json.is_number_integer()) return json.get<std::int64_t>();
    if (json.is_number()) return json.get<double>();
    if (json.is_string()) return Value(json.get<std::string>());
    if (json.is_array()) {
        Value::List list;
        for (const Json& item : json) list.push_back(value_of(item, where));
        return Value(std::move(list));
    }
    if (json.size() == 1 && json.contains("$bytes") && json["$bytes"].is_string()) {
        return bytes_of(json["$bytes"].get<std::string>(), where);
    }
    Value::Record record;
    for (const auto& [name, item] : json.items()) record.emplace_back(name, value_of(item, where));
    return Value(std::move(record));
}

struct ScriptedAnswer {
    std::optional<AnswerKind> kind;  // none: it fails
    Value value;
    std::string failure;
    Duration after{0};
    std::optional<Arguments> arguments;
};

void expect_keys(const Json& json, const std::set<std::string>& known, const std::string& where) {
    if (!json.is_object()) refuse(where, "an object is wanted");
    for (const auto& [key, item] : json.items()) {
        if (!known.contains(key)) refuse(where, "unknown key '" + key + "'");
    }
}

ScriptedAnswer answer_of(const Json& json, const std::string& where) {
    expect_keys(json, {"resume", "tail", "end", "fail", "after_ms", "arguments"}, where);
    ScriptedAnswer answer;
    int count = 0;
    for (const auto& [key, kind] : {std::pair("resume", AnswerKind::resume),
                                    {"tail", AnswerKind::tail},
                                    {"end", AnswerKind::end}}) {
        if (!json.contains(key)) continue;
        answer.kind = kind;
        answer.value = value_of(json[key], where);
        ++count;
    }
    if (json.contains("fail")) {
        if (!json["fail"].is_string()) refuse(where, "fail is a message");
        answer.failure = json["fail"].get<std::string>();
        ++count;
    }
    if (count != 1) refuse(where, "an answer has one of resume, tail, end and fail");
    if (json.contains("after_ms")) {
        constexpr std::uint64_t longest = 1'000'000'000'000;  // thirty years
        const Json& after = json["after_ms"];
        if (!after.is_number_unsigned() || after.get<std::uint64_t>() > longest) {
            refuse(where, "after_ms is a whole number of milliseconds");
        }
        answer.after = std::chrono::milliseconds(after.get<std::uint64_t>());
    }
    if (json.contains("arguments")) {
        if (!json["arguments"].is_array()) refuse(where, "arguments is a list");
        answer.arguments.emplace();
        for (const Json& item : json["arguments"]) {
            answer.arguments->push_back(value_of(item, where));
        }
    }
    return answer;
}

enum class Then : std::uint8_t { fail, last, first };

// Each run has its own position in the list.
class ScriptHandler final : public Handler {
public:
    ScriptHandler(std::string name, std::vector<ScriptedAnswer> answers, Then then)
        : Handler(Style::plain),
          name_(std::move(name)),
          answers_(std::move(answers)),
          then_(then) {}

    Answer call(Context& context, Arguments& arguments) override {
        const ScriptedAnswer& answer = next_for(context);
        if (answer.arguments && *answer.arguments != arguments) {
            throw Failure(name_ + " was asked " + arguments.to_text() +
                          ", where the script wants " + answer.arguments->to_text());
        }
        if (!answer.kind) throw Failure(answer.failure);
        return Answer(*answer.kind, answer.value).after(answer.after);
    }

private:
    const ScriptedAnswer& next_for(Context& context) {
        const auto [place, is_new] = places_.try_emplace(context.run_id(), 0);
        std::size_t& at = place->second;
        if (is_new) context.on_end([this, id = context.run_id()] { places_.erase(id); });
        if (at == answers_.size() && then_ == Then::first) at = 0;
        if (at == answers_.size() && then_ == Then::last) --at;
        if (at >= answers_.size()) {
            throw Failure(name_ + ": the script has no more answers");
        }
        return answers_[at++];
    }

    const std::string name_;
    const std::vector<ScriptedAnswer> answers_;
    const Then then_;
    std::map<RunId, std::size_t> places_;
};

std::uint32_t signature_of(const Json& json, const std::string& where) {
    std::uint64_t number = 0;
    if (json.is_number_unsigned()) {
        number = json.get<std::uint64_t>();
    } else {
        const std::string text = json.is_string() ? json.get<std::string>() : "";
        const char* const end = text.data() + text.size();
        const bool is_hex = text.starts_with("0x") && text.size() > 2;
        if (!is_hex || std::from_chars(text.data() + 2, end, number, 16).ptr != end) {
            refuse(where, "signature is a number, or text like 0x00ff12ab");
        }
    }
    if (number > UINT32_MAX) refuse(where, "signature has at most 32 bits");
    return static_cast<std::uint32_t>(number);
}

struct Scripted {
    std::string effect;
    std::string op;
    std::uint32_t signature = any_signature;
    std::unique_ptr<Handler> handler;
};

// What happens when the answers are used up; without the key, the call fails.
Then then_of(const Json& json, const std::string& where) {
    if (!json.contains("then") || json["then"] == "fail") return Then::fail;
    if (json["then"] == "last") return Then::last;
    if (json["then"] == "first") return Then::first;
    refuse(where, "then is \"fail\", \"last\" or \"first\"");
}

Scripted handler_of(const Json& json, const std::string& where) {
    expect_keys(json, {"effect", "op", "signature", "answers", "then"}, where);
    for (const char* key : {"effect", "op"}) {
        if (!json.contains(key) || !json[key].is_string()) {
            refuse(where, std::string(key) + " is text");
        }
    }
    Scripted scripted{.effect = json["effect"].get<std::string>(),
                      .op = json["op"].get<std::string>(),
                      .handler = nullptr};
    if (json.contains("signature")) scripted.signature = signature_of(json["signature"], where);
    if (!json.contains("answers") || !json["answers"].is_array() || json["answers"].empty()) {
        refuse(where, "answers is a list of at least one");
    }
    std::vector<ScriptedAnswer> answers;
    for (const Json& answer : json["answers"]) {
        answers.push_back(
            answer_of(answer, where + ".answers[" + std::to_string(answers.size()) + "]"));
    }
    scripted.handler = std::make_unique<ScriptHandler>(scripted.effect + "::" + scripted.op,
                                                       std::move(answers), then_of(json, where));
    return scripted;
}

std::vector<Scripted> handlers_of(std::string_view text, const HandlerScriptOptions& options) {
    if (text.size() > options.size_max_bytes) refuse("the script", "longer than size_max_bytes");
    const auto check_depth = [&options](int depth, auto /*event*/, const Json& /*parsed*/) {
        if (depth > options.depth_max) refuse("the script", "nested deeper than depth_max");
        return true;
    };
    const Json json = Json::parse(text, check_depth);
    expect_keys(json, {"handlers"}, "the script");
    if (!json.contains("handlers") || !json["handlers"].is_array()) {
        refuse("the script", "handlers is a list");
    }
    std::vector<Scripted> all;
    for (const Json& one : json["handlers"]) {
        all.push_back(handler_of(
            one, std::string("handlers[").append(std::to_string(all.size())).append("]")));
    }
    return all;
}

}  // namespace

std::expected<void, HandlerScriptError> add_handler_script(Handlers& handlers,
                                                           std::string_view text,
                                                           HandlerScriptOptions options) {
    try {
        std::vector<Scripted> all = handlers_of(text, options);
        std::set<std::tuple<std::string, std::string, std::uint32_t>> names;
        for (const Scripted& one : all) {
            const OpInfo op(one.effect, one.op, ResumeKind::resume, one.signature);
            if (handlers.has(op) || !names.emplace(one.effect, one.op, one.signature).second) {
                refuse(op.name(), "has a handler for this signature already");
            }
        }
        for (Scripted& one : all) {
            handlers.add(OpInfo(one.effect, one.op, ResumeKind::resume, one.signature),
                         std::move(one.handler));
        }
    } catch (const std::exception& error) {
        return std::unexpected(HandlerScriptError{error.what()});
    }
    return {};
}

}  // namespace gyre::effect
