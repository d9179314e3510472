// SPDX-License-Identifier: Apache-2.0
#include "gyre/bridge/effect_json/handler_script.hpp"

#include <algorithm>
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

#include "gyre/base/detail/json_depth.hpp"
#include "gyre/base/failure.hpp"
#include "gyre/bridge/effect_json/internal/json_tree.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::effect {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
    throw Failure(where + ": " + what);
}

Value value_of(const Json& json, const std::string& where) {
    try {
        return value_from(json);
    } catch (const Failure& failure) {
        refuse(where, failure.what());
    }
}

struct ScriptedAnswer {
    enum class Instead : std::uint8_t { nothing, fail, never, cancel };
    std::optional<AnswerKind> kind;  // none: `instead` says what happens
    Instead instead = Instead::nothing;
    Value value;
    std::string text;  // of a failure or a cancellation
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
    expect_keys(
        json,
        {"resume", "tail", "end", "fail", "throw", "never", "cancel", "after_ms", "arguments"},
        where);
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
    using Instead = ScriptedAnswer::Instead;
    for (const auto& [key, instead] : {std::pair("fail", Instead::fail),
                                       {"throw", Instead::fail},
                                       {"cancel", Instead::cancel}}) {
        if (!json.contains(key)) continue;
        if (!json[key].is_string()) refuse(where, std::string(key) + " is a message");
        answer.text = json[key].get<std::string>();
        answer.instead = instead;
        ++count;
    }
    if (json.contains("never")) {
        if (json["never"] != true) refuse(where, "never is true");
        answer.instead = Instead::never;
        ++count;
    }
    if (count != 1) {
        refuse(where, "an answer has one of resume, tail, end, fail, throw, never and cancel");
    }
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

bool answers_at_once(const ScriptedAnswer& answer) noexcept {
    return answer.kind.has_value() ||
           (answer.instead != ScriptedAnswer::Instead::never && answer.after == Duration(0));
}

// The answers of one op, and what follows the last one.
struct AnswerList {
    std::string name;
    std::vector<ScriptedAnswer> answers;
    Then then = Then::fail;

    // Advances the position. Throws a Failure.
    [[nodiscard]] const ScriptedAnswer& next(std::size_t& at, const Arguments& arguments) const {
        if (at == answers.size() && then == Then::first) at = 0;
        if (at == answers.size() && then == Then::last) --at;
        if (at >= answers.size()) throw Failure(name + ": the script has no more answers");
        const ScriptedAnswer& answer = answers[at++];
        if (answer.arguments && *answer.arguments != arguments) {
            throw Failure(name + " was asked " + arguments.to_text() + ", where the script wants " +
                          answer.arguments->to_text());
        }
        return answer;
    }
};

// Each run has its own position in the list. Only a script that fails late, or never answers, holds replies.
class ScriptHandler final : public Handler {
public:
    explicit ScriptHandler(AnswerList list)
        : Handler(std::ranges::all_of(list.answers, answers_at_once) ? Style::plain : Style::reply),
          list_(std::move(list)) {}

    Answer call(Context& context, Arguments& arguments) override {
        const ScriptedAnswer& answer = next_for(context, arguments);
        if (answer.kind) return Answer(*answer.kind, answer.value).after(answer.after);
        if (answer.instead == ScriptedAnswer::Instead::fail) throw Failure(answer.text);
        context.cancel_run(answer.text);
        return resume();  // dropped: the run is over
    }

    void take(Context& context, Arguments& arguments, Reply reply) override {
        const ScriptedAnswer& answer = next_for(context, arguments);
        if (answer.kind) {
            reply.answer(Answer(*answer.kind, answer.value).after(answer.after));
        } else if (answer.instead == ScriptedAnswer::Instead::never) {
            // The run waits for it until something else ends it.
            context.on_end([kept = std::move(reply)] {});
        } else if (answer.after > Duration(0)) {
            context.executor().root().spawn(&end_later, answer, context, std::move(reply));
        } else if (answer.instead == ScriptedAnswer::Instead::fail) {
            throw Failure(answer.text);
        } else {
            context.cancel_run(answer.text);
        }
    }

private:
    static Future<void> end_later(ScriptedAnswer answer, Context context, Reply reply) {
        const CancelToken token = context.token();
        co_await sleep(answer.after);
        if (token.is_over()) co_return;
        if (answer.instead == ScriptedAnswer::Instead::cancel) {
            context.cancel_run(answer.text);
        } else {
            reply.fail(std::make_exception_ptr(Failure(answer.text)));
        }
    }
    const ScriptedAnswer& next_for(Context& context, const Arguments& arguments) {
        const auto [place, is_new] = places_.try_emplace(context.run_id(), 0);
        if (is_new) context.on_end([this, id = context.run_id()] { places_.erase(id); });
        return list_.next(place->second, arguments);
    }

    const AnswerList list_;
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
    AnswerList list = {};
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
                      .op = json["op"].get<std::string>()};
    if (json.contains("signature")) scripted.signature = signature_of(json["signature"], where);
    if (!json.contains("answers") || !json["answers"].is_array() || json["answers"].empty()) {
        refuse(where, "answers is a list of at least one");
    }
    AnswerList& list = scripted.list;
    for (const Json& answer : json["answers"]) {
        list.answers.push_back(
            answer_of(answer, where + ".answers[" + std::to_string(list.answers.size()) + "]"));
    }
    list.name = scripted.effect + "::" + scripted.op;
    list.then = then_of(json, where);
    return scripted;
}

std::vector<Scripted> handlers_of(std::string_view text, const HandlerScriptOptions& options) {
    if (text.size() > options.size_max_bytes) refuse("the script", "longer than size_max_bytes");
    if (json_depth(text) > static_cast<std::size_t>(options.depth_max)) {
        refuse("the script", "nested deeper than depth_max");
    }
    const Json json = Json::parse(text);
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
                         std::make_unique<ScriptHandler>(std::move(one.list)));
        }
    } catch (const std::exception& error) {
        return std::unexpected(HandlerScriptError{error.what()});
    }
    return {};
}

std::expected<ScriptedFunction, HandlerScriptError> scripted_function(
    std::string_view text, std::string_view effect, std::string_view op,
    HandlerScriptOptions options) {
    try {
        for (Scripted& one : handlers_of(text, options)) {
            if (one.effect != effect || one.op != op) continue;
            return [list = std::move(one.list),
                    at = std::size_t{0}](const Arguments& arguments) mutable {
                const ScriptedAnswer& answer = list.next(at, arguments);
                if (answer.instead == ScriptedAnswer::Instead::fail) throw Failure(answer.text);
                const bool is_value = answer.kind && *answer.kind != AnswerKind::end;
                if (!is_value || answer.after > Duration(0)) {
                    throw Failure(list.name +
                                  " returns at once: its answers are resume, tail, fail or throw, "
                                  "without after_ms");
                }
                return answer.value;
            };
        }
    } catch (const std::exception& error) {
        return std::unexpected(HandlerScriptError{error.what()});
    }
    return ScriptedFunction();
}

}  // namespace gyre::effect
