// SPDX-License-Identifier: Apache-2.0
// Calls of a script into the host.
#include <algorithm>
#include <limits>
#include <utility>

#include "lang/script/quickjs/internal/quickjs_engine.hpp"

namespace gyre::script::quickjs {
namespace {

class Call final : public NativeCall {
public:
    Call(JSContext* context, std::span<JSValueConst> arguments)
        : context_(context), arguments_(arguments) {}

    std::size_t count() const noexcept override { return arguments_.size(); }
    double number(std::size_t index) override {
        double value = std::numeric_limits<double>::quiet_NaN();
        if (JS_IsNumber(at(index))) JS_ToFloat64(context_, &value, at(index));
        return value;
    }
    bool truth(std::size_t index) override { return JS_ToBool(context_, at(index)) == 1; }
    std::string text(std::size_t index) override { return text_of(context_, at(index)); }
    std::span<std::byte> bytes(std::size_t index) override {
        if (JS_GetTypedArrayType(at(index)) < 0) return {};
        std::size_t offset = 0;
        std::size_t length = 0;
        std::size_t whole = 0;
        const Value buffer(context_,
                           JS_GetTypedArrayBuffer(context_, at(index), &offset, &length, nullptr));
        if (buffer.is_exception()) return {};
        auto* data = JS_GetArrayBuffer(context_, &whole, buffer.get());
        if (data == nullptr || offset + length > whole) return {};
        return {reinterpret_cast<std::byte*>(data) + offset, length};
    }
    std::shared_ptr<SharedMemory> shared_memory(std::size_t index) override {
        std::size_t size = 0;
        std::uint8_t* const data = JS_GetArrayBuffer(context_, &size, at(index));
        if (data == nullptr) JS_FreeValue(context_, JS_GetException(context_));
        return shared::find(data);
    }
    void give_number(double number) override { result_ = JS_NewNumber(context_, number); }
    void give_truth(bool truth) override { result_ = JS_NewBool(context_, truth); }
    void give_text(std::string_view text) override {
        JS_FreeValue(context_, result_);
        result_ = string(context_, text);
    }
    void give_shared_memory(const std::shared_ptr<SharedMemory>& memory) override {
        JS_FreeValue(context_, result_);
        result_ = shared::make_buffer(context_, memory);
    }
    void fail(std::string_view type, std::string_view message) override {
        JS_FreeValue(context_, result_);
        result_ = JS_EXCEPTION;
        const int length = static_cast<int>(std::min<std::size_t>(message.size(), 1000));
        if (type == "TypeError") {
            JS_ThrowTypeError(context_, "%.*s", length, message.data());
        } else if (type == "RangeError") {
            JS_ThrowRangeError(context_, "%.*s", length, message.data());
        } else {
            JS_ThrowPlainError(context_, "%.*s", length, message.data());
        }
    }
    JSValue result() { return std::exchange(result_, JS_UNDEFINED); }

private:
    JSValueConst at(std::size_t index) const {
        return index < arguments_.size() ? arguments_[index] : JS_UNDEFINED;
    }

    JSContext* context_;
    std::span<JSValueConst> arguments_;
    JSValue result_ = JS_UNDEFINED;
};

}  // namespace

// The boundary of every native function: no C++ exception passes QuickJS's frames.
JSValue QuickJsEngine::on_native(JSContext* context, JSValueConst /*self*/, int count,
                                 JSValueConst* arguments, int index) {
    QuickJsEngine& engine = of(context);
    Call call(context, std::span(arguments, static_cast<std::size_t>(count)));
    try {
        const Native& native = engine.natives_[static_cast<std::size_t>(index)];
        native.function(native.host != nullptr ? native.host : engine.host_, call);
    } catch (const std::exception& error) {
        call.fail("Error", error.what());
    } catch (...) {
        call.fail("Error", "a native function failed");
    }
    Value result(context, call.result());
    return engine.is_stopped_.load() ? engine.throw_stopped() : result.release();
}

}  // namespace gyre::script::quickjs
