// SPDX-License-Identifier: Apache-2.0
// Handlers: a table from op to the function that answers it, found by effect, op and signature. An
// op without a handler fails its run as unhandled_effect.
//
//     Handlers handlers;
//     handlers.on(Async::await, [](int n) { return resume(n + 1); });
//     handlers.on(Async::fetch, [](Context&, std::string url) -> Future<std::string> {
//         co_return co_await download(url);
//     });
//
// Thread: fill it before the first run that uses it starts. Then it is only read, and several loops
// may share it if its functions allow that.
// Lifetime: it owns its functions and outlives the runs that use it.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gyre/effect/context.hpp"
#include "gyre/effect/effect_op.hpp"
#include "gyre/effect/run_outcome.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre::effect {

// The function that answers the requests of one op, with its types erased. A plain handler answers
// at once, an async one by a future, and a reply handler through its Reply. Made by Handlers::on.
class Handler {
public:
    enum class Style : std::uint8_t { plain, async, reply };

    explicit Handler(Style style) noexcept : style_(style) {}
    virtual ~Handler() = default;
    Handler(const Handler&) = delete;
    Handler& operator=(const Handler&) = delete;

    [[nodiscard]] Style style() const noexcept { return style_; }

    // The scheduler calls the function of the style. The arguments are valid until it returns; they
    // may be moved from.
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

// A handler of a typed op: F takes the op's arguments, and before them a Context&, a Reply or both.
// It returns an Answer, the value to resume with, or a Future of either.
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
                          "the handler must take the op's arguments, optionally with a Context& "
                          "or a Reply before them");
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

// A handler without types: F takes (Context&, const Arguments&) and returns an Answer, or
// (Context&, Arguments) and returns a Future<Answer>, or takes (Context&, Arguments, Reply).
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

class Handlers {
public:
    Handlers() = default;
    Handlers(Handlers&&) noexcept = default;
    Handlers& operator=(Handlers&&) noexcept = default;

    // A handler of a typed op. A second handler for the same op and signature is an error.
    template <class R, class... Args, ResumeKind kind, class F>
    Handlers& on(const TypedOp<R(Args...), kind>& op, F function) {
        add(op.info, std::make_unique<TypedHandler<F, kind, R, Args...>>(std::move(function)));
        return *this;
    }
    // A handler of an op by its names. With `any_signature` it takes the signatures that no other
    // handler takes.
    template <class F>
    Handlers& on(std::string_view effect, std::string_view op, std::uint32_t signature,
                 F function) {
        add(OpInfo(effect, op, ResumeKind::resume, signature),
            std::make_unique<UntypedHandler<F>>(std::move(function)));
        return *this;
    }
    void add(const OpInfo& op, std::unique_ptr<Handler> handler);

    // Puts a handler in the place of the one that `find` gives, which must be there, and returns that.
    [[nodiscard]] std::unique_ptr<Handler> exchange(const OpInfo& op,
                                                    std::unique_ptr<Handler> handler);

    // Null when no handler takes the op.
    [[nodiscard]] Handler* find(const OpInfo& op) const noexcept;
    // Whether a handler has exactly this signature.
    [[nodiscard]] bool has(const OpInfo& op) const noexcept {
        return find_entry(op, op.signature) != nullptr;
    }
    // Whether the op is handled with another signature: for messages.
    [[nodiscard]] bool has_other_signature(const OpInfo& op) const noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return count_; }

private:
    struct Entry {
        std::uint64_t key = 0;
        std::uint32_t signature = 0;
        std::string effect;
        std::string op;
        std::unique_ptr<Handler> handler;  // null: the entry is free
    };
    [[nodiscard]] const Entry* find_entry(const OpInfo& op, std::uint32_t signature) const noexcept;
    void place(Entry entry);

    std::vector<Entry> table_;  // open addressing, a power of two, at most half full
    std::size_t count_ = 0;
};

}  // namespace gyre::effect
