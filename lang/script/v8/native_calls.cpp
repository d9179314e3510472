// SPDX-License-Identifier: Apache-2.0
// Calls of a script into the host.
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "lang/script/v8/internal/v8_engine.hpp"

namespace gyre::script::v8 {
namespace {

struct Shared final : SharedMemory {
    explicit Shared(std::shared_ptr<::v8::BackingStore> of) : store(std::move(of)) {}
    const std::shared_ptr<::v8::BackingStore> store;
};

class V8Call final : public NativeCall {
public:
    explicit V8Call(const FunctionCallbackInfo<Value>& info) : info_(info) {}

    std::size_t count() const noexcept override { return static_cast<std::size_t>(info_.Length()); }
    double number(std::size_t index) override {
        const Local<Value> value = info_[static_cast<int>(index)];
        return value->IsNumber() ? value.As<::v8::Number>()->Value()
                                 : std::numeric_limits<double>::quiet_NaN();
    }
    bool truth(std::size_t index) override {
        return info_[static_cast<int>(index)]->BooleanValue(info_.GetIsolate());
    }
    std::string text(std::size_t index) override {
        Isolate* const isolate = info_.GetIsolate();
        Local<::v8::String> given;
        if (!info_[static_cast<int>(index)]
                 ->ToString(isolate->GetCurrentContext())
                 .ToLocal(&given)) {
            return {};
        }
        std::string text;
        if (given->IsOneByte() && as_ascii(given, text)) return text;
        text.resize(static_cast<std::size_t>(given->Utf8Length(isolate)));
        // A lone surrogate becomes U+FFFD, which takes as many bytes.
        given->WriteUtf8(isolate, text.data(), static_cast<int>(text.size()), nullptr,
                         ::v8::String::NO_NULL_TERMINATION | ::v8::String::REPLACE_INVALID_UTF8);
        return text;
    }
    std::span<std::byte> bytes(std::size_t index) override {
        const Local<Value> value = info_[static_cast<int>(index)];
        if (!value->IsArrayBufferView()) return {};
        const auto view = value.As<::v8::ArrayBufferView>();
        auto* data = static_cast<std::byte*>(view->Buffer()->Data());
        return {data + view->ByteOffset(), view->ByteLength()};
    }
    std::shared_ptr<SharedMemory> shared_memory(std::size_t index) override {
        const Local<Value> value = info_[static_cast<int>(index)];
        if (!value->IsSharedArrayBuffer()) return nullptr;
        return std::make_shared<Shared>(value.As<::v8::SharedArrayBuffer>()->GetBackingStore());
    }
    void give_number(double number) override { info_.GetReturnValue().Set(number); }
    void give_truth(bool truth) override { info_.GetReturnValue().Set(truth); }
    void give_text(std::string_view text) override {
        info_.GetReturnValue().Set(V8Engine::of(info_.GetIsolate()).string(text));
    }
    void give_shared_memory(const std::shared_ptr<SharedMemory>& memory) override {
        if (const auto* shared = dynamic_cast<const Shared*>(memory.get())) {
            info_.GetReturnValue().Set(
                ::v8::SharedArrayBuffer::New(info_.GetIsolate(), shared->store));
        }
    }
    void fail(std::string_view type, std::string_view message) override {
        V8Engine::of(info_.GetIsolate()).throw_error(type, message);
    }

private:
    // False: a character takes two bytes in UTF-8.
    bool as_ascii(Local<::v8::String> given, std::string& text) {
        text.resize(static_cast<std::size_t>(given->Length()));
        auto* const bytes = reinterpret_cast<std::uint8_t*>(text.data());
        given->WriteOneByte(info_.GetIsolate(), bytes, 0, given->Length(),
                            ::v8::String::NO_NULL_TERMINATION);
        return std::ranges::none_of(text, [](char letter) { return letter < 0; });
    }

    const FunctionCallbackInfo<Value>& info_;
};

}  // namespace

// The boundary of every native function: no C++ exception passes V8's frames.
void V8Engine::on_native(const FunctionCallbackInfo<Value>& info) {
    V8Engine& engine = of(info.GetIsolate());
    V8Call call(info);
    const auto* native = static_cast<const Native*>(info.Data().As<::v8::External>()->Value());
    try {
        native->function(native->host != nullptr ? native->host : engine.host_, call);
    } catch (const std::exception& error) {
        call.fail("Error", error.what());
    } catch (...) {
        call.fail("Error", "a native function failed");
    }
}

void V8Engine::bind_natives(Local<Object> host, std::span<const Native> natives) {
    const Local<Context> context = isolate_->GetCurrentContext();
    const Local<Object> table = Object::New(isolate_);
    for (const Native& native : natives) {
        const Local<Value> data = ::v8::External::New(isolate_, const_cast<Native*>(&native));
        const Local<Function> function =
            Function::New(context, &V8Engine::on_native, data, 0, ::v8::ConstructorBehavior::kThrow)
                .ToLocalChecked();
        table->Set(context, string(native.name), function).Check();
    }
    host->Set(context, string("natives"), table).Check();
}

}  // namespace gyre::script::v8
