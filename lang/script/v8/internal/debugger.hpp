// SPDX-License-Identifier: Apache-2.0
// V8Debugger: V8's inspector, for one session at a time. It takes messages between two jobs by a task, and in
// the middle of one by an interrupt; while the script is paused it waits for them. The script's thread.
#pragma once

#include <v8-inspector.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/script/v8/internal/v8_engine.hpp"

namespace gyre::script::v8 {

class V8Debugger final : public Debugger,
                         private v8_inspector::V8InspectorClient,
                         private v8_inspector::V8Inspector::Channel {
public:
    V8Debugger(V8Engine& engine, Isolate* isolate, Local<Context> context, DebugLink& link);
    ~V8Debugger() override;
    V8Debugger(const V8Debugger&) = delete;
    V8Debugger& operator=(const V8Debugger&) = delete;

    void ring() noexcept override;
    void wait_for_client() override;
    void tell_end() override;

    // Takes what waits.
    void serve();
    // The next call is the script's first one.
    void note_first_call();
    void note_context(Local<Context> context, std::string_view name);
    [[nodiscard]] DebugLink& link() noexcept { return link_; }

private:
    using Text = v8_inspector::StringBuffer;
    static constexpr int group = 1;

    // V8InspectorClient
    void runMessageLoopOnPause(int group_id) override;
    void quitMessageLoopOnPause() override { is_paused_ = false; }
    void runIfWaitingForDebugger(int /*group_id*/) override { waits_for_client_ = false; }
    Local<Context> ensureDefaultContextInGroup(int group_id) override;
    double currentTimeMS() override;
    // A path as a URL of a file, by which clients set breakpoints.
    std::unique_ptr<Text> resourceNameToUrl(const v8_inspector::StringView& name) override;
    // Channel
    void sendResponse(int /*call*/, std::unique_ptr<Text> message) override { send(*message); }
    void sendNotification(std::unique_ptr<Text> message) override { send(*message); }
    void flushProtocolNotifications() override {}

    void send(const Text& message);
    void take(DebugLink::Event event);
    void dispatch(std::string_view message);
    void close();

    V8Engine& engine_;
    Isolate* const isolate_;
    DebugLink& link_;
    Global<Context> context_;
    std::unique_ptr<v8_inspector::V8Inspector> inspector_;
    std::unique_ptr<v8_inspector::V8InspectorSession> session_;
    int dispatching_ = 0;                      // calls of dispatch on the stack
    bool closes_after_ = false;                // the session ends with the last of them
    bool opens_after_ = false;                 // and another client has come
    std::vector<std::string> messages_after_;  // of that next client
    int session_count_ = 0;                    // that began behind another one
    bool is_paused_ = false;
    bool waits_for_client_ = false;
    bool breaks_at_start_ = false;
};

}  // namespace gyre::script::v8
