// SPDX-License-Identifier: Apache-2.0
#include "lang/script/v8/internal/debugger.hpp"

#include <utility>
#include <vector>

namespace gyre::script::v8 {
namespace {

using v8_inspector::StringView;

StringView view_of(std::string_view ascii) {
    return {reinterpret_cast<const std::uint8_t*>(ascii.data()), ascii.size()};
}

// Between two jobs.
class ServeTask final : public ::v8::Task {
public:
    explicit ServeTask(V8Engine& engine) : engine_(engine) {}
    void Run() override { engine_.serve_debugger(); }

private:
    V8Engine& engine_;
};

}  // namespace

std::unique_ptr<Debugger> V8Engine::open_debugger(DebugLink& link) {
    const Isolate::Scope isolate_scope(isolate_);
    const HandleScope handles(isolate_);
    auto made = std::make_unique<V8Debugger>(*this, isolate_, context_.Get(isolate_), link);
    debugger_.store(made.get());
    return made;
}

void V8Engine::serve_debugger() {
    if (V8Debugger* const debugger = debugger_.load()) debugger->serve();
}

void V8Engine::ring_debugger() noexcept {
    tasks_->PostTask(std::make_unique<ServeTask>(*this));
    isolate_->RequestInterrupt(
        [](Isolate* /*isolate*/, void* engine) {
            static_cast<V8Engine*>(engine)->serve_debugger();
        },
        this);
}

void V8Engine::end_debugger_waits() noexcept {
    if (V8Debugger* const debugger = debugger_.load()) debugger->link().end_waits();
}

// pauseAtFirstCall(): the next call is that of the main script.
void V8Engine::pause_at_first_call(const FunctionCallbackInfo<Value>& info) {
    if (V8Debugger* const debugger = of(info.GetIsolate()).debugger_.load())
        debugger->note_first_call();
}

V8Debugger::V8Debugger(V8Engine& engine, Isolate* isolate, Local<Context> context, DebugLink& link)
    : engine_(engine), isolate_(isolate), link_(link) {
    context_.Reset(isolate, context);
    inspector_ = v8_inspector::V8Inspector::create(isolate, this);
    note_context(context, "gyre");
}

V8Debugger::~V8Debugger() {
    engine_.forget_debugger();
    const Isolate::Scope isolate_scope(isolate_);
    const HandleScope handles(isolate_);
    session_.reset();
    inspector_->contextDestroyed(context_.Get(isolate_));
    inspector_.reset();
    context_.Reset();
}

void V8Debugger::note_context(Local<Context> context, std::string_view name) {
    v8_inspector::V8ContextInfo info(context, group, view_of(name));
    static constexpr std::string_view facts = R"({"isDefault":true})";
    info.auxData = view_of(facts);
    info.hasMemoryOnConsole = true;
    inspector_->contextCreated(info);
}

void V8Debugger::ring() noexcept {
    engine_.ring_debugger();
}

void V8Debugger::wait_for_client() {
    const Isolate::Scope isolate_scope(isolate_);
    const HandleScope handles(isolate_);
    waits_for_client_ = true;
    breaks_at_start_ = true;
    while (waits_for_client_ && !engine_.is_stopped()) {
        DebugLink::Event event = link_.wait();
        if (event.kind == DebugLink::Kind::ended) return;
        take(std::move(event));
    }
}

void V8Debugger::tell_end() {
    const Isolate::Scope isolate_scope(isolate_);
    const HandleScope handles(isolate_);
    serve();
    inspector_->contextDestroyed(context_.Get(isolate_));
}

void V8Debugger::note_first_call() {
    if (!std::exchange(breaks_at_start_, false) || session_ == nullptr) return;
    session_->schedulePauseOnNextStatement(view_of("Break on start"), view_of("{}"));
}

void V8Debugger::serve() {
    for (;;) {
        DebugLink::Event event = link_.take();
        if (event.kind == DebugLink::Kind::none || event.kind == DebugLink::Kind::ended) return;
        take(std::move(event));
    }
}

// The script stands at a statement.
void V8Debugger::runMessageLoopOnPause(int /*group_id*/) {
    if (is_paused_) return;
    is_paused_ = true;
    while (is_paused_ && !engine_.is_stopped()) {
        DebugLink::Event event = link_.wait();
        if (event.kind == DebugLink::Kind::ended) break;
        take(std::move(event));
    }
    is_paused_ = false;
}

Local<Context> V8Debugger::ensureDefaultContextInGroup(int /*group_id*/) {
    return context_.Get(isolate_);
}

double V8Debugger::currentTimeMS() {
    return Platform::get().CurrentClockTimeMillis();
}

std::unique_ptr<V8Debugger::Text> V8Debugger::resourceNameToUrl(const StringView& name) {
    const auto unit = [&name](std::size_t at) -> unsigned {
        return name.is8Bit() ? name.characters8()[at] : name.characters16()[at];
    };
    if (name.length() == 0 || unit(0) != '/') return nullptr;
    std::vector<std::uint16_t> url;
    for (const char c : std::string_view("file://")) url.push_back(static_cast<unsigned char>(c));
    for (std::size_t i = 0; i < name.length(); ++i) {
        static constexpr char digits[] = "0123456789ABCDEF";
        const unsigned c = unit(i);
        if (c > 0x20 && c != '%' && c != '#' && c != '?') {
            url.push_back(static_cast<std::uint16_t>(c));
        } else {
            for (const unsigned escaped :
                 {unsigned{'%'}, unsigned(digits[c >> 4u]), unsigned(digits[c & 15u])})
                url.push_back(static_cast<std::uint16_t>(escaped));
        }
    }
    return Text::create(StringView(url.data(), url.size()));
}

void V8Debugger::take(DebugLink::Event event) {
    const HandleScope handles(isolate_);
    switch (event.kind) {
        case DebugLink::Kind::opened:
            if (closes_after_) {
                opens_after_ = true;
            } else {
                session_ = inspector_->connect(group, this, StringView());
            }
            return;
        case DebugLink::Kind::message:
            return dispatch(event.text);
        case DebugLink::Kind::closed:
            return close();
        default:
            return;
    }
}

// The session may be on the stack: in a pause that one of its own calls led to.
void V8Debugger::close() {
    opens_after_ = false;
    messages_after_.clear();
    if (session_ == nullptr) return;
    if (dispatching_ == 0) {
        session_.reset();
        is_paused_ = false;
        return;
    }
    closes_after_ = true;
    session_->setSkipAllPauses(true);
    session_->resume();
    is_paused_ = false;
}

void V8Debugger::dispatch(std::string_view message) {
    // Of the client that comes after the one that is being closed.
    if (opens_after_) messages_after_.emplace_back(message);
    if (session_ == nullptr || closes_after_) return;
    const Local<::v8::String> text = engine_.string(message);
    std::vector<std::uint16_t> units(static_cast<std::size_t>(text->Length()));
    text->Write(isolate_, units.data(), 0, text->Length(), ::v8::String::NO_NULL_TERMINATION);
    const Context::Scope context_scope(context_.Get(isolate_));
    ++dispatching_;
    session_->dispatchProtocolMessage(StringView(units.data(), units.size()));
    --dispatching_;
    if (dispatching_ != 0 || !std::exchange(closes_after_, false)) return;
    session_.reset();
    if (!std::exchange(opens_after_, false)) return;
    session_ = inspector_->connect(group, this, StringView());
    const std::vector<std::string> messages = std::exchange(messages_after_, {});
    const int session = ++session_count_;
    for (const std::string& next : messages) {
        if (session_count_ == session) dispatch(next);
    }
}

void V8Debugger::send(const Text& message) {
    const HandleScope handles(isolate_);
    const StringView view = message.string();
    const auto length = static_cast<int>(view.length());
    ::v8::MaybeLocal<::v8::String> made =
        view.is8Bit() ? ::v8::String::NewFromOneByte(isolate_, view.characters8(),
                                                     ::v8::NewStringType::kNormal, length)
                      : ::v8::String::NewFromTwoByte(isolate_, view.characters16(),
                                                     ::v8::NewStringType::kNormal, length);
    Local<::v8::String> text;
    if (!made.ToLocal(&text)) return;
    std::string bytes(static_cast<std::size_t>(text->Utf8Length(isolate_)), '\0');
    text->WriteUtf8(isolate_, bytes.data(), static_cast<int>(bytes.size()), nullptr,
                    ::v8::String::NO_NULL_TERMINATION | ::v8::String::REPLACE_INVALID_UTF8);
    link_.send(std::move(bytes));
}

}  // namespace gyre::script::v8
