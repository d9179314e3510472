// SPDX-License-Identifier: Apache-2.0
// Value: a counted reference to a JavaScript value of QuickJS. Belongs to the thread of its engine,
// which outlives it.
#pragma once

#include <quickjs.h>

#include <string>
#include <string_view>
#include <utility>

namespace gyre::script::quickjs {

class Value {
public:
    Value() = default;
    // Takes over the reference.
    Value(JSContext* context, JSValue value) : context_(context), value_(value) {}
    Value(Value&& other) noexcept
        : context_(other.context_), value_(std::exchange(other.value_, JS_UNDEFINED)) {}
    Value& operator=(Value&& other) noexcept {
        std::swap(context_, other.context_);
        std::swap(value_, other.value_);
        return *this;
    }
    ~Value() { reset(); }

    static Value copy(JSContext* context, JSValueConst value) {
        return {context, JS_DupValue(context, value)};
    }

    [[nodiscard]] JSValueConst get() const noexcept { return value_; }
    [[nodiscard]] JSValue release() noexcept { return std::exchange(value_, JS_UNDEFINED); }
    void reset() {
        // A value without a reference may outlive the context.
        if (!JS_VALUE_HAS_REF_COUNT(value_)) return;
        JS_FreeValue(context_, release());
    }
    [[nodiscard]] bool is_exception() const noexcept { return JS_IsException(value_); }

private:
    JSContext* context_ = nullptr;
    JSValue value_ = JS_UNDEFINED;
};

// UTF-8; a surrogate without its partner is U+FFFD. Nothing where the conversion throws: the
// exception is dropped.
[[nodiscard]] std::string text_of(JSContext* context, JSValueConst value);

[[nodiscard]] inline JSValue string(JSContext* context, std::string_view text) {
    return JS_NewStringLen(context, text.data(), text.size());
}

}  // namespace gyre::script::quickjs
