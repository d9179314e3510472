// SPDX-License-Identifier: Apache-2.0
// Handler: what answers the requests of one op, with its types forgotten. A plain one answers at
// once, an async one by a future, and one that is given a Reply whenever it likes. Made by
// Handlers::on; owned by its Handlers.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "gyre/effect/context.hpp"
#include "gyre/effect/effect_op.hpp"
#include "gyre/effect/run_outcome.hpp"
#include "gyre/task/future.hpp"

namespace gyre::effect {

class Handler {
public:
    enum class Style : std::uint8_t { plain, async, reply };

    explicit Handler(Style style) noexcept : style_(style) {}
    virtual ~Handler() = default;
    Handler(const Handler&) = delete;
    Handler& operator=(const Handler&) = delete;

    [[nodiscard]] Style style() const noexcept { return style_; }

    // The one that its style says. The arguments are good until it returns; they may be moved from.
    virtual Answer call(Context& /*context*/, Arguments& /*arguments*/) { return resume(); }
    virtual Future<Answer> begin(Context& /*context*/, Arguments& /*arguments*/) {
        co_return resume();
    }
    virtual void take(Context& /*context*/, Arguments& /*arguments*/, Reply /*reply*/) {}

private:
    const Style style_;
};

template <class T>
struct IsFuture : std::false_type {};
template <class T>
struct IsFuture<Future<T>> : std::true_type {};

[[noreturn, gnu::cold]] void throw_bad_argument(std::size_t at, const Value& value,
                                                std::string_view wanted);

template <class T>
[[nodiscard]] std::decay_t<T> argument_at(const Arguments& arguments, std::size_t at) {
    using Plain = std::decay_t<T>;
    if (at >= arguments.size()) throw_bad_argument(at, Value(), Codec<Plain>::name);
    const Value& value = arguments.begin()[at];
    if (!Codec<Plain>::fits(value)) throw_bad_argument(at, value, Codec<Plain>::name);
    return Codec<Plain>::from(value);
}

// A handler for an op with types: F takes the arguments, or a Context& or a Reply before them, or a
// Context& and a Reply. It gives an Answer, or the value to go on with, or a future of either.
template <class F, ResumeKind kind, class R, class... Args>
class TypedHandler final : public Handler {
    static constexpr bool takes_reply =
        std::invocable<F&, Reply, Args...> || std::invocable<F&, Context&, Reply, Args...>;
    static constexpr bool takes_context =
        std::invocable<F&, Context&, Args...> || std::invocable<F&, Context&, Reply, Args...>;

    static constexpr Style style_of_f() {
        if constexpr (takes_reply) {
            return Style::reply;
        } else if constexpr (takes_context) {
            return IsFuture<std::invoke_result_t<F&, Context&, Args...>>::value ? Style::async
                                                                                : Style::plain;
        } else {
            static_assert(std::invocable<F&, Args...>,
                          "the handler must take the op's arguments, with a Context& or a Reply "
                          "before them if it likes");
            return IsFuture<std::invoke_result_t<F&, Args...>>::value ? Style::async : Style::plain;
        }
    }

public:
    explicit TypedHandler(F function) : Handler(style_of_f()), function_(std::move(function)) {}

    Answer call(Context& context, Arguments& arguments) override {
        if constexpr (style_of_f() == Style::plain) {
            return call_with(context, arguments, std::index_sequence_for<Args...>());
        } else {
            return Handler::call(context, arguments);
        }
    }
    Future<Answer> begin(Context& context, Arguments& arguments) override {
        if constexpr (style_of_f() == Style::async) {
            auto future = invoke(context, arguments, std::index_sequence_for<Args...>());
            if constexpr (std::is_same_v<decltype(future), Future<Answer>>) {
                return future;
            } else {
                return answer_with(std::move(future));
            }
        } else {
            return Handler::begin(context, arguments);
        }
    }
    void take(Context& context, Arguments& arguments, Reply reply) override {
        if constexpr (style_of_f() == Style::reply) {
            take_with(context, arguments, std::move(reply), std::index_sequence_for<Args...>());
        }
    }

private:
    template <std::size_t... at>
    auto invoke(Context& context, const Arguments& arguments, std::index_sequence<at...>) {
        if constexpr (takes_context) {
            return function_(context, argument_at<Args>(arguments, at)...);
        } else {
            static_cast<void>(context);
            return function_(argument_at<Args>(arguments, at)...);
        }
    }
    template <std::size_t... at>
    Answer call_with(Context& context, const Arguments& arguments, std::index_sequence<at...> all) {
        using Given = decltype(invoke(context, arguments, all));
        if constexpr (std::is_same_v<Given, Answer>) {
            return invoke(context, arguments, all);
        } else if constexpr (std::is_void_v<Given>) {
            invoke(context, arguments, all);
            return answer_of(Value());
        } else {
            return answer_of(Codec<R>::to(invoke(context, arguments, all)));
        }
    }
    template <std::size_t... at>
    void take_with(Context& context, const Arguments& arguments, Reply reply,
                   std::index_sequence<at...>) {
        if constexpr (takes_context) {
            function_(context, std::move(reply), argument_at<Args>(arguments, at)...);
        } else {
            static_cast<void>(context);
            function_(std::move(reply), argument_at<Args>(arguments, at)...);
        }
    }
    static Answer answer_of(Value value) noexcept {
        return kind == ResumeKind::tail ? tail(std::move(value)) : resume(std::move(value));
    }
    template <class T>
    static Future<Answer> answer_with(Future<T> future) {
        if constexpr (std::is_void_v<T>) {
            co_await std::move(future);
            co_return answer_of(Value());
        } else {
            co_return answer_of(Codec<R>::to(co_await std::move(future)));
        }
    }

    F function_;
};

// A handler without types: F takes (Context&, const Arguments&) and gives an Answer, or
// (Context&, Arguments) and gives a Future<Answer>, or takes (Context&, Arguments, Reply).
template <class F>
class UntypedHandler final : public Handler {
    static constexpr Style style_of_f() {
        if constexpr (std::invocable<F&, Context&, Arguments, Reply>) {
            return Style::reply;
        } else {
            static_assert(std::invocable<F&, Context&, Arguments>,
                          "the handler must take (Context&, Arguments)");
            return IsFuture<std::invoke_result_t<F&, Context&, Arguments>>::value ? Style::async
                                                                                  : Style::plain;
        }
    }

public:
    explicit UntypedHandler(F function) : Handler(style_of_f()), function_(std::move(function)) {}

    Answer call(Context& context, Arguments& arguments) override {
        if constexpr (style_of_f() == Style::plain) {
            return function_(context, std::move(arguments));
        } else {
            return Handler::call(context, arguments);
        }
    }
    Future<Answer> begin(Context& context, Arguments& arguments) override {
        if constexpr (style_of_f() == Style::async) {
            return function_(context, std::move(arguments));
        } else {
            return Handler::begin(context, arguments);
        }
    }
    void take(Context& context, Arguments& arguments, Reply reply) override {
        if constexpr (style_of_f() == Style::reply) {
            function_(context, std::move(arguments), std::move(reply));
        }
    }

private:
    F function_;
};

}  // namespace gyre::effect
